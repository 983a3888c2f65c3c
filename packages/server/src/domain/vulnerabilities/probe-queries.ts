import sql, { join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { searchTerms, type VulnerabilityFilter } from './filter.ts'

/** A part of a filter that no kept count knows: asked of the findings themselves. */
export interface Probe {
  /** Queries for the findings that pass, together all of them, by way of indexes: `id` and `vulnerability_id`. Absent where none helps. */
  candidates?: ((projectIds: readonly number[]) => Sql[]) | undefined
  /** A condition on the table `findings`, called `f`. */
  passes: Sql
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

/** Empty handed when there are more than so many. One query after the other: joined, an engine might read all of them. */
export async function listCandidates(
  db: Db,
  listed: Listed,
  queries: readonly Sql[],
  most: number,
): Promise<number[] | 'too many'> {
  const column = listedColumns[listed]
  const ids = new Set<number>()
  for (const query of queries) {
    const rows = await db.all<{ id: number }>(sql`
      select ${column} as id from (${query}) as found where ${column} is not null limit ${most + 1}`)
    if (rows.length > most) return 'too many'
    for (const { id } of rows) ids.add(id)
    if (ids.size > most) return 'too many'
  }
  return [...ids]
}

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
      sql`
      select f.id, f.vulnerability_id from (
        select id from identifiers
        where project_id in ${integers(projectIds)} and ${asciiLower(sql`name`)} in ${keys}
        union
        select id from identifiers
        where project_id in ${integers(projectIds)} and ${asciiLower(sql`external_id`)} in ${keys}
      ) as i join finding_identifiers fi on fi.identifier_id = i.id join findings f on f.id = fi.finding_id`,
    ],
    passes: sql`exists (
      select 1 from finding_identifiers fi join identifiers i on i.id = fi.identifier_id
      where fi.finding_id = f.id
        and (${asciiLower(sql`i.name`)} in ${keys} or ${asciiLower(sql`i.external_id`)} in ${keys}))`,
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
  const found = (projectIds: readonly number[]) => sql`(
    select project_id, text from finding_texts
    where project_id in ${integers(projectIds)} and ${containsTerms('finding_texts', ['text'], terms)})`
  return {
    candidates: (projectIds) => [
      sql`
      select f.id, f.vulnerability_id from ${found(projectIds)} as t
        join findings f on f.project_id = t.project_id and ${name} = t.text`,
      sql`
      select f.id, f.vulnerability_id from ${found(projectIds)} as t
        join findings f on f.project_id = t.project_id and ${place} = t.text`,
      sql`
      select f.id, f.vulnerability_id from (
        select id from identifiers
        where project_id in ${integers(projectIds)} and ${containsTerms('identifiers', ['name'], terms)}
      ) as i join finding_identifiers fi on fi.identifier_id = i.id join findings f on f.id = fi.finding_id`,
    ],
    passes,
  }
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
