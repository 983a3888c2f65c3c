import sql from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import { type Severity, type State, severityRanks } from '../../../findings/scales.ts'

/** A combination of facets. Vulnerabilities with the same combination are counted together. */
export interface Facets {
  isOnDefaultBranch: boolean
  severity: Severity
  state: State
  reportType: string
  scannerId: number
  isResolvedOnDefaultBranch: boolean
  dismissalReason: string | null
}

export interface CountChange extends Facets {
  /** Difference of the number of vulnerabilities. */
  total: number
  /** Difference of the total time from detection to resolution, in seconds. */
  seconds: number
}

/** Returns the count change of a new vulnerability. */
export function newlyDetected(
  of: Pick<Facets, 'isOnDefaultBranch' | 'severity' | 'reportType' | 'scannerId'>,
): CountChange {
  const { isOnDefaultBranch, severity, reportType, scannerId } = of
  return {
    isOnDefaultBranch,
    severity,
    state: 'detected',
    reportType,
    scannerId,
    isResolvedOnDefaultBranch: false,
    dismissalReason: null,
    total: 1,
    seconds: 0,
  }
}

const changeColumns = {
  isOnDefaultBranch: 'boolean',
  severity: 'integer',
  state: 'text',
  reportType: 'text',
  scannerId: 'integer',
  isResolvedOnDefaultBranch: 'boolean',
  dismissalReason: 'text',
  total: 'integer',
  seconds: 'integer',
} as const

/**
 * Adds changes to the facet counts and to the active vulnerabilities of the day. Rows are locked in a fixed order, so
 * that concurrent imports cannot deadlock. Every change of vulnerabilities must be passed here, as `countChanges`
 * returns it.
 */
export async function addToFacetCounts(
  db: Db,
  projectId: number,
  changes: readonly CountChange[],
  now: string,
): Promise<void> {
  const rows = netChanges(changes).map((change) => ({
    isOnDefaultBranch: change.isOnDefaultBranch,
    severity: severityRanks[change.severity],
    state: change.state,
    reportType: change.reportType,
    scannerId: change.scannerId,
    isResolvedOnDefaultBranch: change.isResolvedOnDefaultBranch,
    dismissalReason: change.dismissalReason ?? '',
    total: change.total,
    seconds: change.seconds,
  }))
  if (rows.length === 0) return
  const key = sql`is_on_default_branch, severity, state, report_type, scanner_id, is_resolved_on_default_branch,
    dismissal_reason`
  await db.run(sql`
    insert into vulnerability_counts (project_id, ${key}, total, seconds)
    select ${projectId}, ${key}, total, seconds from ${db.dialect.records(rows, changeColumns)} as r where true
    order by ${key}
    on conflict (project_id, ${key}) do update
    set total = vulnerability_counts.total + excluded.total, seconds = vulnerability_counts.seconds + excluded.seconds`)
  const growth = dailyGrowth(rows)
  if (growth.length === 0) return
  await db.run(sql`
    insert into vulnerability_days (project_id, day, severity, growth)
    select ${projectId}, ${now.slice(0, 10)}, r.severity, r.growth
    from ${db.dialect.records(growth, { severity: 'integer', growth: 'integer' })} as r where true order by r.severity
    on conflict (project_id, day, severity) do update set growth = vulnerability_days.growth + excluded.growth`)
}

/** Returns the change of the number of active vulnerabilities on the default branch, by severity. */
function dailyGrowth(
  changes: readonly { isOnDefaultBranch: boolean; severity: number; state: State; total: number }[],
): { severity: number; growth: number }[] {
  const growth = new Map<number, number>()
  for (const { isOnDefaultBranch, severity, state, total } of changes) {
    const isActive = isOnDefaultBranch && (state === 'detected' || state === 'confirmed')
    if (isActive) growth.set(severity, (growth.get(severity) ?? 0) + total)
  }
  return [...growth].flatMap(([severity, growth]) => (growth === 0 ? [] : { severity, growth }))
}

/** Sums up the changes of each facet combination and drops those that cancel out. */
function netChanges(changes: readonly CountChange[]): CountChange[] {
  const byFacets = new Map<string, CountChange>()
  for (const change of changes) {
    const { isOnDefaultBranch, severity, state, reportType, scannerId } = change
    const { isResolvedOnDefaultBranch, dismissalReason } = change
    const key = [severity, state, reportType, scannerId, dismissalReason, isResolvedOnDefaultBranch, isOnDefaultBranch]
    const { total, seconds } = byFacets.get(key.join(' ')) ?? { total: 0, seconds: 0 }
    byFacets.set(key.join(' '), { ...change, total: total + change.total, seconds: seconds + change.seconds })
  }
  return [...byFacets.values()].filter(({ total, seconds }) => total !== 0 || seconds !== 0)
}
