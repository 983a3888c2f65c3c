import { invalid, notFound } from '../../../platform/failure.ts'
import { changesBetween } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, transaction } from '../../deps.ts'
import { severityRanks } from '../../findings/scales.ts'
import { findEntity } from '../../projects/audited-place.ts'
import type { ApprovalRule, RuleOwner, StoredRule } from './approval-rule.ts'
import { deleteRule, findRuleOf, listRulesFor, upsertRule } from './approval-rule-queries.ts'

export interface ApprovalRules {
  own: StoredRule | undefined
  /** The rule that applies. A project or group can be stricter than the groups above it, never weaker. */
  effective: ApprovalRule | undefined
}

export async function getRules({ db }: Deps, owner: RuleOwner): Promise<ApprovalRules> {
  const rules = await listRulesFor(db, owner)
  return { own: rules.find((rule) => isOf(rule, owner)), effective: combine(rules) }
}

const isOf = ({ projectId, namespaceId }: StoredRule, { kind, id }: RuleOwner): boolean =>
  (kind === 'project' ? projectId : namespaceId) === id

/** Returns the rule that applies to a project. */
export async function findEffectiveRule({ db }: Deps, projectId: number): Promise<ApprovalRule | undefined> {
  return combine(await listRulesFor(db, { kind: 'project', id: projectId }))
}

/** Returns the lowest severity of all rules, with the expiry of the closest one. */
function combine(rules: readonly StoredRule[]): ApprovalRule | undefined {
  const [closest] = rules
  if (!closest) return undefined
  const strictest = rules.reduce((one, other) => (isWeaker(one, other) ? other : one))
  return { severity: strictest.severity, expiresInDays: closest.expiresInDays }
}

const isWeaker = (one: ApprovalRule, other: ApprovalRule): boolean =>
  severityRanks[one.severity] > severityRanks[other.severity]

/** Sets the rule of an owner. Rejects one that is weaker than that of a group above. */
export function saveRule(deps: Deps, owner: RuleOwner, rule: ApprovalRule): Promise<void> {
  return transaction(deps, async (deps) => {
    const rules = await listRulesFor(deps.db, owner)
    const before = rules.find((one) => isOf(one, owner))
    const above = combine(rules.filter((one) => one !== before))
    if (above && isWeaker(rule, above)) {
      throw invalid({ severity: [`cannot be weaker than that of a group above (${above.severity})`] })
    }
    await upsertRule(deps.db, owner, rule, deps.now())
    await recordRuleEvent(deps, owner, before, await findRuleOf(deps.db, owner))
  })
}

export function removeRule(deps: Deps, owner: RuleOwner): Promise<void> {
  return transaction(deps, async (deps) => {
    const before = await findRuleOf(deps.db, owner)
    if (!before) throw notFound()
    await deleteRule(deps.db, owner)
    await recordRuleEvent(deps, owner, before, undefined)
  })
}

async function recordRuleEvent(
  deps: Deps,
  owner: RuleOwner,
  before: StoredRule | undefined,
  after: StoredRule | undefined,
): Promise<void> {
  const entity = await findEntity(deps, owner)
  const done = after ? (before ? 'updated' : 'created') : 'destroyed'
  await recordAuditEvent(deps, `dismissal_approval_rule_${done}`, {
    entity,
    message: `Approval of dismissals: rule ${done}`,
    target: { type: 'DismissalApprovalRule', id: (after ?? before)?.id ?? 0, name: entity.path },
    changes: changesBetween(audited(before), audited(after), {
      severity: 'severity',
      expiresInDays: 'expires_in_days',
    }),
  })
}

const audited = (rule: StoredRule | undefined) => ({
  severity: rule?.severity ?? null,
  expiresInDays: rule?.expiresInDays ?? null,
})
