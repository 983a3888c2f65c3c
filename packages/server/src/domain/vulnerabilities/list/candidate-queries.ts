import sql, { type Sql } from 'sql-template-tag'
import type { Db, IdRange } from '../../../db/db.ts'
import type { Position } from './list-queries.ts'

/**
 * Where findings are found by way of an index. An engine that joined everything would read it to the end before anybody
 * else has a turn; so keys come first, then what has them, some at a time.
 */
export interface Source {
  /** Texts, identifiers or whatever the index is by: their ids, a query for them, or a search that takes long. */
  keys: readonly number[] | Sql | KeySearch
  /** The findings that have a key, by their `id`, in one way or another; of one key an index has them in this order. */
  having: readonly ((isKey: Sql) => Sql)[]
}

interface KeySearch {
  table: Sql
  /** Their `id`s. */
  within: (range: IdRange) => Sql
}

/** A query for the positions of those of the candidates, which are `id`s of findings, that a list has. */
export type Describe = (candidates: Sql) => Sql

interface AtOnce {
  keys: number
  /** Two joins take some 10 ms for so many. */
  candidates: number
  /** Rows that a search is let loose on. */
  searched: number
}

/** What all sources together find, some more than once. Between slices whoever reads lets others have their turn. */
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
