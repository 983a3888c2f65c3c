import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { dismissalReasons, reportTypes, severityRanks, states } from '../scales.ts'
import type { Cell } from './count-queries.ts'

/** The facets of a vulnerability as a number. Rows keep it: the place of each, and of each word in its list, is for good. */
const places = { severity: 1, state: 8, isOnDefaultBranch: 32, isResolvedOnDefaultBranch: 64, reason: 128, type: 1024 }

export function facetsOf(cell: Cell): number {
  return (
    places.severity * severityRanks[cell.severity] +
    places.state * states.indexOf(cell.state) +
    places.isOnDefaultBranch * Number(cell.isOnDefaultBranch) +
    places.isResolvedOnDefaultBranch * Number(cell.isResolvedOnDefaultBranch) +
    places.reason * placeIn(dismissalReasons, cell.dismissalReason) +
    places.type * placeIn(reportTypes, cell.reportType)
  )
}

/** From 1; 0 for what is none of them. */
const placeIn = (words: readonly string[], word: string | null) => 1 + words.indexOf(word ?? '')

/** The severity in the column `facets`. */
export const severityIn = (facets: Sql): Sql => sql`(${facets} & 7)`

/** Those of the findings whose vulnerability says that the default branch has them. */
export async function listSaidToBeThere(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const { isOnDefaultBranch, isResolvedOnDefaultBranch } = places
  const mask = isOnDefaultBranch + isResolvedOnDefaultBranch
  const rows = await db.all<{ id: number }>(sql`
    select finding_id as id from promoted_findings
    where finding_id in ${db.dialect.integers(findingIds)} and (facets & ${mask}) = ${isOnDefaultBranch}
    order by finding_id`)
  return rows.map(({ id }) => id)
}

/** To be called in the transaction that changes a vulnerability or gives it its finding. */
export async function keepPromoted(db: Db, vulnerabilityIds: readonly number[]): Promise<void> {
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

/** As `facetsOf`, of the table `vulnerabilities`, called `v`. */
const facets = sql`v.severity
  + ${raw(`${places.state}`)} * ${placeOf(sql`v.state`, states)}
  + ${raw(`${places.isOnDefaultBranch}`)} * ${isSo(sql`v.is_on_default_branch`)}
  + ${raw(`${places.isResolvedOnDefaultBranch}`)} * ${isSo(sql`v.is_resolved_on_default_branch`)}
  + ${raw(`${places.reason}`)} * ${placeOf(sql`v.dismissal_reason`, [none, ...dismissalReasons])}
  + ${raw(`${places.type}`)} * ${placeOf(sql`v.report_type`, [none, ...reportTypes])}`
