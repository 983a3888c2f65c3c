import type { Deps } from '../../deps.ts'
import type { Scan } from '../../findings/occurrences/occurrence.ts'
import { currentRights } from '../../projects/current-rights.ts'
import type { Project } from '../../projects/project.ts'
import {
  compareSuppressions,
  type ReportedSuppressions,
  type SuppressionCounts,
} from '../../vulnerabilities/suppressions/apply-suppressions.ts'
import {
  forecastSuppressions,
  type SuppressionForecast,
} from '../../vulnerabilities/suppressions/forecast-suppressions.ts'
import type { GroupedDecisions } from '../comparison/grouped-decisions.ts'
import type { Outcome } from '../reader/read-entries.ts'
import type { ImportOutcome } from './import.ts'
import type { LockedImport } from './import-queries.ts'
import { type QueuedImport, refuseSuppressions } from './import-rights.ts'

type Sender = Pick<QueuedImport, 'userId' | 'asAdmin' | 'ref'> & { hasTriageScope: boolean }

/** Returns why the suppressions of a report that is not queued have no effect, or undefined if they have. */
export async function refuseSender(
  deps: Deps,
  project: Project,
  { hasTriageScope, ref, ...requester }: Sender,
): Promise<string | undefined> {
  const isPermitted = hasTriageScope ? await currentRights(deps, project, requester) : () => false
  return refuseSuppressions(project, ref, isPermitted('vulnerability.bulk'))
}

interface StatedSuppressions extends ReportedSuppressions {
  reported: GroupedDecisions['suppressed']
}

/** Returns what a report states about suppressions. */
export function suppressionsOf(
  { suppressed, observed }: GroupedDecisions,
  { unsuppressed }: Pick<Outcome, 'unsuppressed'>,
  scans: readonly Scan[],
): StatedSuppressions {
  const plain = new Set(unsuppressed)
  return {
    reported: suppressed.filter(({ pointer }) => !plain.has(pointer)),
    observed,
    scannerIds: [...new Set(scans.map(({ scannerId }) => scannerId))],
  }
}

/** Returns the suppressions to commit, or undefined if there is nothing to do, which costs no statement. */
export function suppressionsToCommit(
  { defaultBranch }: Project,
  stated: ReportedSuppressions,
  { ref, hasSuppressions, refusal }: Pick<LockedImport, 'ref' | 'hasSuppressions'> & { refusal: string | undefined },
): ReportedSuppressions | undefined {
  // A sender without the right may still report that something is not suppressed any longer.
  const reported = refusal === undefined ? stated.reported : []
  const isNeeded = ref === defaultBranch && (hasSuppressions || reported.length > 0)
  return isNeeded ? { ...stated, reported } : undefined
}

/** Returns the counts of what the suppressions of a report would change, and which findings they would dismiss. */
export async function dryRunSuppressions(
  deps: Deps,
  project: Project,
  stated: StatedSuppressions,
  { ref, promotes }: { ref: string; promotes: boolean },
): Promise<{ outcome: Pick<ImportOutcome, 'suppressions'>; forecast: SuppressionForecast | undefined }> {
  if (ref !== project.defaultBranch) return { outcome: {}, forecast: undefined }
  const { counts } = await compareSuppressions(deps, project, stated)
  const forecast = await forecastSuppressions(deps, project, stated, { promotes })
  return { outcome: withCounts(counts), forecast }
}

/** Returns the counts for the outcome; none if the report has nothing to do with suppressions. */
export const withCounts = (counts: SuppressionCounts): Pick<ImportOutcome, 'suppressions'> =>
  counts.reported + counts.changed + counts.ended === 0 ? {} : { suppressions: counts }

/** Returns a warning that suppressed entries were skipped. */
export function skippedWarnings(skipped: number, refusal: string | undefined): ImportOutcome['warnings'] {
  if (skipped === 0 || refusal === undefined) return []
  const entries = skipped === 1 ? '1 suppressed entry was' : `${skipped} suppressed entries were`
  return [{ type: 'SuppressionsIgnored', message: `${refusal} ${entries} skipped.`, pointer: '' }]
}
