import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { type Severity, severities } from '../../findings/scales.ts'
import type { DueDateOwner } from '../../projects/queue-due-dates.ts'
import { dueOnBy } from './due-date.ts'
import { findInheritedPolicy } from './due-date-policies.ts'
import type { DueDateRule } from './due-date-policy.ts'
import { type DateGroup, groupByDates, listOpenRanges } from './due-date-queries.ts'
import { governedProjects } from './governed-projects.ts'

/** Numbers of open vulnerabilities. */
interface PreviewCounts {
  open: number
  /** Those that would have another due date. */
  changed: number
  /** Those whose due date a user has set, so that it stays. */
  overridden: number
  overdueBefore: number
  overdueAfter: number
}

export interface PolicyPreview {
  /** Number of projects to which the policy would apply. */
  projects: number
  counts: Record<Severity, PreviewCounts>
}

const rowsPerStatement = 20_000

/** Computes what a policy would change, or its removal without a rule. Nothing is stored. */
export async function previewPolicy(deps: Deps, owner: DueDateOwner, rule?: DueDateRule): Promise<PolicyPreview> {
  const applied = rule ?? (await findInheritedPolicy(deps, owner))
  const projectIds = await governedProjects(deps, owner)
  const counts = emptyCounts()
  const today = deps.now().slice(0, 10)
  for (const range of await listOpenRanges(deps.db, projectIds)) {
    const countedFrom = applied?.countedFrom ?? 'detection'
    for (let belowId: number | null = Number.MAX_SAFE_INTEGER; belowId !== null; ) {
      const found: Awaited<ReturnType<typeof groupByDates>> = await groupByDates(deps.db, range, countedFrom, {
        belowId,
        limit: rowsPerStatement,
      })
      for (const group of found.groups) {
        addGroup(counts[range.severity], group, { after: dateAfter(applied, range.severity, group), today })
      }
      belowId = found.last
      await setImmediate()
    }
  }
  return { projects: projectIds.length, counts }
}

function dateAfter(rule: DueDateRule | undefined, severity: Severity, { start, dueOn, isOverridden }: DateGroup) {
  if (isOverridden) return dueOn
  return start === null ? null : dueOnBy(rule, { severity, createdAt: start, fixAvailableAt: start })
}

function addGroup(
  counts: PreviewCounts,
  { dueOn, isOverridden, total }: DateGroup,
  { after, today }: { after: string | null; today: string },
): void {
  counts.open += total
  if (isOverridden) counts.overridden += total
  if (dueOn !== after) counts.changed += total
  if (dueOn !== null && dueOn < today) counts.overdueBefore += total
  if (after !== null && after < today) counts.overdueAfter += total
}

function emptyCounts(): Record<Severity, PreviewCounts> {
  const none = () => ({ open: 0, changed: 0, overridden: 0, overdueBefore: 0, overdueAfter: 0 })
  return Object.fromEntries(severities.map((severity) => [severity, none()])) as Record<Severity, PreviewCounts> // of all of them
}
