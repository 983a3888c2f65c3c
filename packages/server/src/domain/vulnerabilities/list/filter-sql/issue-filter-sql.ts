import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import type { UnindexedFilter } from '../../../findings/list/unindexed-filter-sql.ts'
import { owaspCategories, type VulnerabilityFilter } from '../filter.ts'

/** Returns the filter on links to issues. No index has the vulnerabilities without one. */
export function issueFilters(
  { dialect }: Db,
  { hasIssue }: VulnerabilityFilter,
  projectIds: readonly number[],
): UnindexedFilter[] {
  if (hasIssue === undefined) return []
  const condition = sql`${hasIssue ? empty : sql`not`} exists (
    select 1 from vulnerability_links l where l.vulnerability_id = f.vulnerability_id)`
  if (!hasIssue) return [{ condition }]
  const linked = sql`
    select distinct l.vulnerability_id as id from vulnerability_links l join vulnerabilities v on v.id = l.vulnerability_id
    where v.project_id in ${dialect.integers(projectIds)}`
  const ofVulnerability = (isKey: Sql) => sql`select f.id from findings f where f.vulnerability_id ${isKey}`
  return [{ indexes: [{ keys: linked, findingsOf: [ofVulnerability] }], condition }]
}

/** Returns the filter on identifiers that name a category of the OWASP Top 10, as `A3:2021` or `A03:2021 - Injection`. */
export function owaspFilters(
  { dialect }: Db,
  { owaspTopTen }: VulnerabilityFilter,
  projectIds: readonly number[],
): UnindexedFilter[] {
  if (!owaspTopTen || owaspTopTen.length === 0) return []
  const asked = owaspTopTen.filter((category) => category !== 'none')
  const isNone = asked.length < owaspTopTen.length
  const starts = (isNone ? owaspCategories.filter((category) => category !== 'none') : asked).flatMap(startsOf)
  const { asciiLower, integers, texts } = dialect
  // A digit that follows makes it another year.
  const begins = (column: Sql, length: number) => sql`(
    substr(${asciiLower(column)}, 1, ${length}) in ${texts(starts)}
    and substr(${column}, ${length + 1}, 1) not in ${texts([...'0123456789'])})`
  const isOfCategory = join(
    [sql`name`, sql`external_id`].flatMap((column) => [begins(column, 7), begins(column, 8)]),
    ' or ',
  )
  const identifiers = sql`
    select id from identifiers
    where project_id in ${integers(projectIds)} and (${isOfCategory})`
  const condition = sql`${isNone ? sql`not` : empty} exists (
    select 1 from finding_identifiers fi where fi.finding_id = f.id and fi.identifier_id in (${identifiers}))`
  if (isNone) return [{ condition }]
  const withIdentifier = (isKey: Sql) =>
    sql`select fi.finding_id as id from finding_identifiers fi where fi.identifier_id ${isKey}`
  return [{ indexes: [{ keys: identifiers, findingsOf: [withIdentifier] }], condition }]
}

/** Returns how identifiers of a category begin: `a3_2021` is `a3:2021` or `a03:2021`. */
function startsOf(category: string): string[] {
  const [, number = '', year = ''] = /^a(\d+)_(\d{4})$/.exec(category) ?? []
  return [...new Set([`a${number}:${year}`, `a${number.padStart(2, '0')}:${year}`])]
}
