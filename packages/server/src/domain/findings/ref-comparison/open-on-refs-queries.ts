import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { type Severity, severityOf } from '../scales.ts'
import { hasMoreOnRef } from './ref-comparison-queries.ts'

/** Two refs of a project. */
export interface RefPair {
  projectId: number
  /** The ref from which findings on both are found, because it has few findings, or because both have many. */
  outer: string
  inner: string
  /** Whether each of them has many findings. */
  isLarge: { outer: boolean; inner: boolean }
}

/** Counting so many findings with their vulnerabilities takes about 15 ms. */
const maxFew = 10_000

/** Chooses the ref from which the join of two refs starts. */
export async function orderRefs(db: Db, projectId: number, [one, other]: [string, string]): Promise<RefPair> {
  const isOneLarge = await hasMoreOnRef(db, { projectId, ref: one }, maxFew)
  const isOtherLarge = await hasMoreOnRef(db, { projectId, ref: other }, maxFew)
  return isOneLarge
    ? { projectId, outer: other, inner: one, isLarge: { outer: isOtherLarge, inner: isOneLarge } }
    : { projectId, outer: one, inner: other, isLarge: { outer: isOneLarge, inner: isOtherLarge } }
}

export type RefRole = 'outer' | 'inner'

/** Number of findings with the same severities and states. */
export type OpenCount = { severity: Severity; isPromoted: boolean; total: number } & (
  | { part: RefRole }
  /** Findings on both refs. The severity is that on the outer one. */
  | { part: 'both'; innerSeverity: Severity; isOpenOnOuter: boolean; isOpenOnInner: boolean }
)

/**
 * Counts the findings that are open on each of the refs, and those that are present on both. It is one statement, so that a
 * concurrent write cannot make the parts inconsistent. A total may be negative and is to be added to others.
 */
export async function countOpen(db: Db, pair: RefPair): Promise<OpenCount[]> {
  const rows = await db.all<OpenRow>(sql`
    ${openOn(db, pair, 'outer')} union all ${openOn(db, pair, 'inner')} union all ${presentOnBoth(db, pair)}`)
  return rows.map(({ part, severity, innerSeverity, isOpenOnOuter, isOpenOnInner, isPromoted, total }) => {
    const count = { severity: severityOf(severity), isPromoted: isPromoted === 1, total }
    if (part !== 'both') return { ...count, part }
    return {
      ...count,
      part,
      innerSeverity: severityOf(innerSeverity),
      isOpenOnOuter: isOpenOnOuter === 1,
      isOpenOnInner: isOpenOnInner === 1,
    }
  })
}

interface OpenRow {
  part: RefRole | 'both'
  severity: number
  innerSeverity: number
  isOpenOnOuter: number
  isOpenOnInner: number
  isPromoted: number
  total: number
}

const isOpen = (state: Sql): Sql => sql`${state} in ('detected', 'confirmed')`
const flag = (condition: Sql): Sql => sql`case when ${condition} then 1 else 0 end`
const isPromoted = flag(sql`f.vulnerability_id is not null`)

/** Builds a part with one ref. The three columns after the severity have values in the part with both refs only. */
const partOf = (role: RefRole, promoted: Sql, total: Sql, source: Sql): Sql => sql`
  select ${role} as part, o.severity, 0 as inner_severity, 0 as is_open_on_outer, 0 as is_open_on_inner,
    ${promoted} as is_promoted, ${total} as total
  ${source}`

/**
 * Counts the open findings of a ref. Those of a large one are counted by an index that does not have the vulnerabilities, as
 * if all were promoted; the findings of the project that await promotion are subtracted, and counted as such.
 */
function openOn(db: Db, { isLarge, projectId, ...refs }: RefPair, role: RefRole): Sql {
  const isOpenOnRef = sql`o.ref = ${refs[role]} and o.is_present = true and ${isOpen(sql`o.state`)}`
  if (!isLarge[role]) {
    const open = sql`
      from occurrences o cross join findings f ${db.dialect.indexedBy('findings_filter_columns')}
      where o.project_id = ${projectId} and ${isOpenOnRef} and f.id = o.finding_id
      group by o.severity, ${isPromoted}`
    return partOf(role, isPromoted, sql`count(*)`, open)
  }
  const all = sql`from occurrences o where o.project_id = ${projectId} and ${isOpenOnRef} group by o.severity`
  const unpromoted = sql`
    from findings f ${db.dialect.indexedBy('findings_unpromoted')} cross join occurrences o
    where f.project_id = ${projectId} and f.vulnerability_id is null and o.finding_id = f.id and ${isOpenOnRef}
    group by o.severity`
  return sql`
    ${partOf(role, sql`1`, sql`count(*)`, all)}
    union all ${partOf(role, sql`1`, sql`-count(*)`, unpromoted)}
    union all ${partOf(role, sql`0`, sql`count(*)`, unpromoted)}`
}

const presentOnBoth = ({ dialect }: Db, { projectId, outer, inner }: RefPair): Sql => sql`
  select 'both' as part, b.severity, b.inner_severity, b.is_open_on_outer, b.is_open_on_inner, b.is_promoted,
    count(*) as total
  from (
    select t.severity, n.severity as inner_severity, ${flag(isOpen(sql`t.state`))} as is_open_on_outer,
      ${flag(isOpen(sql`n.state`))} as is_open_on_inner, ${isPromoted} as is_promoted
    from occurrences t cross join occurrences n cross join findings f ${dialect.indexedBy('findings_filter_columns')}
    where t.project_id = ${projectId} and t.ref = ${outer} and t.is_present = true
      and n.finding_id = t.finding_id and n.ref = ${inner} and n.is_present = true and f.id = t.finding_id
  ) as b
  group by b.severity, b.inner_severity, b.is_open_on_outer, b.is_open_on_inner, b.is_promoted`
