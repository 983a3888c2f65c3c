import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db, IdRange } from '../../../db/db.ts'
import { severityRanks, states } from '../../findings/scales.ts'
import type { Source } from './candidate-queries.ts'
import { searchTerms, type VulnerabilityFilter } from './filter.ts'

/** A filter that the facet counts do not cover. It tests the findings themselves. */
export interface Probe {
  /** Index lookups that together yield all matching findings. Absent if no index helps. */
  sources?: readonly Source[]
  /** Condition on the table `findings`, aliased `f`. */
  passes: Sql
}

export function probesOf(
  db: Db,
  { identifiers, search, ref }: VulnerabilityFilter,
  projectIds: readonly number[],
): Probe[] {
  return [
    ...textProbesOf(db, { identifiers, search }, projectIds),
    ...(ref === undefined ? [] : [refProbe(ref, projectIds)]),
  ]
}

/** Returns the filters on texts and identifiers of a finding. */
export function textProbesOf(
  db: Db,
  { identifiers, search }: Pick<VulnerabilityFilter, 'identifiers' | 'search'>,
  projectIds: readonly number[],
): Probe[] {
  return [
    ...(identifiers ? [identifierProbe(db, identifiers, projectIds)] : []),
    ...(search?.trim() ? [searchProbe(db, search, projectIds)] : []),
  ]
}

/** Column that identifies listed rows: the id of the finding or of its vulnerability. */
export type Listed = 'id' | 'vulnerability_id'
const listedColumns: Record<Listed, Sql> = { id: sql`id`, vulnerability_id: sql`vulnerability_id` }

/** Returns those of the ids that match all filters. */
export async function listPassing(
  db: Db,
  listed: Listed,
  ids: readonly number[],
  probes: readonly Probe[],
): Promise<Set<number>> {
  const column = sql`f.${listedColumns[listed]}`
  const findings =
    listed === 'id' ? sql`findings f ${db.dialect.indexedBy('findings_filter_columns')}` : sql`findings f`
  const rows = await db.all<{ id: number }>(sql`
    select ${column} as id from ${findings} where ${column} in ${db.dialect.integers(ids)} ${passAll(probes)}`)
  return new Set(rows.map(({ id }) => id))
}

/** Returns the conditions of all filters, to be appended to a `where` clause. */
export function passAll(probes: readonly Probe[]): Sql {
  return probes.length === 0
    ? empty
    : join(
        probes.map(({ passes }) => sql`and (${passes})`),
        ' ',
      )
}

function identifierProbe(db: Db, names: readonly string[], projectIds: readonly number[]): Probe {
  const { asciiLower, texts, integers } = db.dialect
  const keys = texts(names.map((name) => name.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())))
  const identifiers = sql`
    select id from identifiers
    where project_id in ${integers(projectIds)} and ${asciiLower(sql`name`)} in ${keys}
    union
    select id from identifiers
    where project_id in ${integers(projectIds)} and ${asciiLower(sql`external_id`)} in ${keys}`
  return {
    sources: [{ keys: identifiers, having: [havingIdentifier] }],
    passes: sql`exists (
      select 1 from finding_identifiers fi where fi.finding_id = f.id and fi.identifier_id in (${identifiers}))`,
  }
}

const havingIdentifier = (isKey: Sql) =>
  sql`select fi.finding_id as id from finding_identifiers fi where fi.identifier_id ${isKey}`

/** Searches names and places of findings, and names of their identifiers. */
function searchProbe(db: Db, search: string, projectIds: readonly number[]): Probe {
  const { contains, containsTerms, integers } = db.dialect
  const terms = searchTerms(search)
  const words = terms.length > 0 ? terms : [search.trim()]
  const hasAll = (column: Sql) =>
    sql`(${join(
      words.map((word) => contains(column, word)),
      ' and ',
    )})`
  const passes = sql`${hasAll(name)} or ${hasAll(place)} or exists (
    select 1 from finding_identifiers fi join identifiers i on i.id = fi.identifier_id
    where fi.finding_id = f.id and ${hasAll(sql`i.name`)})`
  if (terms.length === 0) return { passes }
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
    sources: [
      { keys: texts, having: [havingName, havingPlace] },
      { keys: identifiers, having: [havingIdentifier] },
    ],
    passes,
  }
}

const havingName = (isKey: Sql) => havingText(name, sql`substr(t.text, 1, 255)`, isKey)
const havingPlace = (isKey: Sql) => havingText(place, sql`substr(t.text, 1, 500)`, isKey)

/**
 * Selects findings by name or place. `cross join` makes SQLite start with the keys. SQLite uses an index on an
 * expression only when it is compared with an expression; compared with a column, it would scan all texts of the
 * project.
 */
function havingText(column: Sql, text: Sql, isKey: Sql): Sql {
  return sql`
    select f.id from finding_texts t cross join findings f
    where t.id ${isKey} and f.project_id = t.project_id and ${column} = ${text}`
}

/** Expressions as in the index. */
const name = sql`substr(f.name, 1, 255)`
const place = sql`substr(f.location_path, 1, 500)`

function refProbe(ref: string, projectIds: readonly number[]): Probe {
  return {
    // For one state and severity, the index returns findings in id order.
    sources: projectIds.flatMap((projectId) =>
      states.map((state) => ({
        keys: Object.values(severityRanks),
        having: [
          (isKey: Sql) => sql`
            select o.finding_id as id from occurrences o
            where o.project_id = ${projectId} and o.ref = ${ref} and o.is_present = true and o.state = ${state}
              and o.severity ${isKey}`,
        ],
      })),
    ),
    passes: sql`exists (
      select 1 from occurrences o where o.finding_id = f.id and o.ref = ${ref} and o.is_present = true)`,
  }
}
