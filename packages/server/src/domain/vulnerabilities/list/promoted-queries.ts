import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { dismissalReasons, reportTypes, severityRanks, states } from '../../findings/scales.ts'
import type { Facets } from './counts/count-change-queries.ts'

/**
 * Multipliers of the facets packed into a stored number. They, and the order of each list of values, must never change.
 */
const places = { severity: 1, state: 8, isOnDefaultBranch: 32, isResolvedOnDefaultBranch: 64, reason: 128, type: 1024 }

/** Packs a facet combination into the number that is stored. */
export function facetsOf(facets: Facets): number {
  return (
    places.severity * severityRanks[facets.severity] +
    places.state * states.indexOf(facets.state) +
    places.isOnDefaultBranch * Number(facets.isOnDefaultBranch) +
    places.isResolvedOnDefaultBranch * Number(facets.isResolvedOnDefaultBranch) +
    places.reason * placeIn(dismissalReasons, facets.dismissalReason) +
    places.type * placeIn(reportTypes, facets.reportType)
  )
}

/** Returns the index counted from 1, and 0 for other values. */
const placeIn = (words: readonly string[], word: string | null) => 1 + words.indexOf(word ?? '')

/** Severity in the column `facets` of the table `promoted_findings`, aliased `p`: the bits below those of the state. */
export const packedSeverity: Sql = sql`(p.facets & ${raw(`${places.state - 1}`)})`

/** Returns those of the findings whose vulnerability is recorded as present on the default branch. */
export async function listPresentByFacets(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const { isOnDefaultBranch, isResolvedOnDefaultBranch } = places
  const mask = isOnDefaultBranch + isResolvedOnDefaultBranch
  const rows = await db.all<{ id: number }>(sql`
    select finding_id as id from promoted_findings
    where finding_id in ${db.dialect.integers(findingIds)} and (facets & ${mask}) = ${isOnDefaultBranch}
    order by finding_id`)
  return rows.map(({ id }) => id)
}

/**
 * Upserts promoted findings. Must be called in the transaction that attaches a finding to its vulnerability; triggers
 * apply later changes.
 */
export async function upsertPromoted(db: Db, vulnerabilityIds: readonly number[]): Promise<void> {
  await db.run(sql`
    insert into promoted_findings (finding_id, vulnerability_id, facets, scanner_id)
    select f.id, v.id, ${facets}, v.scanner_id
    from vulnerabilities v join findings f on f.vulnerability_id = v.id
    where v.id in ${db.dialect.integers(vulnerabilityIds)}
    on conflict (finding_id) do update set vulnerability_id = excluded.vulnerability_id, facets = excluded.facets,
      scanner_id = excluded.scanner_id`)
}

const isSo = (column: Sql) => sql`case when ${column} = true then 1 else 0 end`

function placeOf(column: Sql, words: readonly string[]): Sql {
  const cases = words.map((word, index) => sql`when ${word} then ${raw(`${index}`)}`)
  return sql`case ${column} ${join(cases, ' ')} else 0 end`
}

const none = ''

/** The same number as `facetsOf`, computed from the table `vulnerabilities`, aliased `v`. */
const facets = sql`v.severity
  + ${raw(`${places.state}`)} * ${placeOf(sql`v.state`, states)}
  + ${raw(`${places.isOnDefaultBranch}`)} * ${isSo(sql`v.is_on_default_branch`)}
  + ${raw(`${places.isResolvedOnDefaultBranch}`)} * ${isSo(sql`v.is_resolved_on_default_branch`)}
  + ${raw(`${places.reason}`)} * ${placeOf(sql`v.dismissal_reason`, [none, ...dismissalReasons])}
  + ${raw(`${places.type}`)} * ${placeOf(sql`v.report_type`, [none, ...reportTypes])}`
