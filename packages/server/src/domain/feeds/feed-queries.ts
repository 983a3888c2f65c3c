import sql, { raw, type Sql } from 'sql-template-tag'
import type { Db, RecordColumns } from '../../db/db.ts'
import type { Feed, FeedFile, FeedKind, FeedRows } from './feed.ts'

const columns = raw('kind, generation, row_count, version, published_at, file_name, loaded_at')

export function listFeedRows(db: Db): Promise<Feed[]> {
  return db.all(sql`select ${columns} from feeds order by kind`)
}

/** Begins a load and returns its generation. Undefined while another process loads the feed. */
export async function beginLoad(
  db: Db,
  kind: FeedKind,
  { now, until }: { now: string; until: string },
): Promise<number | undefined> {
  const row = await db.one<{ lastGeneration: number }>(sql`
    update feeds set last_generation = last_generation + 1, loading_until = ${until}
    where kind = ${kind} and (loading_until is null or loading_until < ${now}) returning last_generation`)
  return row?.lastGeneration
}

/** Extends the time of a load. False when another process has begun one. */
export async function extendLoad(db: Db, kind: FeedKind, generation: number, until: string): Promise<boolean> {
  const changed = await db.run(sql`
    update feeds set loading_until = ${until} where kind = ${kind} and last_generation = ${generation}`)
  return changed === 1
}

export async function endLoad(db: Db, kind: FeedKind, generation: number): Promise<void> {
  await db.run(sql`
    update feeds set loading_until = null where kind = ${kind} and last_generation = ${generation}`)
}

/** Makes the rows of a load the rows of the feed. False when another process has begun a load. */
export async function switchGeneration(
  db: Db,
  { kind, generation, rowCount, version, publishedAt, fileName }: Omit<Feed, 'loadedAt'>,
  now: string,
): Promise<boolean> {
  const changed = await db.run(sql`
    update feeds set generation = ${generation}, row_count = ${rowCount}, version = ${version},
      published_at = ${publishedAt}, file_name = ${fileName}, loaded_at = ${now}, loading_until = null
    where kind = ${kind} and last_generation = ${generation}`)
  return changed === 1
}

const tables: Record<FeedKind, { columns: RecordColumns; insert: Sql; key: Sql }> = {
  epss: {
    columns: { cve: 'text', scoreMillionths: 'integer', percentileMillionths: 'integer' },
    insert: sql`insert into epss_scores (cve, score_millionths, percentile_millionths, generation)
      select r.cve, r.score_millionths, r.percentile_millionths,`,
    key: sql`cve`,
  },
  kev: {
    columns: { cve: 'text', addedOn: 'text', dueOn: 'text', isRansomware: 'boolean' },
    insert: sql`insert into kev_entries (cve, added_on, due_on, is_ransomware, generation)
      select r.cve, r.added_on, r.due_on, r.is_ransomware,`,
    key: sql`cve`,
  },
  osv: {
    columns: { name: 'text', alias: 'text' },
    insert: sql`insert into osv_aliases (name, alias, generation) select r.name, r.alias,`,
    key: sql`name`,
  },
}

/** Inserts rows of a load and returns their number. A repeated key is inserted once. */
export function insertFeedRows(db: Db, generation: number, { kind, rows }: FeedRows): Promise<number> {
  const { columns, insert } = tables[kind]
  return db.run(sql`
    ${insert} cast(${generation} as bigint) from ${db.dialect.records(rows, columns)} as r where true
    on conflict do nothing`)
}

const tableOf = { epss: sql`epss_scores`, kev: sql`kev_entries`, osv: sql`osv_aliases` }

/** Deletes some rows of loads that are neither used nor running, and returns their number. */
export async function deleteUnusedRows(db: Db, kind: FeedKind, limit: number): Promise<number> {
  const table = tableOf[kind]
  const stored = await db.one<{ low: number | null; high: number | null; used: number; running: number | null }>(sql`
    select (select min(generation) from ${table}) as low, (select max(generation) from ${table}) as high,
      generation as used, case when loading_until is null then null else last_generation end as running
    from feeds where kind = ${kind}`)
  if (!stored) return 0
  const { low, high, used, running } = stored
  const unused = [low, high].find((generation) => generation !== null && generation !== used && generation !== running)
  if (typeof unused !== 'number') return 0
  const { key } = tables[kind]
  return deleteRows[kind](
    db,
    unused,
    sql`select ${key} from ${table} where generation = ${unused} order by ${key} limit ${limit}`,
  )
}

const deleteRows: Record<FeedKind, (db: Db, generation: number, keys: Sql) => Promise<number>> = {
  epss: (db, generation, keys) =>
    db.run(sql`delete from epss_scores where generation = ${generation} and cve in (${keys})`),
  kev: (db, generation, keys) =>
    db.run(sql`delete from kev_entries where generation = ${generation} and cve in (${keys})`),
  osv: (db, generation, keys) =>
    db.run(sql`delete from osv_aliases where generation = ${generation} and name in (${keys})`),
}

const fileColumns = raw('name, bytes, modified_at, digest, kind, outcome, error, read_at')

/** Returns true if the file, or a copy of it, was read. */
export async function isRead(db: Db, { name, bytes, modifiedAt }: Pick<FeedFile, 'name' | 'bytes' | 'modifiedAt'>) {
  const row = await db.one(sql`
    select 1 as found from feed_files where name = ${name} and bytes = ${bytes} and modified_at = ${modifiedAt}`)
  return row !== undefined
}

/** Returns what became of a file with this digest. */
export function findFileByDigest(db: Db, digest: string): Promise<FeedFile | undefined> {
  return db.one(sql`select ${fileColumns} from feed_files where digest = ${digest} order by read_at desc limit 1`)
}

export async function upsertFile(db: Db, file: FeedFile): Promise<void> {
  const { name, bytes, modifiedAt, digest, kind, outcome, error, readAt } = file
  await db.run(sql`
    insert into feed_files (${fileColumns})
    values (${name}, ${bytes}, ${modifiedAt}, ${digest}, ${kind}, ${outcome}, ${error}, ${readAt})
    on conflict (name, bytes, modified_at) do update set digest = excluded.digest, kind = excluded.kind,
      outcome = excluded.outcome, error = excluded.error, read_at = excluded.read_at`)
}

/** Returns files that were rejected, newest first. */
export function newestRejected(db: Db, limit: number): Promise<FeedFile[]> {
  return db.all(sql`
    select ${fileColumns} from feed_files where outcome = 'rejected' order by read_at desc, name limit ${limit}`)
}

/** Deletes all but the newest records of files. */
export async function deleteOldFiles(db: Db, keep: number): Promise<void> {
  await db.run(sql`
    delete from feed_files
    where read_at < (select read_at from feed_files order by read_at desc limit 1 offset ${keep})`)
}
