import sql, { type Sql } from 'sql-template-tag'
import type { Db, IdRange } from '../../../db/db.ts'
import type { Position } from './list-queries.ts'

/**
 * Index lookup for candidate findings. A single join could occupy the database until it is complete, so keys are read
 * first, and then their findings in batches.
 */
export interface Source {
  /** Ids of texts, identifiers or other index keys; a query for such ids, or a search that takes long. */
  keys: readonly number[] | Sql | KeySearch
  /** Queries for the `id`s of findings that have a key. For one key, an index returns them in this order. */
  having: readonly ((isKey: Sql) => Sql)[]
}

interface KeySearch {
  table: Sql
  /** Query for `id`s within a range of ids. */
  within: (range: IdRange) => Sql
}

/** Builds a query for the positions of those candidates, given as `id`s of findings, that are in the list. */
export type Describe = (candidates: Sql) => Sql

interface AtOnce {
  keys: number
  /** Number of candidates; joining them with two tables takes about 10 ms. */
  candidates: number
  /** Number of rows per search query. */
  searched: number
}

/**
 * Yields the candidates of all sources in batches, possibly with duplicates, so that the caller can yield in between.
 */
export async function* readCandidates(
  db: Db,
  sources: readonly Source[],
  describe: Describe,
  atOnce: AtOnce = { keys: 250, candidates: 2_500, searched: db.dialect.searchedAtOnce },
): AsyncGenerator<readonly Position[]> {
  for (const { keys, having } of sources) {
    for await (const some of readKeys(db, keys, atOnce.searched)) {
      if (some.length === 0) yield []
      for (let start = 0; start < some.length; start += atOnce.keys) {
        for (const way of having)
          yield* readHaving(db, some.slice(start, start + atOnce.keys), way, describe, atOnce.candidates)
      }
    }
  }
}

async function* readKeys(db: Db, keys: Source['keys'], searched: number): AsyncGenerator<readonly number[]> {
  if (!('within' in keys)) {
    yield 'sql' in keys ? (await db.all<{ id: number }>(keys)).map(({ id }) => id) : keys
    return
  }
  const last = await db.one<{ id: number | null }>(sql`select max(id) as id from ${keys.table}`)
  const end = last?.id ?? 0
  for (let above = 0; above < end; above += searched) {
    const upTo = Math.min(above + searched, end)
    yield (await db.all<{ id: number }>(keys.within({ above, upTo }))).map(({ id }) => id)
  }
}

async function* readHaving(
  db: Db,
  keys: readonly number[],
  having: (isKey: Sql) => Sql,
  describe: Describe,
  most: number,
): AsyncGenerator<readonly Position[]> {
  const [key] = keys
  if (key === undefined) return
  const candidates = having(keys.length === 1 ? sql`= ${key}` : sql`in ${db.dialect.integers(keys)}`)
  if (!(await hasMany(db, candidates, most))) {
    yield await db.all<Position>(describe(candidates))
    return
  }
  if (keys.length > 1) {
    const middle = keys.length >> 1
    yield* readHaving(db, keys.slice(0, middle), having, describe, most)
    yield* readHaving(db, keys.slice(middle), having, describe, most)
    return
  }
  for (let above = 0, isOver = false; !isOver; ) {
    const last = await db.one<{ id: number }>(sql`
      select c.id from (${candidates}) as c where c.id > ${above} order by c.id limit 1 offset ${most - 1}`)
    const isWithin = last ? sql`c.id > ${above} and c.id <= ${last.id}` : sql`c.id > ${above}`
    yield await db.all<Position>(describe(sql`select c.id from (${candidates}) as c where ${isWithin}`))
    if (last) above = last.id
    else isOver = true
  }
}

async function hasMany(db: Db, candidates: Sql, most: number): Promise<boolean> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (select 1 from (${candidates}) as c limit ${most + 1}) as counted`)
  return (row?.total ?? 0) > most
}
