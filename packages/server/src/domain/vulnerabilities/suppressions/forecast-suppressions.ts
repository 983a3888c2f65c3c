import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import type { Severity } from '../../findings/scales.ts'
import type { Project } from '../../projects/project.ts'
import { isCovered } from '../approval/approval-rule.ts'
import { findEffectiveRule } from '../approval/approval-rules.ts'
import { listWithFindings } from '../list/list-queries.ts'
import {
  compareSuppressions,
  listDecided,
  type ReportedSuppressions,
  type SuppressionChange,
  suppressedBy,
} from './apply-suppressions.ts'
import type { StoredSuppression, Suppression } from './suppression.ts'

/** What a report states, with the vulnerabilities of known findings. */
interface ForecastReport extends ReportedSuppressions {
  reported: readonly (Suppression & { findingId: number; vulnerabilityId: number | null })[]
}

/** What the suppressions of a report that is not imported would do. */
export interface SuppressionForecast {
  /** Known findings whose vulnerability would be dismissed or reverted. */
  dismissals: ReadonlyMap<number, boolean>
  /** Returns whether a finding of this severity would be dismissed at its promotion. */
  dismissesNew(suppression: Suppression, severity: Severity): boolean
}

/** Computes which findings a report would dismiss by its suppressions, with the rules of an import. */
export async function forecastSuppressions(
  deps: Deps,
  project: Project,
  report: ForecastReport,
  { promotes }: { promotes: boolean },
): Promise<SuppressionForecast> {
  const now = deps.now()
  const approval = await findEffectiveRule(deps, project.id)
  const needsApproval = (severity: Severity) => approval !== undefined && isCovered(approval, severity)
  const dismissals = new Map<number, boolean>()
  await forEachBatch(await changesOf(deps, project, report), async (batch) => {
    const byId = new Map(batch.map((change) => [vulnerabilityOf(change), change]))
    const ids = [...byId.keys()].filter((id) => id !== null)
    const decided = await listDecided(deps, ids)
    for (const { vulnerability, finding } of await listWithFindings(deps.db, ids)) {
      const change = byId.get(vulnerability.id)
      if (!change) continue
      const context = {
        now,
        isDecided: decided.has(vulnerability.id),
        needsApproval: needsApproval(vulnerability.severity) || needsApproval(finding.severity),
      }
      const after = suppressedBy(vulnerability, change, context)
      if (after) dismissals.set(finding.id, after.state === 'dismissed')
    }
  })
  return {
    dismissals,
    dismissesNew: ({ until }, severity) =>
      promotes && !needsApproval(severity) && (until === null || until > now.slice(0, 10)),
  }
}

/** Returns what the report changes about vulnerabilities. */
async function changesOf(deps: Deps, project: Project, report: ForecastReport): Promise<SuppressionChange[]> {
  const { former, ended } = await compareSuppressions(deps, project, report)
  const stated = report.reported.flatMap((one): SuppressionChange[] => {
    if (one.vulnerabilityId === null) return []
    const before = former.get(one.findingId)
    const stored = { scannerId: 0, scannerName: '', isApplied: false, state: null } // which decide nothing
    return [{ before, next: { ...stored, ...one } satisfies StoredSuppression }]
  })
  return [...stated, ...ended.map((before): SuppressionChange => ({ before, next: undefined }))]
}

const vulnerabilityOf = ({ before, next }: SuppressionChange): number | null =>
  (next ?? before)?.vulnerabilityId ?? null
