import type { Deps } from '../../deps.ts'
import type { PendingChanges, RefComparison } from '../../findings/ref-comparison/ref-comparison.ts'
import { compareRefs } from '../../findings/ref-comparison/ref-comparisons.ts'
import type { Severity } from '../../findings/scales.ts'
import type { Project } from '../../projects/project.ts'
import type { SuppressionForecast } from '../../vulnerabilities/suppressions/forecast-suppressions.ts'
import type { Decision } from '../comparison/decision.ts'
import { suppressionOf } from '../comparison/grouped-decisions.ts'
import type { ImportPlace } from '../comparison/import-place.ts'
import type { Comparison } from './compare/compare-report.ts'
import type { Import } from './import.ts'

/** An import with the comparison of its ref and the target ref. */
export interface ComparedImport extends Import {
  /** Absent until the results are visible. */
  against: RefComparison | undefined
}

/** Compares the ref of an import with the target ref, by default that of its request, as they are stored. */
export async function withComparison(
  deps: Deps,
  project: Project,
  done: Import,
  targetRef?: string,
): Promise<ComparedImport> {
  const isVisible = done.shownAt !== null
  const target = targetRef ?? done.targetRef ?? project.defaultBranch
  const refs = { projectId: project.id, ref: done.ref, targetRef: target }
  return { ...done, against: isVisible ? await compareRefs(deps, refs) : undefined }
}

interface Forecast extends SuppressionForecast {
  /** Pointers of suppressed entries that repeat another one that is not suppressed. */
  unsuppressed: ReadonlySet<string>
}

/** Returns what a compared report would change on its ref. */
export function pendingChanges(
  { category }: ImportPlace,
  { decisions, scans }: Comparison,
  forecast?: Forecast,
): PendingChanges {
  const categoryId = category ? category.id : 0
  const present: PendingChanges['present'][number][] = []
  const absent: number[] = []
  const added: PendingChanges['new'][number][] = []
  for (const one of decisions) {
    present.push(...presentAfter(one, forecast))
    if (one.kind === 'absent') absent.push(one.findingId)
    if (one.kind !== 'new') continue
    const { severity, summary } = one
    added.push({ severity, summary, isDismissed: wouldDismiss(one, severity, forecast) })
  }
  return {
    ...{ present, absent, new: added },
    // No finding is in a category that does not exist yet.
    scans:
      categoryId === undefined
        ? []
        : scans.flatMap(({ isComplete, ...scan }) => (isComplete ? { ...scan, categoryId } : [])),
  }
}

function presentAfter(decision: Decision, forecast: Forecast | undefined): PendingChanges['present'] {
  if (decision.kind !== 'observed' && decision.kind !== 'moved') return []
  const { findingId, presence, vulnerabilityId } = decision
  const severity = decision.kind === 'moved' ? movedSeverity(decision) : decision.content?.severity
  // A severity that is unknown here counts as the highest, of which a dismissal needs approval first.
  const isUnattached = vulnerabilityId === null && wouldDismiss(decision, severity ?? 'critical', forecast)
  const isDismissed = isUnattached || forecast?.dismissals.get(findingId)
  const isPresent = presence === 'unchanged' || presence === 'newInCategory'
  return isPresent && severity === undefined && isDismissed === undefined ? [] : [{ findingId, severity, isDismissed }]
}

/** Returns true if a finding would be dismissed at its promotion. */
function wouldDismiss(
  decision: Parameters<typeof suppressionOf>[0],
  severity: Severity,
  forecast: Forecast | undefined,
): boolean {
  const suppression = suppressionOf(decision)
  if (!suppression || !forecast || forecast.unsuppressed.has(suppression.pointer)) return false
  return forecast.dismissesNew(suppression, severity)
}

const movedSeverity = ({ updatesContent, reported }: Extract<Decision, { kind: 'moved' }>) =>
  updatesContent ? reported.severity : undefined
