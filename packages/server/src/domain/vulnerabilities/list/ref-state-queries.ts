import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { UnindexedFilter } from '../../findings/list/unindexed-filter-sql.ts'
import type { DismissalScope } from '../triage/dismissals/ref-dismissals.ts'
import type { VulnerabilityFilter } from './filter.ts'
import { ofVulnerabilities, ofVulnerability } from './filter-sql/indexed-columns-sql.ts'

/** Returns whether a vulnerability of the projects is dismissed on the ref alone. */
export async function hasRefDismissals(db: Db, projectIds: readonly number[], ref: string): Promise<boolean> {
  const row = await db.one(sql`
    select 1 as found from ref_dismissals
    where project_id in ${db.dialect.integers(projectIds)} and ref = ${ref} limit 1`)
  return row !== undefined
}

/** Tests the state of listed vulnerabilities on the ref of the list. */
export function refStateFilters(
  { dialect }: Db,
  { ref, states, dismissalReasons, isOverdue }: VulnerabilityFilter,
): UnindexedFilter[] {
  const reasons = dismissalReasons ? dialect.texts(dismissalReasons) : empty
  const wanted = [
    ...(states ? [sql`o.state in ${dialect.texts(states)}`] : []),
    ...(dismissalReasons
      ? [
          sql`o.state = 'dismissed' and (
            ${ofVulnerability(sql`v.state = 'dismissed' and v.dismissal_reason in ${reasons}`)}
            or ${ofVulnerability(sql`v.state <> 'dismissed' and exists (
              select 1 from ref_dismissals d where d.vulnerability_id = v.id and d.ref = o.ref and d.reason in ${reasons})`)})`,
        ]
      : []),
  ]
  const conditions = [
    ...(wanted.length > 0 ? [sql`(${join(wanted, ' or ')})`] : []),
    ...(isOverdue ? [sql`o.state in ('detected', 'confirmed')`] : []),
  ]
  if (conditions.length === 0) return []
  return [
    {
      condition: sql`exists (
        select 1 from occurrences o where o.finding_id = f.id and o.ref = ${ref} and ${join(conditions, ' and ')})`,
    },
  ]
}

/** Selects vulnerabilities by how far their dismissal reaches. */
export function dismissalScopeFilters(
  { dialect }: Db,
  { dismissalScopes: scopes }: VulnerabilityFilter,
  projectIds: readonly number[],
): UnindexedFilter[] {
  if (!scopes) return []
  const onRef = sql`v.state in ('detected', 'confirmed')
    and exists (select 1 from ref_dismissals d where d.vulnerability_id = v.id)`
  const conditionOf: Record<DismissalScope, Sql> = {
    ref: sql`(${onRef})`,
    all_refs: sql`v.state = 'dismissed' and v.group_rule_id is null`,
    group: sql`v.state = 'dismissed' and v.group_rule_id is not null`,
  }
  const condition = ofVulnerability(
    sql`(${join(
      scopes.map((scope) => conditionOf[scope]),
      ' or ',
    )})`,
  )
  if (scopes.includes('all_refs')) return [{ condition }]
  const isIn = sql`project_id in ${dialect.integers(projectIds)}`
  const keysOf: Record<Exclude<DismissalScope, 'all_refs'>, Sql> = {
    ref: sql`select vulnerability_id as id from ref_dismissals where ${isIn}`,
    group: sql`select id from vulnerabilities where group_rule_id is not null and ${isIn}`,
  }
  const indexes = scopes.flatMap((scope) =>
    scope === 'all_refs' ? [] : [{ keys: keysOf[scope], findingsOf: [ofVulnerabilities] }],
  )
  return [{ indexes, condition }]
}
