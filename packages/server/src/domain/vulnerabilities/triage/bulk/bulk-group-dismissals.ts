import { parameterProblem } from '../../../../platform/failure.ts'
import type { Deps, RootDeps } from '../../../deps.ts'
import { lineageOf } from '../../../namespaces/namespace.ts'
import type { Project } from '../../../projects/project.ts'
import type { Visitor } from '../../../projects/visible.ts'
import { loadVulnerabilities } from '../../list/list.ts'
import { describeFlaw } from '../../rules/decision-rule.ts'
import { type PreviewedRule, previewRules } from '../../rules/preview.ts'
import type { RuleDraft } from '../../rules/rule.ts'
import { withoutEffectOn } from '../../rules/rule-effects.ts'
import { findGroupOfRule, listRulesOf } from '../../rules/rule-queries.ts'
import { createRule, removeRule } from '../../rules/rules.ts'
import type { Vulnerability, VulnerabilityWithFinding } from '../../vulnerability.ts'
import { type ActionContext, applyChange, type Change, type DecidedGroup, type Dismissal, entryOf } from '../change.ts'
import { endsWithFix } from '../dismissals/dismissal-end.ts'
import { listWithFix } from '../dismissals/ended-dismissal-queries.ts'
import { dismissalBy } from '../dismissals/group-dismissals.ts'
import type { ChangedVulnerability } from '../triage.ts'
import { lockVulnerabilities } from '../triage-queries.ts'
import { type BulkEntry, listEntriesOf } from './bulk-queries.ts'

/** Maximum number of vulnerabilities that one request dismisses in a group, because each flaw becomes a rule. */
const maxDecisions = 100

type GroupDismissal = Dismissal & { group: DecidedGroup }

export const isOfGroup = (change: Change): change is GroupDismissal =>
  change.action === 'dismiss' && change.group !== undefined

/** Rejects a dismissal of too many vulnerabilities, or in a group that is not above all selected projects. */
export function assertDecidable(
  change: Change,
  selected: readonly { project: Project; ids: readonly number[] }[],
): void {
  if (!isOfGroup(change)) return
  const total = selected.reduce((sum, { ids }) => sum + ids.length, 0)
  if (total > maxDecisions) {
    throw parameterProblem(
      `scope group allows at most ${maxDecisions} vulnerabilities, but ${total} are selected; create a rule of the group`,
    )
  }
  const outside = selected.flatMap(({ project }) =>
    lineageOf(project.namespace).includes(change.group.id) ? [] : project.fullPath,
  )
  if (outside.length === 0) return
  const named = outside.slice(0, maxNamed).join(', ')
  const more = outside.length > maxNamed ? ` and ${outside.length - maxNamed} more` : ''
  throw parameterProblem(`group_id: ${change.group.fullPath} is not above ${named}${more}`)
}

/** Maximum number of projects that an error names. */
const maxNamed = 5

/** Returns the vulnerability as the dismissal leaves it, or undefined if it is dismissed in a group already. */
export function dismissedInGroup(
  before: Vulnerability,
  change: GroupDismissal,
  context: ActionContext,
): Vulnerability | undefined {
  const applied = applyChange(before, change, before.severity, context)
  if (applied || before.groupRuleId !== null) return applied
  // A decision ends the effect of a rule, also where it confirms it.
  return withoutEffectOn({ ...before, updatedAt: context.now }, 'state')
}

/**
 * Dismisses a batch of vulnerabilities after locking them, and creates a rule of the group for each flaw that has none.
 * One that is dismissed in a group already keeps that rule.
 */
export async function dismissBatchInGroup(
  deps: Deps,
  projectId: number,
  ids: readonly number[],
  { change, ...context }: ActionContext & { change: GroupDismissal },
): Promise<ChangedVulnerability[]> {
  const locked = new Map((await lockVulnerabilities(deps.db, projectId, ids)).map((one) => [one.id, one]))
  const fixable = new Set(endsWithFix(change) ? await listWithFix(deps.db, ids) : [])
  const changed: ChangedVulnerability[] = []
  const rules = await openRules(deps, change, context.userId)
  const rows = await loadVulnerabilities(deps, ids)
  for (const { vulnerability, finding } of rows.sort((a, b) => a.vulnerability.id - b.vulnerability.id)) {
    const before = locked.get(vulnerability.id)
    const after = before && !fixable.has(before.id) && dismissedInGroup(before, change, context)
    if (!before || !after) continue
    const decided = before.groupRuleId === null ? await rules.ruleFor(after, finding.id) : undefined
    const entry = entryOf({ before, after }, change, context)
    const details = { ...entry.details, ...(decided && { group_rule_id: decided.id, is_new_rule: decided.isNew }) }
    changed.push({
      before,
      after: { ...after, groupRuleId: decided?.id ?? before.groupRuleId },
      entry: { ...entry, details },
    })
  }
  return changed
}

/** Opens the rules of decisions of the group. Equal flaws with the same dismissal share one. */
async function openRules(deps: Deps, change: GroupDismissal, userId: number | null) {
  const owner = { kind: 'group', id: change.group.id } as const
  const keyOf = ({ match, action }: Pick<RuleDraft, 'match' | 'action'>) => JSON.stringify([match, action.dismiss])
  const present = (await listRulesOf(deps.db, owner)).filter((rule) => rule.origin === 'decision' && rule.isEnabled)
  const known = new Map(present.map((rule) => [keyOf(rule), rule.id]))
  return {
    async ruleFor(after: Vulnerability, findingId: number): Promise<{ id: number; isNew: boolean }> {
      const flaw = await describeFlaw(deps, { vulnerabilityId: after.id, findingId })
      const action = { dismiss: dismissalBy(after, change.comment) }
      const key = keyOf({ ...flaw, action })
      const id = known.get(key)
      if (id !== undefined) return { id, isNew: false }
      const draft = { ...flaw, isEnabled: true, action, origin: 'decision', createdById: userId } as const
      const created = await createRule(deps, owner, draft)
      known.set(key, created.id)
      return { id: created.id, isNew: true }
    },
  }
}

/** Returns how many vulnerabilities of the group the rules for these decisions would change, these included. */
export async function countInGroup(
  deps: RootDeps,
  caller: Visitor,
  change: GroupDismissal,
  decided: readonly VulnerabilityWithFinding[],
): Promise<number> {
  const context = { userId: caller.user.id, now: deps.now(), bulkId: 0 }
  const drafts = new Map<string, PreviewedRule>()
  for (const { vulnerability, finding } of decided) {
    const after = dismissedInGroup(vulnerability, change, context) ?? vulnerability
    const { match } = await describeFlaw(deps, { vulnerabilityId: vulnerability.id, findingId: finding.id })
    const draft = { match, action: { dismiss: dismissalBy(after, change.comment) } }
    drafts.set(JSON.stringify(draft), { draft, origin: 'decision' })
  }
  if (drafts.size === 0) return 0
  const previews = await previewRules(deps, { kind: 'group', id: change.group.id }, caller, [...drafts.values()])
  return previews.reduce((total, { changed }) => total + changed, 0)
}

/** Returns the vulnerability without the rule that an undone bulk change gave it. */
export const withoutGroupRule = (after: Vulnerability, entry: BulkEntry | undefined): Vulnerability =>
  entry?.groupRule && after.groupRuleId === entry.groupRule.id ? { ...after, groupRuleId: null } : after

/** Removes the rules that the undone entries of a bulk change have created. */
export async function removeRulesOf(deps: Deps, entries: readonly BulkEntry[]): Promise<void> {
  const ids = new Set(entries.flatMap(({ groupRule }) => (groupRule?.isNew ? groupRule.id : [])))
  for (const id of ids) {
    const groupId = await findGroupOfRule(deps.db, id)
    if (groupId !== undefined) await removeRule(deps, { kind: 'group', id: groupId }, id)
  }
}

/** Returns the groups whose rules the undo of a bulk change would remove. */
export async function findGroupsOfBulk({ db }: Pick<Deps, 'db'>, bulkId: number): Promise<number[]> {
  const entries = await listEntriesOf(db, bulkId, 0, maxDecisions)
  const groupIds = new Set<number>()
  for (const { groupRule } of entries) {
    const id = groupRule?.isNew ? await findGroupOfRule(db, groupRule.id) : undefined
    if (id !== undefined) groupIds.add(id)
  }
  return [...groupIds]
}
