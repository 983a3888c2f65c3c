import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { shownSeverity, shownStateOn } from '../finding-sql.ts'
import { reportTypes, type Severity, severityOf, severityRanks } from '../scales.ts'
import { isCovered } from './covered-sql.ts'
import {
  type ComparedFinding,
  type ComparedRefs,
  type FindingStanding,
  maxComparedSamples,
  type PendingChanges,
} from './ref-comparison.ts'

type PendingScans = PendingChanges['scans']

/** A computed boolean is a number on SQLite. */
type Computed = boolean | number

interface StandingRow {
  severity: number
  isDismissed: Computed
  isOnTarget: Computed
  total: number
}

/** Counts the findings that are present on the ref, by everything that decides how they are counted. */
export async function countOnRef(
  db: Db,
  { projectId, ref, targetRef }: ComparedRefs,
): Promise<(FindingStanding & { total: number })[]> {
  const isOnTarget =
    ref === targetRef ? sql`1` : sql`case when ${isPresent(sql`o.finding_id`, targetRef)} then 1 else 0 end`
  // Grouped in the order of an index, because a ref may have a million findings.
  const rows = await db.all<{ state: string; severity: number; total: number; onTarget: number }>(sql`
    select o.state, o.severity, count(*) as total, sum(${isOnTarget}) as on_target
    from occurrences o where o.project_id = ${projectId} and o.ref = ${ref} and o.is_present = true
    group by o.state, o.severity`)
  return rows.flatMap(({ state, severity, total, onTarget }) => {
    const standingOf = (isOnTarget: boolean) => ({
      ...standingFrom({ severity, isDismissed: state === 'dismissed', isOnTarget }),
      isOnRef: true,
      isCovered: true,
    })
    return [
      { ...standingOf(true), total: onTarget },
      { ...standingOf(false), total: total - onTarget },
    ]
  })
}

/** Scanner and report type of a complete scan. */
interface CoveringScanner {
  scannerId: number
  reportType: string
}

/** Returns the scanners and report types that have a complete scan of the ref. */
export function listCoveringScanners(
  { all, dialect }: Db,
  { projectId, ref }: ComparedRefs,
): Promise<CoveringScanner[]> {
  return all(sql`
    select distinct s.scanner_id, s.report_type
    from scanners n join scans s on s.scanner_id = n.id and s.report_type in ${dialect.texts(reportTypes)}
    where n.project_id = ${projectId} and s.ref = ${ref} and s.is_complete = true
    order by s.scanner_id, s.report_type`)
}

/** Returns whether more findings than `max` are present on a ref. */
export async function hasMoreOnRef(
  db: Db,
  { projectId, ref }: Omit<ComparedRefs, 'targetRef'>,
  max: number,
): Promise<boolean> {
  const row = await db.one(sql`
    select 1 as found from occurrences where project_id = ${projectId} and ref = ${ref} and is_present = true
    limit 1 offset ${max}`)
  return row !== undefined
}

/** Returns ids of findings of a scanner on any ref, at most `limit`. */
export async function listOfScannerAndType(
  db: Db,
  { scannerId, reportType }: CoveringScanner,
  limit: number,
): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from findings where scanner_id = ${scannerId} and report_type = ${reportType} limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Ids of the findings that may be only on the target; `undefined` for all findings of the target. */
export type Candidates = readonly number[] | undefined

/** Counts the findings that the target has and the ref does not, and that a complete scan of the ref covers. */
export async function countOnlyOnTarget(
  db: Db,
  refs: ComparedRefs,
  pendingScans: PendingScans,
  candidates: Candidates,
): Promise<(FindingStanding & { total: number })[]> {
  const rows = await db.all<Omit<StandingRow, 'isOnTarget'>>(sql`
    select o.severity, o.state = 'dismissed' as is_dismissed, count(*) as total
    from occurrences o where ${isOnlyOnTarget(db, refs, pendingScans, candidates)}
    group by o.severity, o.state = 'dismissed'`)
  return rows.map(({ total, ...row }) => ({
    ...standingFrom({ ...row, isOnTarget: true }),
    isOnRef: false,
    isCovered: true,
    total,
  }))
}

const standingFrom = ({ severity, isDismissed, isOnTarget }: Omit<StandingRow, 'total'>) => ({
  severity: severityOf(severity),
  isDismissed: Boolean(isDismissed),
  isOnTarget: Boolean(isOnTarget),
})

interface SampleQuery {
  /** Severities of which any finding is counted. */
  severities: readonly Severity[]
  /** Ids of findings to leave out. */
  except: readonly number[]
}

/** Returns the ids of the most severe findings that are new on the ref. */
export function listNewOnRef(db: Db, refs: ComparedRefs, query: SampleQuery): Promise<{ id: number }[]> {
  const { projectId, ref, targetRef } = refs
  return listMostSevere(
    db,
    sql`o.project_id = ${projectId} and o.ref = ${ref} and o.is_present = true
      and not ${isPresent(sql`o.finding_id`, targetRef)}`,
    query,
  )
}

/** Returns the ids of the most severe findings that are fixed on the ref. */
export function listFixedOnRef(
  db: Db,
  refs: ComparedRefs,
  pendingScans: PendingScans,
  query: SampleQuery & { candidates: Candidates },
): Promise<{ id: number }[]> {
  return listMostSevere(db, isOnlyOnTarget(db, refs, pendingScans, query.candidates), query)
}

function listMostSevere({ all, dialect }: Db, condition: Sql, { severities, except }: SampleQuery) {
  const ranks = severities.map((severity) => severityRanks[severity])
  const isLeft = except.length > 0 ? sql`and o.finding_id not in ${dialect.integers(except)}` : empty
  return all<{ id: number }>(sql`
    select o.finding_id as id from occurrences o
    where ${condition} and o.state <> 'dismissed' and o.severity in ${dialect.integers(ranks)} ${isLeft}
    order by o.severity desc, o.finding_id limit ${maxComparedSamples}`)
}

/** Returns stored findings with their severity in lists. */
export async function listCompared(db: Db, ids: readonly number[]): Promise<(ComparedFinding & { id: number })[]> {
  const rows = await db.all<Omit<ComparedFinding, 'id' | 'severity'> & { id: number; severity: number }>(sql`
    select f.id, f.uuid, f.name, ${shownSeverity} as severity, f.report_type, f.location, f.vulnerability_id
    from findings f where f.id in ${db.dialect.integers(ids)}`)
  return rows.map((row) => ({ ...row, severity: severityOf(row.severity) }))
}

/** Returns how findings stand before an import, which may be absent from the ref. */
export async function listStandings(
  db: Db,
  { ref, targetRef }: ComparedRefs,
  pendingScans: PendingScans,
  ids: readonly number[],
): Promise<(FindingStanding & { id: number; isSeverityOverridden: boolean })[]> {
  const rows = await db.all<
    Omit<StandingRow, 'total'> & { id: number; isOverridden: Computed; isOnRef: Computed; isCovered: Computed }
  >(sql`
    select f.id, ${shownSeverity} as severity, ${shownStateOn(sql`${ref}`)} = 'dismissed' as is_dismissed,
      exists (select 1 from vulnerabilities v where v.id = f.vulnerability_id and v.is_severity_overridden = true)
        as is_overridden,
      ${isPresent(sql`f.id`, ref)} as is_on_ref, ${isPresent(sql`f.id`, targetRef)} as is_on_target,
      exists (
        select 1 from occurrences o where o.finding_id = f.id and o.ref = ${targetRef} and o.is_present = true
          and ${isCovered(db, ref, pendingScans)}) as is_covered
    from findings f where f.id in ${db.dialect.integers(ids)}`)
  return rows.map((row) => ({
    ...standingFrom(row),
    id: row.id,
    isSeverityOverridden: Boolean(row.isOverridden),
    isOnRef: Boolean(row.isOnRef),
    isCovered: Boolean(row.isCovered),
  }))
}

const isPresent = (findingId: Sql, ref: string): Sql =>
  sql`exists (select 1 from occurrences p where p.finding_id = ${findingId} and p.ref = ${ref} and p.is_present = true)`

/** Condition on the occurrences `o` of the target: the finding is absent from the ref and covered by a scan. */
const isOnlyOnTarget = (
  db: Db,
  { projectId, ref, targetRef }: ComparedRefs,
  pendingScans: PendingScans,
  candidates: Candidates,
): Sql => sql`
  ${candidates ? sql`o.finding_id ${db.dialect.among(db.dialect.integers(candidates))}` : sql`o.project_id = ${projectId}`}
  and o.ref = ${targetRef} and o.is_present = true and not ${isPresent(sql`o.finding_id`, ref)}
  and exists (
    select 1 from findings f ${db.dialect.indexedBy('findings_filter_columns')}
    where f.id = o.finding_id and ${isCovered(db, ref, pendingScans)})`
