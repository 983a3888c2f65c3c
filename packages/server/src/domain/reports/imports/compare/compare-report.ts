import { reportRejected } from '../../../../platform/failure.ts'
import type { RootDeps } from '../../../deps.ts'
import type { Scan } from '../../../findings/occurrences/occurrence.ts'
import type { ScanRules } from '../../../vulnerabilities/apply-import/scan-rules.ts'
import { findImplausible, type ScannerTally } from '../../comparison/absence-guard.ts'
import type { Decision } from '../../comparison/decision.ts'
import { type Decisions, observedIds } from '../../comparison/decision-list.ts'
import type { ImportPlace } from '../../comparison/import-place.ts'
import { isUnchanged } from '../../comparison/imported-finding.ts'
import type { ImportReading } from '../../reader/reading.ts'
import { Unreadable } from '../../reader/unreadable.ts'
import { isEmptyOneHeld } from '../held/held-absence-queries.ts'
import { withBatchTransaction } from './batch-transaction.ts'
import { compareCoverage } from './coverage.ts'
import { findMissing } from './find-missing.ts'
import { matchFindings } from './match-findings.ts'
import { type Retained, summariseRetained } from './missing-warnings.ts'
import { readFindings } from './read-findings.ts'
import { openScanners } from './scanners.ts'

/** What a report changes in its project. */
export interface Comparison {
  decisions: Decisions
  /** Number of findings in the report. */
  total: number
  retained: Retained
  /** The scanners and report types that the report covers. */
  scans: readonly Scan[]
  /** Rules that a complete scan evaluated, if the report lists them. */
  rules: ScanRules | undefined
  /** Artifact that the report describes, if it has no category. */
  artifact: string | undefined
  /** Absences that wait for a decision. Their findings are not among the decisions. */
  held: HeldAbsences | undefined
  /** See `ImportOutcome.scannedFiles`. */
  scannedFiles: number | undefined
}

/**
 * Compares a report with the known findings of its project: reads it, matches findings that moved, and finds known
 * findings that are missing. Changes nothing that is visible.
 */
export async function compareReport(
  deps: RootDeps,
  place: ImportPlace,
  report: ImportReading,
  afterSeries: (findings: number) => Promise<void>,
): Promise<Comparison> {
  const scanners = openScanners(deps, place)
  const counted = countBatches(report)
  const read = await readAndClose(report, () =>
    withBatchTransaction(deps, place.projectId, async (transaction) => {
      const { scanner, scanners: others } = report.header
      await scanners.upsert(transaction, scanner ? [scanner, ...others] : others)
      // The first findings may take long.
      await transaction.end()
      return readFindings(deps, place, scanners, {
        batches: counted.batches(),
        afterSeries: () => afterSeries(counted.total()),
        transaction,
      })
    }),
  )
  const outcome = report.outcome()
  const { gaps: uncovered, scannedFiles } = await compareCoverage(deps.db, place, report.header, outcome.scannedFiles)
  const gaps = [...outcome.gaps, ...read.doubtful, ...uncovered]
  const artifact = place.category ? undefined : outcome.artifact
  const placeOfArtifact = { ...place, artifact }
  const matched = await matchFindings(deps, placeOfArtifact, read, { scannerIds: scanners.ids, gaps })
  const all = read.decisions
  for (const decision of matched) all.push(decision)
  const observed = observedIds(all)
  const reportTypes = counted.reportTypes()
  const missing = await findMissing(deps, placeOfArtifact, { scanners, reportTypes, gaps, observed })
  const retained = summariseRetained(missing.decisions, gaps)
  const isWhole = retained.gaps.size === 0 && retained.byArtifact.size === 0
  const { primaryIdentifiers: identifiers } = report.header.scan
  const rules = isWhole && identifiers ? { reportTypes, identifiers } : undefined
  const isFirstEmpty = read.total === 0 && !(await isEmptyOneHeld(deps.db, place, missing.scans))
  const { held, decisions, scans } = holdImplausible(place, missing, isFirstEmpty)
  for (const decision of decisions) all.push(decision)
  return {
    ...{ decisions: all, total: read.total, retained, scans, held, artifact, scannedFiles },
    rules: held ? undefined : rules,
  }
}

export interface HeldAbsences extends ScannerTally {
  hasCategory: boolean
  /** Number of findings of all scanners that would become absent. */
  count: number
  /** These findings, and those that only the report's category would lose. */
  findingIds: readonly number[]
}

type Missing = Awaited<ReturnType<typeof findMissing>>

/** Takes all missing findings out of the decisions if their absences are implausible on the default branch. The scans are incomplete then. */
function holdImplausible(
  { ref, defaultBranch, category, maxAbsentPercent = null }: ImportPlace,
  { decisions, scans, tallies }: Missing,
  isFirstEmpty: boolean,
): Pick<Comparison, 'held' | 'decisions' | 'scans'> {
  const options = { isFirstEmpty, maxAbsentPercent }
  const implausible = ref === defaultBranch ? findImplausible(tallies, options) : undefined
  if (!implausible) return { held: undefined, decisions, scans }
  const isMissing = ({ kind }: Decision) => kind === 'absent' || kind === 'removedFromCategory'
  const count = decisions.filter(({ kind }) => kind === 'absent').length
  return {
    held: {
      ...implausible,
      hasCategory: category !== undefined,
      count,
      findingIds: decisions.filter(isMissing).map(({ findingId }) => findingId),
    },
    decisions: decisions.filter((decision) => !isMissing(decision)),
    scans: scans.map((scan) => ({ ...scan, isComplete: false })),
  }
}

/** Closes the report after the work, also when the work fails. */
async function readAndClose<T>(report: ImportReading, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    report.close()
  }
}

/** Counts the findings and report types of a report while it is read. */
function countBatches(report: ImportReading) {
  const reportTypes = new Set<string>(report.header.reportTypes)
  let total = 0
  return {
    total: () => total,
    reportTypes: () => [...reportTypes],
    async *batches() {
      for await (const batch of readable(report.batches())) {
        for (const entry of batch) if (!isUnchanged(entry)) reportTypes.add(entry.reportType)
        total += batch.length
        yield batch
      }
    },
  }
}

/** Rejects the report when a later part of it cannot be read. */
async function* readable<Batch>(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  try {
    yield* batches
  } catch (error) {
    throw error instanceof Unreadable ? reportRejected([error.problem]) : error
  }
}
