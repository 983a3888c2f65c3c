import type { FindingSummary } from '../finding.ts'
import { type Severity, severities, severityRanks } from '../scales.ts'

/** A ref of a project and the ref that it is compared with. */
export interface ComparedRefs {
  projectId: number
  ref: string
  /** Equal to `ref` for the target itself. */
  targetRef: string
}

interface ComparisonCounts {
  /** Present on the ref and absent from the target. */
  new: number
  /** Present on the target, absent from the ref, and covered by a complete scan of the ref. */
  fixed: number
  /** Present on both. */
  known: number
}

/** The findings of a ref compared with those of its target. Dismissed findings are only counted. */
export interface RefComparison extends ComparisonCounts {
  /** Null if the ref is the target itself. */
  targetRef: string | null
  dismissed: number
  bySeverity: Record<Severity, ComparisonCounts>
  samples: { new: readonly ComparedFinding[]; fixed: readonly ComparedFinding[] }
}

export interface ComparedFinding extends FindingSummary {
  /** Absent for a finding that a dry run does not store. */
  id: number | undefined
  vulnerabilityId: number | null
}

/** What decides how a finding is counted. */
export interface FindingStanding {
  severity: Severity
  isDismissed: boolean
  isOnRef: boolean
  isOnTarget: boolean
  /** Whether a complete scan of the ref covers the finding as the target has it. */
  isCovered: boolean
}

type Verdict = keyof ComparisonCounts | 'dismissed'

/** Returns how a finding is counted; `undefined` if it is not. */
export function judge({ isDismissed, isOnRef, isOnTarget, isCovered }: FindingStanding): Verdict | undefined {
  if (!isOnRef && !(isOnTarget && isCovered)) return undefined
  if (isDismissed) return 'dismissed'
  if (!isOnRef) return 'fixed'
  return isOnTarget ? 'known' : 'new'
}

type Counts = Pick<RefComparison, 'new' | 'fixed' | 'known' | 'dismissed' | 'bySeverity'>

/** Returns counts to which findings can be added. */
export function startCounts(): { counts: Counts; add: (standing: FindingStanding, amount: number) => void } {
  const counts: Counts = { ...noCounts(), dismissed: 0, bySeverity: forEachSeverity(noCounts) }
  return {
    counts,
    add(standing, amount) {
      const verdict = judge(standing)
      if (!verdict) return
      counts[verdict] += amount
      if (verdict !== 'dismissed') counts.bySeverity[standing.severity][verdict] += amount
    },
  }
}

const noCounts = (): ComparisonCounts => ({ new: 0, fixed: 0, known: 0 })

const forEachSeverity = <Value>(create: () => Value): Record<Severity, Value> =>
  // `fromEntries` loses the names of the keys.
  Object.fromEntries(severities.map((severity) => [severity, create()])) as Record<Severity, Value>

export const maxComparedSamples = 20

/** Returns the most severe findings, those of one severity by id; findings without an id come last. */
export const mostSevere = (findings: readonly ComparedFinding[]): ComparedFinding[] =>
  findings
    .toSorted(
      (a, b) =>
        severityRanks[b.severity] - severityRanks[a.severity] ||
        (a.id ?? Number.MAX_SAFE_INTEGER) - (b.id ?? Number.MAX_SAFE_INTEGER),
    )
    .slice(0, maxComparedSamples)

/** What an import would change on its ref. A dry run compares the refs as they would be after it. */
export interface PendingChanges {
  /** Known findings that would be present, with what would change: the reported severity, and whether they are dismissed. */
  present: readonly { findingId: number; severity: Severity | undefined; isDismissed: boolean | undefined }[]
  /** Ids of findings that would be absent. */
  absent: readonly number[]
  /** Findings that would be stored. The first `maxComparedSamples` of each severity have a summary. */
  new: readonly { severity: Severity; summary: FindingSummary | undefined; isDismissed: boolean }[]
  /** Complete scans that would cover findings of the ref; 0 stands for a scan without a category. */
  scans: readonly { scannerId: number; reportType: string; categoryId: number }[]
}
