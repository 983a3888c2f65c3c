import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db, IdRange } from '../../../db/db.ts'
import { severityRanks, states } from '../scales.ts'
import { type CandidateIndex, readCandidates } from './candidate-sql.ts'
import type { UnindexedFilters } from './filtered-list.ts'
import { searchTerms } from './search-terms.ts'

/** A filter that neither facets nor index ranges cover. It is tested against the finding of each row. */
export interface UnindexedFilter {
  /** Indexes that together return all matching findings. Absent if none helps. */
  indexes?: readonly CandidateIndex[]
  /** True if the indexes also return findings that do not match, which are then tested. */
  isSuperset?: boolean
  /** Condition on the table `findings`, aliased `f`. */
  condition: Sql
}

interface TextFilter {
  identifiers?: readonly string[] | undefined
  search?: string | undefined
}

/** Returns the filters on texts and identifiers of a finding. */
export function textFilters(
  db: Db,
  { identifiers, search }: TextFilter,
  projectIds: readonly number[],
): UnindexedFilter[] {
  return [
    ...(identifiers ? [identifierFilter(db, identifiers, projectIds)] : []),
    ...(search?.trim() ? [searchFilter(db, search, projectIds)] : []),
  ]
}

interface ListedRows {
  /** Column of the table `findings` that identifies listed rows: the id of the finding or of its vulnerability. */
  column: 'id' | 'vulnerability_id'
  /** Builds the query for the rows of candidate findings that are in the index ranges and match these filters. */
  selectRows(candidates: Sql, tested: readonly UnindexedFilter[]): Sql
}

/** Combines the filters of a list. Returns `undefined` if there are none. */
export function combineFilters(
  db: Db,
  filters: readonly UnindexedFilter[],
  { column, selectRows }: ListedRows,
): UnindexedFilters | undefined {
  if (filters.length === 0) return undefined
  return {
    listMatching: (ids) => listMatching(db, column, ids, filters),
    candidates: filters.flatMap((filter) => {
      const { indexes, isSuperset } = filter
      const tested = isSuperset ? filters : filters.filter((other) => other !== filter)
      return indexes ? [() => readCandidates(db, indexes, (candidates) => selectRows(candidates, tested))] : []
    }),
  }
}

/** Returns those of the ids that match all filters. */
async function listMatching(
  db: Db,
  column: ListedRows['column'],
  ids: readonly number[],
  filters: readonly UnindexedFilter[],
): Promise<Set<number>> {
  const id = column === 'id' ? sql`f.id` : sql`f.vulnerability_id`
  const findings =
    column === 'id' ? sql`findings f ${db.dialect.indexedBy('findings_filter_columns')}` : sql`findings f`
  const rows = await db.all<{ id: number }>(sql`
    select ${id} as id from ${findings} where ${id} in ${db.dialect.integers(ids)} ${matchAll(filters)}`)
  return new Set(rows.map(({ id }) => id))
}

/** Returns the conditions of all filters, to be appended to a `where` clause. */
export function matchAll(filters: readonly UnindexedFilter[]): Sql {
  return filters.length === 0
    ? empty
    : join(
        filters.map(({ condition }) => sql`and (${condition})`),
        ' ',
      )
}

function identifierFilter(db: Db, names: readonly string[], projectIds: readonly number[]): UnindexedFilter {
  const { asciiLower, texts, integers } = db.dialect
  const keys = texts(names.map((name) => name.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())))
  const identifiers = sql`
    select id from identifiers
    where project_id in ${integers(projectIds)} and ${asciiLower(sql`name`)} in ${keys}
    union
    select id from identifiers
    where project_id in ${integers(projectIds)} and ${asciiLower(sql`external_id`)} in ${keys}`
  return {
    indexes: [{ keys: identifiers, findingsOf: [withIdentifier] }],
    // Scalar subqueries test the few identifiers of each finding by their ids. With `exists` and a join, SQLite would look up
    // those of all projects again for each finding, and PostgreSQL would read whole tables.
    condition: sql`(
      select count(*) from finding_identifiers fi
      where fi.finding_id = f.id and (
        select ${asciiLower(sql`i.name`)} in ${keys} or ${asciiLower(sql`i.external_id`)} in ${keys}
        from identifiers i where i.id = fi.identifier_id)) > 0`,
  }
}

const withIdentifier = (isKey: Sql) =>
  sql`select fi.finding_id as id from finding_identifiers fi where fi.identifier_id ${isKey}`

/** Searches names and places of findings, and names of their identifiers. */
function searchFilter(db: Db, search: string, projectIds: readonly number[]): UnindexedFilter {
  const { contains, containsTerms, integers } = db.dialect
  const terms = searchTerms(search)
  const words = terms.length > 0 ? terms : [search.trim()]
  const hasAll = (column: Sql) =>
    sql`(${join(
      words.map((word) => contains(column, word)),
      ' and ',
    )})`
  const condition = sql`${hasAll(name)} or ${hasAll(place)} or exists (
    select 1 from finding_identifiers fi join identifiers i on i.id = fi.identifier_id
    where fi.finding_id = f.id and ${hasAll(sql`i.name`)})`
  if (terms.length === 0) return { condition }
  const inProjects = sql`project_id in ${integers(projectIds)}`
  const texts = {
    table: sql`finding_texts`,
    within: (range: IdRange) => sql`
      select id from finding_texts where ${inProjects} and ${containsTerms('finding_texts', ['text'], terms, range)}`,
  }
  const identifiers = {
    table: sql`identifiers`,
    within: (range: IdRange) => sql`
      select id from identifiers where ${inProjects} and ${containsTerms('identifiers', ['name'], terms, range)}`,
  }
  return {
    indexes: [
      { keys: texts, findingsOf: [withName, withPlace] },
      { keys: identifiers, findingsOf: [withIdentifier] },
    ],
    condition,
  }
}

const withName = (isKey: Sql) => withText(name, sql`substr(t.text, 1, 255)`, isKey)
const withPlace = (isKey: Sql) => withText(place, sql`substr(t.text, 1, 500)`, isKey)

/**
 * Selects findings by name or place. `cross join` makes SQLite start with the keys. SQLite uses an index on an
 * expression only when it is compared with an expression; compared with a column, it would scan all texts of the
 * project.
 */
function withText(column: Sql, text: Sql, isKey: Sql): Sql {
  return sql`
    select f.id from finding_texts t cross join findings f
    where t.id ${isKey} and f.project_id = t.project_id and ${column} = ${text}`
}

/** Expressions as in the index. */
const name = sql`substr(f.name, 1, 255)`
const place = sql`substr(f.location_path, 1, 500)`

interface OtherRefs {
  notOnRef?: string | undefined
  alsoOnRef?: string | undefined
}

/**
 * Selects findings that are not present on a ref, or are present on a second one. No index has them, so each row of the
 * list is tested: `(finding_id, ref)` is unique.
 */
export function otherRefFilters({ notOnRef, alsoOnRef }: OtherRefs): UnindexedFilter[] {
  const isOn = (ref: string) =>
    sql`exists (select 1 from occurrences a where a.finding_id = f.id and a.ref = ${ref} and a.is_present = true)`
  return [
    ...(notOnRef === undefined ? [] : [{ condition: sql`not ${isOn(notOnRef)}` }]),
    ...(alsoOnRef === undefined ? [] : [{ condition: isOn(alsoOnRef) }]),
  ]
}

/** Selects findings that are present on a ref. */
export function refFilter(ref: string, projectIds: readonly number[]): UnindexedFilter {
  return {
    // For one state and severity, the index returns findings in id order.
    indexes: projectIds.flatMap((projectId) =>
      states.map((state) => ({
        keys: Object.values(severityRanks),
        findingsOf: [
          (isKey: Sql) => sql`
            select o.finding_id as id from occurrences o
            where o.project_id = ${projectId} and o.ref = ${ref} and o.is_present = true and o.state = ${state}
              and o.severity ${isKey}`,
        ],
      })),
    ),
    condition: sql`exists (
      select 1 from occurrences o where o.finding_id = f.id and o.ref = ${ref} and o.is_present = true)`,
  }
}
