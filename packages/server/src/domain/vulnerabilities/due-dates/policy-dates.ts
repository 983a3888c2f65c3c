import type { Deps } from '../../deps.ts'
import type { HistoryEntry } from '../triage/history/history-entry.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { dueOnBy, isOpen } from './due-date.ts'
import { findPolicyOfProject } from './due-date-policy-queries.ts'

interface Changed {
  before: Vulnerability
  after: Vulnerability
  entry?: HistoryEntry
}

/**
 * Sets the due dates of changed vulnerabilities by the policy of their project. Dates that users or rules have set stay, and so do
 * those of closed vulnerabilities, unless they were set in this way and no longer are.
 */
export async function withPolicyDates<Change extends Changed>(
  deps: Deps,
  projectId: number,
  changed: readonly Change[],
): Promise<Change[]> {
  if (!changed.some(needsPolicy)) return [...changed]
  const policy = await findPolicyOfProject(deps.db, projectId)
  return changed.map((change) => {
    if (!needsPolicy(change)) return change
    const after = { ...change.after, dueOn: dueOnBy(policy, change.after) }
    const { entry } = change
    return entry?.kind === 'due_date'
      ? { ...change, after, entry: { ...entry, to: after.dueOn } }
      : { ...change, after }
  })
}

function needsPolicy({ before, after }: Changed): boolean {
  if (after.isDueOnOverridden) return false
  // The date that a user or a rule had set is no longer valid.
  if (before.isDueOnOverridden && before.dueOn === after.dueOn) return true
  if (!isOpen(after)) return false
  return (
    !isOpen(before) ||
    before.isDueOnOverridden ||
    before.severity !== after.severity ||
    before.fixAvailableAt !== after.fixAvailableAt ||
    before.dueOn !== after.dueOn
  )
}
