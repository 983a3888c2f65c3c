import sql, { type Sql } from 'sql-template-tag'
import type { Db, IdRange } from '../../../db/db.ts'
import type { Cursor } from './cursor.ts'
import type { Batch } from './filtered-list.ts'

/**
 * Index lookup for candidate findings. One join could occupy the database until it is complete, so keys are read first,
 * and then their findings in batches.
 */
export interface CandidateIndex {
  /** Ids of texts, identifiers or other index keys; a query for such `id`s, or a search that takes long. */
  keys: readonly number[] | Sql | KeySearch
  /** Queries for the `id`s of findings that have a key. For one key, an index returns them in this order. */
  findingsOf: readonly ((isKey: Sql) => Sql)[]
}

interface KeySearch {
  table: Sql
  /** Query for `id`s within a range of ids. */
  within: (range: IdRange) => Sql
}

/** Builds a query for the cursors of those candidates, given as `id`s of findings, that are in the list. */
export type SelectRows = (candidates: Sql) => Sql

interface BatchSizes {
  keys: number
  /** Number of candidates; joining them with two tables takes about 10 ms. */
  candidates: number
  /** Number of texts or identifiers per search query. */
  searched: number
}

/** With more keys, reading rows in the order of the list and testing them is quicker. */
const maxKeys = 50_000

/** Searching this many keys takes about as long as reading one candidate. */
const keysPerCandidate = 50

/** Yields the candidates of all indexes in batches, possibly with duplicates, so that the caller can yield in between. */
export async function* readCandidates(
  db: Db,
  indexes: readonly CandidateIndex[],
  selectRows: SelectRows,
  sizes: BatchSizes = { keys: 250, candidates: 2_500, searched: db.dialect.searchedAtOnce },
): AsyncGenerator<Batch> {
  for (const { keys, findingsOf } of indexes) {
    for await (const { found, searched } of readKeys(db, keys, sizes.searched)) {
      yield { rows: [], read: searched / keysPerCandidate }
      for (let start = 0; start < found.length; start += sizes.keys) {
        const batch = found.slice(start, start + sizes.keys)
        for (const findingsWith of findingsOf)
          yield* readFindings(db, batch, { findingsWith, selectRows, max: sizes.candidates })
      }
    }
  }
}

async function* readKeys(
  db: Db,
  keys: CandidateIndex['keys'],
  maxSearched: number,
): AsyncGenerator<{ found: readonly number[]; searched: number }> {
  if (!('within' in keys)) {
    yield 'sql' in keys ? { searched: 0, ...(await queryKeys(db, keys)) } : { found: keys, searched: 0 }
    return
  }
  const last = await db.one<{ id: number | null }>(sql`select max(id) as id from ${keys.table}`)
  const end = last?.id ?? 0
  for (let above = 0; above < end; above += maxSearched) {
    const upTo = Math.min(above + maxSearched, end)
    yield { searched: upTo - above, ...(await queryKeys(db, keys.within({ above, upTo }))) }
  }
}

/** Returns no keys but an unlimited cost if there are too many. */
async function queryKeys(db: Db, keys: Sql): Promise<{ found: number[]; searched?: number }> {
  const rows = await db.all<{ id: number }>(sql`select id from (${keys}) as k limit ${maxKeys + 1}`)
  if (rows.length > maxKeys) return { found: [], searched: Number.POSITIVE_INFINITY }
  return { found: rows.map(({ id }) => id) }
}

interface FindingsRequest {
  findingsWith: (isKey: Sql) => Sql
  selectRows: SelectRows
  /** Maximum number of candidates in a batch. */
  max: number
}

/** Splits the keys, and for one key the ids, until a batch has at most `max` candidates. */
async function* readFindings(db: Db, keys: readonly number[], request: FindingsRequest): AsyncGenerator<Batch> {
  const { findingsWith, selectRows, max } = request
  const [key] = keys
  if (key === undefined) return
  const candidates = findingsWith(keys.length === 1 ? sql`= ${key}` : sql`in ${db.dialect.integers(keys)}`)
  const count = await countUpTo(db, candidates, max + 1)
  if (count <= max) {
    if (count > 0) yield { rows: await db.all<Cursor>(selectRows(candidates)), read: count }
    return
  }
  if (keys.length > 1) {
    const middle = keys.length >> 1
    yield* readFindings(db, keys.slice(0, middle), request)
    yield* readFindings(db, keys.slice(middle), request)
    return
  }
  for (let above = 0, isOver = false; !isOver; ) {
    const last = await db.one<{ id: number }>(sql`
      select c.id from (${candidates}) as c where c.id > ${above} order by c.id limit 1 offset ${max - 1}`)
    const isWithin = last ? sql`c.id > ${above} and c.id <= ${last.id}` : sql`c.id > ${above}`
    const rows = await db.all<Cursor>(selectRows(sql`select c.id from (${candidates}) as c where ${isWithin}`))
    yield { rows, read: max }
    if (last) above = last.id
    else isOver = true
  }
}

async function countUpTo(db: Db, candidates: Sql, max: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (select 1 from (${candidates}) as c limit ${max}) as counted`)
  return row?.total ?? 0
}
