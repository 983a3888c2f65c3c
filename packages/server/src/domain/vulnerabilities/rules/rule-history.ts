import { describeEnd } from '../triage/dismissals/dismissal-end.ts'
import type { HistoryEntry } from '../triage/history/history-entry.ts'
import { describeTags, isSame } from '../triage/tags.ts'
import type { Vulnerability } from '../vulnerability.ts'
import type { Rule } from './rule.ts'

export interface ChangedByRule {
  before: Vulnerability
  after: Vulnerability
  /** The rule that applies now. */
  rule: Rule | undefined
}

/** Builds the history entries of what a rule has changed, or of what no rule changes any longer. */
export function entriesOf(
  { before, after, rule }: ChangedByRule,
  usernames: ReadonlyMap<number, string>,
): HistoryEntry[] {
  const entry = (kind: HistoryEntry['kind'], from: string | null, to: string | null): HistoryEntry => ({
    vulnerabilityId: after.id,
    kind,
    from,
    to,
    details: after.ruleId === null ? { reverted_rule_id: before.ruleId } : { rule_id: after.ruleId, rule: rule?.name },
  })
  const entries: HistoryEntry[] = []
  if (isDismissedOtherwise(before, after)) {
    const made = entry('state', before.state, after.state)
    const details = { ...made.details, ...describeEnd(after) }
    const comment = after.state === 'dismissed' ? rule?.action.dismiss?.comment : undefined
    entries.push({ ...made, comment, dismissalReason: after.dismissalReason, details })
  }
  if (before.severity !== after.severity) entries.push(entry('severity', before.severity, after.severity))
  if (before.assigneeId !== after.assigneeId) {
    const nameOf = (id: number | null) => (id === null ? null : (usernames.get(id) ?? null))
    entries.push(entry('assignee', nameOf(before.assigneeId), nameOf(after.assigneeId)))
  }
  if (before.dueOn !== after.dueOn && (before.isDueOnOverridden || after.isDueOnOverridden)) {
    entries.push(entry('due_date', before.dueOn, after.dueOn))
  }
  if (!isSame(before.tags, after.tags)) {
    const tagged = entry('tags', before.tags.join(', ') || null, after.tags.join(', ') || null)
    entries.push({ ...tagged, details: { ...tagged.details, ...describeTags(before.tags, after.tags) } })
  }
  return entries
}

function isDismissedOtherwise(before: Vulnerability, after: Vulnerability): boolean {
  if (before.state !== after.state) return true
  return after.state === 'dismissed' && before.dismissedAt !== after.dismissedAt
}
