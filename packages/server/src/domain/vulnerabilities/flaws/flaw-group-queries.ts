import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { type Severity, type State, severityOf, severityRanks } from '../../findings/scales.ts'
import { type VulnerabilityFilter, wantedOnDefaultBranch } from '../list/filter.ts'

/** Vulnerabilities of one flaw, with their number, highest severity and highest priority. */
export interface MemberGroup {
  flawKey: number
  severity: number
  priority: number
  total: number
}

/** Facets of a filter, and the scanners that it selects. */
export interface FacetSelection {
  filter: VulnerabilityFilter
  scannerIds: readonly number[]
}

/** Returns the flaws of a project whose keys are in a range. */
export function listGroups(
  db: Db,
  projectId: number,
  facets: FacetSelection,
  { from, to }: { from: number; to: number },
): Promise<MemberGroup[]> {
  return db.all(sql`
    select flaw_key, max(severity) as severity, max(priority) as priority, cast(count(*) as bigint) as total
    from vulnerabilities v ${db.dialect.indexedBy('vulnerabilities_by_flaw')}
    where project_id = ${projectId} and flaw_key >= ${from} and flaw_key < ${to} and ${hasFacets(db, facets)}
    group by flaw_key order by flaw_key`)
}

/** Returns the keys and ranks of vulnerabilities that have a key. */
export function listMembersById(db: Db, ids: readonly number[]): Promise<Omit<MemberGroup, 'total'>[]> {
  return db.all(sql`
    select flaw_key, severity, priority from vulnerabilities
    where id in ${db.dialect.integers(ids)} and flaw_key is not null order by id`)
}

/** Condition on the table `vulnerabilities`, aliased `v`. */
function hasFacets({ dialect }: Db, { filter, scannerIds }: FacetSelection): Sql {
  const { severities, reportTypes, scanners, isResolvedOnDefaultBranch: isResolved } = filter
  const isOnDefault = wantedOnDefaultBranch(filter)
  const conditions = [
    ...(isOnDefault === undefined ? [] : [sql`v.is_on_default_branch = ${isOnDefault}`]),
    ...(severities ? [sql`v.severity in ${dialect.integers(severities.map((one) => severityRanks[one]))}`] : []),
    ...(reportTypes ? [sql`v.report_type in ${dialect.texts(reportTypes)}`] : []),
    ...(scanners ? [sql`v.scanner_id in ${dialect.integers(scannerIds)}`] : []),
    ...(isResolved === undefined ? [] : [sql`v.is_resolved_on_default_branch = ${isResolved}`]),
    ...hasState(dialect, filter),
  ]
  return conditions.length > 0 ? join(conditions, ' and ') : sql`1 = 1`
}

function hasState(dialect: Db['dialect'], { states, dismissalReasons }: VulnerabilityFilter): Sql[] {
  const inStates = states ? sql`v.state in ${dialect.texts(states)}` : undefined
  if (!dismissalReasons) return inStates ? [inStates] : []
  const forReason = sql`v.state = 'dismissed' and coalesce(v.dismissal_reason, '') in ${dialect.texts(dismissalReasons)}`
  return [sql`(${forReason} ${inStates ? sql`or ${inStates}` : empty})`]
}

/** Members of a flaw in one project that have one state, severity and scanner. */
export interface MemberCount {
  flawKey: number
  projectId: number
  state: State
  severity: Severity
  scannerId: number
  total: number
  priority: number
  firstId: number
}

/** Counts members, given by a condition on the table `vulnerabilities`, aliased `v`. */
export async function countMembers(db: Db, condition: Sql): Promise<MemberCount[]> {
  const rows = await db.all<Omit<MemberCount, 'severity'> & { severity: number }>(sql`
    select v.flaw_key, v.project_id, v.state, v.severity, v.scanner_id, cast(count(*) as bigint) as total,
      max(v.priority) as priority, min(v.id) as first_id
    from vulnerabilities v where ${condition}
    group by v.flaw_key, v.project_id, v.state, v.severity, v.scanner_id
    order by v.flaw_key, v.severity desc, min(v.id)`)
  return rows.map((row) => ({ ...row, severity: severityOf(row.severity) }))
}

/** Condition on members of flaws in some projects. */
export const ofFlaws = (
  db: Db,
  keys: readonly number[],
  { projectIds, ...facets }: FacetSelection & { projectIds: readonly number[] },
): Sql => sql`v.flaw_key in ${db.dialect.integers(keys)} and v.project_id in ${db.dialect.integers(projectIds)}
  and ${hasFacets(db, facets)}`

/** Condition on members of flaws, given by their ids. */
export const withIds = (db: Db, ids: readonly number[]): Sql =>
  sql`v.id in ${db.dialect.integers(ids)} and v.flaw_key is not null`

export interface Scanner {
  id: number
  externalId: string
  name: string
}

export function listScannerNames(db: Db, ids: readonly number[]): Promise<Scanner[]> {
  return db.all(sql`
    select id, external_id, name from scanners where id in ${db.dialect.integers(ids)} order by external_id, id`)
}

/** A member that stands for its flaw or scanner. */
export interface SampleMember {
  id: number
  title: string
  createdAt: string
}

export function listSamples(db: Db, ids: readonly number[]): Promise<SampleMember[]> {
  return db.all(sql`
    select id, title, created_at from vulnerabilities where id in ${db.dialect.integers(ids)} order by id`)
}
