import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { type Severity, severityOf } from '../scales.ts'

/** Two refs of a project. `smaller` is the one with fewer findings, if one of them has few. */
export interface RefPair {
  projectId: number
  smaller: string
  larger: string
}

const maxSmaller = 10_000

/** Returns the two refs as a pair. */
export async function orderRefs(db: Db, projectId: number, [one, other]: [string, string]): Promise<RefPair> {
  const row = await db.one(sql`
    select 1 as found from occurrences where project_id = ${projectId} and ref = ${one} and is_present = true
    limit 1 offset ${maxSmaller}`)
  return row ? { projectId, smaller: other, larger: one } : { projectId, smaller: one, larger: other }
}

/** Number of findings with the same severities and states. */
export interface OpenCount {
  /** What is counted: findings open on one of the refs, those of them that await promotion, or findings on both. */
  part: 'smaller' | 'smaller unpromoted' | 'larger' | 'larger unpromoted' | 'both'
  /** Severity on the ref, or on the smaller one. */
  severity: Severity
  /** Severity on the larger ref of findings on both. */
  severityOnLarger: Severity
  isOpenOnSmaller: boolean
  isOpenOnLarger: boolean
  isPromoted: boolean
  total: number
}

/**
 * Counts the findings that are open on each of the refs, for which an index suffices, and those that are present on both,
 * which are found from the smaller one. It is one statement, so that a concurrent write cannot make the parts differ.
 */
export async function countOpen(db: Db, pair: RefPair): Promise<OpenCount[]> {
  const rows = await db.all<OpenRow>(sql`
    ${openOn(pair, 'smaller')}
    union all ${unpromotedOn(db, pair, 'smaller')}
    union all ${openOn(pair, 'larger')}
    union all ${unpromotedOn(db, pair, 'larger')}
    union all ${presentOnBoth(db, pair)}`)
  return rows.map(({ part, severity, severityOnLarger, isOpenOnSmaller, isOpenOnLarger, isPromoted, total }) => ({
    part,
    severity: severityOf(severity),
    severityOnLarger: severityOf(severityOnLarger),
    isOpenOnSmaller: isOpenOnSmaller === 1,
    isOpenOnLarger: isOpenOnLarger === 1,
    isPromoted: isPromoted === 1,
    total,
  }))
}

interface OpenRow {
  part: OpenCount['part']
  severity: number
  severityOnLarger: number
  isOpenOnSmaller: number
  isOpenOnLarger: number
  isPromoted: number
  total: number
}

const isOpen = (state: Sql): Sql => sql`${state} in ('detected', 'confirmed')`
const flag = (condition: Sql): Sql => sql`case when ${condition} then 1 else 0 end`
/** Columns that parts with one ref do not use, after the severity. */
const unused = sql`o.severity as severity_on_larger, 1 as is_open_on_smaller, 1 as is_open_on_larger`

const openOn = (pair: RefPair, which: 'smaller' | 'larger'): Sql => sql`
  select ${which} as part, o.severity, ${unused}, 1 as is_promoted, count(*) as total
  from occurrences o
  where o.project_id = ${pair.projectId} and o.ref = ${pair[which]} and o.is_present = true and ${isOpen(sql`o.state`)}
  group by o.severity`

const unpromotedOn = ({ dialect }: Db, pair: RefPair, which: 'smaller' | 'larger'): Sql => sql`
  select ${`${which} unpromoted`} as part, o.severity, ${unused}, 0 as is_promoted, count(*) as total
  from findings f ${dialect.indexedBy('findings_unpromoted')} cross join occurrences o
  where f.project_id = ${pair.projectId} and f.vulnerability_id is null
    and o.finding_id = f.id and o.ref = ${pair[which]} and o.is_present = true and ${isOpen(sql`o.state`)}
  group by o.severity`

const presentOnBoth = ({ dialect }: Db, { projectId, smaller, larger }: RefPair): Sql => sql`
  select 'both' as part, b.severity, b.severity_on_larger, b.is_open_on_smaller, b.is_open_on_larger, b.is_promoted,
    count(*) as total
  from (
    select s.severity, l.severity as severity_on_larger, ${flag(isOpen(sql`s.state`))} as is_open_on_smaller,
      ${flag(isOpen(sql`l.state`))} as is_open_on_larger, ${flag(sql`f.vulnerability_id is not null`)} as is_promoted
    from occurrences s cross join occurrences l cross join findings f ${dialect.indexedBy('findings_filter_columns')}
    where s.project_id = ${projectId} and s.ref = ${smaller} and s.is_present = true
      and l.finding_id = s.finding_id and l.ref = ${larger} and l.is_present = true and f.id = s.finding_id
  ) as b
  group by b.severity, b.severity_on_larger, b.is_open_on_smaller, b.is_open_on_larger, b.is_promoted`
