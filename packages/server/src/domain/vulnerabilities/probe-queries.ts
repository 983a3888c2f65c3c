import { setImmediate } from 'node:timers/promises'
import sql, { join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { searchTerms, type VulnerabilityFilter } from './filter.ts'

/** A part of a filter that no kept count knows: asked of the findings themselves. */
export interface Probe {
  /** Where the findings that pass are found by way of indexes, together all of them. Absent where none helps. */
  candidates?: ((projectIds: readonly number[]) => Source[]) | undefined
  /** A condition on the table `findings`, called `f`. */
  passes: Sql
}

/** A query for findings, `id` and `vulnerability_id`; or keys, such as texts, that are read first, and then who has them. */
export type Source = Sql | KeyedSource

interface KeyedSource {
  /** `id` of each. */
  keys: Sql
  /** Findings that have one of some keys, by one way or another. */
  having: (keys: readonly number[]) => Sql[]
  /** Something for each of those findings that an index alone tells: when it is too much, no finding is read. */
  links?: (keys: readonly number[]) => Sql
}

/** The ones most likely to be rare come first. */
export function probesOf(db: Db, { identifiers, search, ref }: VulnerabilityFilter): Probe[] {
  return [...textProbesOf(db, { identifiers, search }), ...(ref === undefined ? [] : [refProbe(db, ref)])]
}

/** Those that look at what a finding says. */
export function textProbesOf(
  db: Db,
  { identifiers, search }: Pick<VulnerabilityFilter, 'identifiers' | 'search'>,
): Probe[] {
  return [
    ...(identifiers ? [identifierProbe(db, identifiers)] : []),
    ...(search?.trim() ? [searchProbe(db, search)] : []),
  ]
}

/** What is listed: findings by their own ids, or by those of their vulnerabilities. */
type Listed = 'id' | 'vulnerability_id'
const listedColumns: Record<Listed, Sql> = { id: sql`id`, vulnerability_id: sql`vulnerability_id` }

/**
 * Empty handed when there are more than so many. An engine that joined all of it might read everything before it counts
 * to the limit; so keys come first, then what has them, some at a time.
 */
export async function listCandidates(
  db: Db,
  listed: Listed,
  sources: readonly Source[],
  most: number,
): Promise<number[] | 'too many'> {
  const column = listedColumns[listed]
  const ids = new Set<number>()
  const read = (query: Sql, limit: number) => db.all<{ id: number }>(sql`${query} limit ${limit + 1}`)
  for (const source of sources) {
    const queries = 'keys' in source ? await findHaving(source, read, most) : [source]
    if (queries === 'too many') return 'too many'
    for (const query of queries) {
      const found = await read(sql`select ${column} as id from (${query}) as found where ${column} is not null`, most)
      for (const { id } of found) ids.add(id)
      if (ids.size > most) return 'too many'
      await setImmediate()
    }
  }
  return [...ids]
}

async function findHaving(
  { keys, having, links }: KeyedSource,
  read: (query: Sql, limit: number) => Promise<{ id: number }[]>,
  most: number,
): Promise<Sql[] | 'too many'> {
  // A finding has a name and a place: more texts than these are of too many findings.
  const found = await read(sql`select id from (${keys}) as keys`, 2 * most)
  if (found.length > 2 * most) return 'too many'
  const slices: number[][] = []
  for (let start = 0; start < found.length; start += keysAtOnce) {
    slices.push(found.slice(start, start + keysAtOnce).map(({ id }) => id))
  }
  for (const slice of links ? slices : []) {
    if (links && (await read(links(slice), most)).length > most) return 'too many'
  }
  return slices.flatMap(having)
}

const keysAtOnce = 250

/** Those of the ids that pass all probes. */
export async function listPassing(
  db: Db,
  listed: Listed,
  ids: readonly number[],
  probes: readonly Probe[],
): Promise<Set<number>> {
  const column = sql`f.${listedColumns[listed]}`
  const conditions = probes.map(({ passes }) => sql`and (${passes})`)
  const rows = await db.all<{ id: number }>(sql`
    select ${column} as id from findings f where ${column} in ${db.dialect.integers(ids)} ${join(conditions, ' ')}`)
  return new Set(rows.map(({ id }) => id))
}

function identifierProbe(db: Db, names: readonly string[]): Probe {
  const { asciiLower, texts, integers } = db.dialect
  const keys = texts(names.map((name) => name.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())))
  return {
    candidates: (projectIds) => [
      {
        keys: sql`
          select id from identifiers
          where project_id in ${integers(projectIds)} and ${asciiLower(sql`name`)} in ${keys}
          union
          select id from identifiers
          where project_id in ${integers(projectIds)} and ${asciiLower(sql`external_id`)} in ${keys}`,
        ...havingIdentifiers(db),
      },
    ],
    passes: sql`exists (
      select 1 from finding_identifiers fi join identifiers i on i.id = fi.identifier_id
      where fi.finding_id = f.id
        and (${asciiLower(sql`i.name`)} in ${keys} or ${asciiLower(sql`i.external_id`)} in ${keys}))`,
  }
}

/** `cross join` is how SQLite is told to begin with the keys. */
function havingIdentifiers(db: Db): Pick<KeyedSource, 'having' | 'links'> {
  const { integers } = db.dialect
  return {
    having: (ids) => [
      sql`
      select f.id, f.vulnerability_id from finding_identifiers fi cross join findings f
      where fi.identifier_id in ${integers(ids)} and f.id = fi.finding_id`,
    ],
    links: (ids) => sql`select finding_id as id from finding_identifiers where identifier_id in ${integers(ids)}`,
  }
}

/** In what the finding is called, in where it is, or in the name of one of its identifiers. */
function searchProbe(db: Db, search: string): Probe {
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
  return {
    candidates: (projectIds) => [
      {
        keys: sql`
          select id from finding_texts
          where project_id in ${integers(projectIds)} and ${containsTerms('finding_texts', ['text'], terms)}`,
        having: (ids) => [name, place].map((column) => havingText(db, column, ids)),
      },
      {
        keys: sql`
          select id from identifiers
          where project_id in ${integers(projectIds)} and ${containsTerms('identifiers', ['name'], terms)}`,
        ...havingIdentifiers(db),
      },
    ],
    passes,
  }
}

function havingText(db: Db, column: Sql, textIds: readonly number[]): Sql {
  return sql`
    select f.id, f.vulnerability_id from finding_texts t cross join findings f
    where t.id in ${db.dialect.integers(textIds)} and f.project_id = t.project_id and ${column} = t.text`
}

/** As the index has them. */
const name = sql`substr(f.name, 1, 255)`
const place = sql`substr(f.place, 1, 500)`

function refProbe(db: Db, ref: string): Probe {
  return {
    candidates: (projectIds) => [
      sql`
      select f.id, f.vulnerability_id from occurrences o join findings f on f.id = o.finding_id
      where o.project_id in ${db.dialect.integers(projectIds)} and o.ref = ${ref} and o.is_present = true`,
    ],
    passes: sql`exists (
      select 1 from occurrences o where o.finding_id = f.id and o.ref = ${ref} and o.is_present = true)`,
  }
}
