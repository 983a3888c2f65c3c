import { conflict, unchanged } from '../../../../platform/failure.ts'
import type { Deps, RootDeps } from '../../../deps.ts'
import type { Visitor } from '../../../projects/visible.ts'
import type { User } from '../../../users/user.ts'
import { describeFlaw } from '../../rules/decision-rule.ts'
import { previewRule, type RulePreview } from '../../rules/preview.ts'
import type { RuleDismissal, RuleOwner } from '../../rules/rule.ts'
import { withoutEffectOn } from '../../rules/rule-effects.ts'
import { findGroupOfRule } from '../../rules/rule-queries.ts'
import { changeRule, createRule, getRule, removeRule } from '../../rules/rules.ts'
import type { Vulnerability, VulnerabilityWithFinding } from '../../vulnerability.ts'
import { applyChange, type Change, type DecidedGroup, type Dismissal, groupOf } from '../change.ts'
import { assertEnd } from './dismissal-end.ts'

/** A change of one vulnerability. */
interface Applied {
  before: Vulnerability
  /** Undefined if the change leaves the vulnerability itself as it is. */
  applied: Vulnerability | undefined
  finding: { id: number }
}

/**
 * Applies a decision about a locked vulnerability to the projects of a group, by a rule for the same flaw: creates, changes
 * or removes the rule. Returns the vulnerability after the change, which is all that other changes do.
 */
export async function applyToGroup(
  deps: Deps,
  user: User,
  { before, applied, finding }: Applied,
  change: Change,
): Promise<Vulnerability> {
  if (!applied && !groupOf(change)) throw unchanged()
  // A decision ends the effect of a rule, also where it confirms it.
  const after = applied ?? withoutEffectOn({ ...before, updatedAt: deps.now() }, 'state')
  if (change.action === 'dismiss' && change.group) {
    const found = await findDecision(deps, before, change.group)
    const isNew = applied !== undefined || found === undefined
    const groupRuleId = await saveRule(deps, user, { after, finding, ruleId: found, isNew }, change)
    return { ...after, groupRuleId }
  }
  if (change.action === 'revert' && change.group) {
    const found = await findDecision(deps, before, change.group)
    if (found === undefined) throw notDecided()
    await removeRule(deps, ownerOf(change.group), found)
    return { ...after, groupRuleId: null }
  }
  return after
}

/** Returns the group to whose projects a decision about the vulnerability applies. */
export async function findDecidedGroup({ db }: Deps, { groupRuleId }: Vulnerability): Promise<number> {
  const id = groupRuleId === null ? undefined : await findGroupOfRule(db, groupRuleId)
  if (id === undefined) throw notDecided()
  return id
}

/** Returns the rule that a former decision has created. One decision applies to one group. */
async function findDecision({ db }: Deps, { groupRuleId }: Vulnerability, group: DecidedGroup) {
  if (groupRuleId === null) return undefined
  const groupId = await findGroupOfRule(db, groupRuleId)
  if (groupId === group.id) return groupRuleId
  throw conflict('the vulnerability is dismissed in the projects of another group; revert it there first')
}

const notDecided = () => conflict('no decision about this vulnerability applies to a group')

const ownerOf = ({ id }: DecidedGroup): RuleOwner => ({ kind: 'group', id })

interface Decided {
  after: Vulnerability
  finding: { id: number }
  /** The rule of a former decision. */
  ruleId: number | undefined
  /** Whether the decision changes the vulnerability, or is its first one for the group. */
  isNew: boolean
}

/** Returns the id of the rule. */
async function saveRule(
  deps: Deps,
  user: User,
  { after, finding, ruleId, isNew }: Decided,
  { group, comment }: Dismissal,
): Promise<number> {
  if (!group) throw new Error('a rule of a group was saved without the group')
  const owner = ownerOf(group)
  const dismiss = dismissalBy(after, comment)
  if (ruleId === undefined) {
    const flaw = await describeFlaw(deps, { vulnerabilityId: after.id, findingId: finding.id })
    const draft = { ...flaw, isEnabled: true, action: { dismiss }, origin: 'decision', createdById: user.id } as const
    return (await createRule(deps, owner, draft)).id
  }
  const { isEnabled, action } = await getRule(deps, owner, ruleId)
  if (!isNew && isEnabled && isSame(action.dismiss, dismiss)) throw unchanged()
  const kept = { ...(action.dismiss?.comment !== undefined && { comment: action.dismiss.comment }), ...dismiss }
  await changeRule(deps, owner, ruleId, { isEnabled: true, action: { ...action, dismiss: kept } })
  return ruleId
}

/** Returns the effect of the rule for a dismissed vulnerability. */
export const dismissalBy = (after: Vulnerability, comment: string | undefined): RuleDismissal => ({
  ...(after.dismissalReason && { reason: after.dismissalReason }),
  ...(comment !== undefined && { comment }),
  ...(after.dismissedUntil !== null && { until: after.dismissedUntil }),
  ...(after.isDismissedUntilFixed && { untilFixed: true }),
})

/** Computes what a dismissal of the vulnerability would change in the projects of the group. Nothing is stored. */
export async function previewGroupDismissal(
  deps: RootDeps,
  caller: Visitor,
  { vulnerability: before, finding }: VulnerabilityWithFinding,
  change: Dismissal & { group: DecidedGroup },
): Promise<RulePreview> {
  assertEnd(change, deps.now())
  const context = { userId: caller.user.id, now: deps.now() }
  const after = applyChange(before, change, finding.severity, context) ?? before
  const owner = ownerOf(change.group)
  const replacedId = await findDecision(deps, before, change.group)
  const described =
    replacedId === undefined && (await describeFlaw(deps, { vulnerabilityId: before.id, findingId: finding.id }))
  const { match } = described || (await getRule(deps, owner, replacedId ?? 0))
  const draft = { match, action: { dismiss: dismissalBy(after, change.comment) } }
  return previewRule(deps, owner, caller, { draft, replacedId, origin: 'decision' })
}

/** Compares reasons and ends. */
const isSame = (one: RuleDismissal | undefined, other: RuleDismissal): boolean =>
  one?.reason === other.reason && one?.until === other.until && one?.untilFixed === other.untilFixed
