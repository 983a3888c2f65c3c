import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { ListOrder } from '../../findings/list/cursor.ts'
import { type Severity, type State, severityOf, severityRanks } from '../../findings/scales.ts'
import { type VulnerabilityFilter, wantedOnDefaultBranch } from '../list/filter.ts'
import type { FacetSelection } from './facet-selection.ts'

/** Returns the keys of vulnerabilities that have one, by id. */
export async function listFlawKeys(db: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.all<{ id: number; flawKey: number }>(sql`
    select id, flaw_key from vulnerabilities
    where id in ${db.dialect.integers(ids)} and flaw_key is not null order by id`)
  return new Map(rows.map(({ id, flawKey }) => [id, flawKey]))
}

/** Returns those of the vulnerabilities that another one of their flaw precedes in an order, with any of its facets. */
export async function listPreceded(
  db: Db,
  ids: readonly number[],
  order: ListOrder,
  { projectIds, ...facets }: FacetSelection & { projectIds: readonly number[] },
): Promise<number[]> {
  // A subquery with a limit is executed for each row. Without one, PostgreSQL might join all rows of the table.
  const rows = await db.all<{ id: number }>(sql`
    select c.id from vulnerabilities c where c.id in ${db.dialect.integers(ids)} and (
      select 1 from vulnerabilities v ${indexOfMembers(db, projectIds)}
      where v.flaw_key = c.flaw_key and ${inProjects(db, projectIds)} and ${precedes(order)} and ${hasFacets(db, facets)}
      limit 1) = 1
    order by c.id`)
  return rows.map(({ id }) => id)
}

/** Returns the vulnerabilities with each other one of their flaw that precedes them in an order. */
export function listPreceding(
  db: Db,
  ids: readonly number[],
  order: ListOrder,
  projectIds: readonly number[],
): Promise<{ id: number; otherId: number }[]> {
  return db.all(sql`
    select c.id, v.id as other_id from vulnerabilities c cross join vulnerabilities v ${indexOfMembers(db, projectIds)}
    where c.id in ${db.dialect.integers(ids)} and v.flaw_key = c.flaw_key and ${inProjects(db, projectIds)}
      and ${precedes(order)}
    order by c.id, v.id`)
}

/** Condition that the row `v` comes before the row `c`. */
function precedes({ severity, key, id }: ListOrder): Sql {
  const byId = sql`v.id ${raw(id === 'asc' ? '<' : '>')} c.id`
  const column = severity ? 'severity' : key?.sql
  if (column === undefined) return byId
  const [first, second] = [raw(`v.${column}`), raw(`c.${column}`)]
  const before = raw((severity ?? id) === 'asc' ? '<' : '>')
  return sql`(${first} ${before} ${second} or ${first} = ${second} and ${byId})`
}

/** PostgreSQL would join a list of keys with all rows of the project. */
const isOneOf = ({ dialect }: Db, keys: readonly number[]): Sql =>
  sql`v.flaw_key ${dialect.among(dialect.integers(keys))}`

/** A flaw can be in more projects than a scope has, or the other way round. Its members are read by its key alone. */
const inProjects = ({ dialect }: Db, projectIds: readonly number[]): Sql =>
  projectIds.length === 1
    ? sql`v.project_id = ${projectIds[0]}`
    : sql`v.project_id + 0 in ${dialect.integers(projectIds)}`

const indexOfMembers = ({ dialect }: Db, { length }: readonly number[]): Sql =>
  dialect.indexedBy(length === 1 ? 'vulnerabilities_by_flaw' : 'vulnerabilities_of_flaw')

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
): Sql => sql`${isOneOf(db, keys)} and ${inProjects(db, projectIds)} and ${hasFacets(db, facets)}`

/** Returns the vulnerabilities of flaws in some projects. */
export async function listMembers(db: Db, keys: readonly number[], projectIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select v.id from vulnerabilities v
    where ${isOneOf(db, keys)} and ${inProjects(db, projectIds)} order by v.id`)
  return rows.map(({ id }) => id)
}

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
