import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Db } from './db.ts'
import { unfinishedRestoreTable } from './unfinished-restore.ts'

/** Table whose rows are copied between databases. Its columns are in alphabetical order, which both engines share. */
export interface DumpTable {
  readonly name: string
  readonly columns: readonly DumpColumn[]
  /** Columns of the primary key, in its order; empty for a table without one. */
  readonly key: readonly string[]
}

interface DumpColumn {
  readonly name: string
  readonly kind: 'integer' | 'text' | 'boolean' | 'json' | 'timestamp'
}

/** Values of one row in the order of `DumpTable.columns`: the same on both engines. JSON is text. */
export type DumpRow = readonly (string | number | boolean | null)[]

/** Highest id that each table has given out. */
export type Sequences = Readonly<Record<string, number>>

const batchSize = 500

/** Tables that belong to one database: its schema, the commits that its processes exchange, the state of a restore. */
const ownTables = new Set(['schema_migrations', 'recent_commits', unfinishedRestoreTable])

/**
 * Lists the tables with data, by name. Generated columns and search indexes are left out, because they follow from the
 * rest, and so are tables whose name begins with an underscore: they belong to other programs, such as Litestream.
 */
export async function listDumpTables(db: Db): Promise<DumpTable[]> {
  const rows = await db.all<{ table: string; name: string; type: string; place: number }>(
    db.dialect.engine === 'sqlite' ? sqliteColumns : postgresColumns,
  )
  const tables = new Map<string, typeof rows>()
  for (const row of rows) {
    if (!ownTables.has(row.table) && !row.table.startsWith('_'))
      tables.set(row.table, [...(tables.get(row.table) ?? []), row])
  }
  return [...tables]
    .map(([name, found]) => ({
      name,
      columns: found
        .map((column) => ({ name: column.name, kind: kindOf(name, column) }))
        .sort((a, b) => compareBytes(a.name, b.name)),
      key: found
        .filter(({ place }) => place > 0)
        .sort((a, b) => a.place - b.place)
        .map((column) => column.name),
    }))
    .sort((a, b) => compareBytes(a.name, b.name))
}

/** `place` is the position in the primary key, from 1. */
const sqliteColumns = sql`
  select t.name as "table", c.name, lower(c.type) as type, c.pk as place
  from pragma_table_list as t, pragma_table_xinfo(t.name) as c
  where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite@_%' escape '@' and c.hidden = 0`

const postgresColumns = sql`
  select t.relname as "table", c.attname as name, format_type(c.atttypid, c.atttypmod) as type,
    coalesce(array_position(k.indkey::int2[], c.attnum) + 1, 0) as place
  from pg_class t join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
  left join pg_index k on k.indrelid = t.oid and k.indisprimary
  where t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace and c.attgenerated = ''`

const kinds: Readonly<Record<string, DumpColumn['kind']>> = {
  integer: 'integer',
  bigint: 'integer',
  text: 'text',
  boolean: 'boolean',
  json: 'json',
  'timestamp(3) with time zone': 'timestamp',
}

function kindOf(table: string, { name, type }: { name: string; type: string }): DumpColumn['kind'] {
  const kind = kinds[type]
  if (!kind) throw new Error(`the column ${table}.${name} has the type ${type}, which cannot be copied`)
  return kind
}

const compareBytes = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Reads all rows of a table in batches, in an order that is the same on both engines. */
export async function* readRows(db: Db, table: DumpTable): AsyncGenerator<DumpRow[]> {
  const places = table.key.map((name) => table.columns.findIndex((column) => column.name === name))
  for (let last: DumpRow | undefined; ; ) {
    const after = last && places.map((place) => last?.[place] ?? null)
    const rows = await db.all<Record<string, DumpRow[number]>>(selectRows(db, table, after))
    const batch = rows.map((row) => Object.values(row))
    if (batch.length > 0) yield batch
    // A table without a key is read at once: it has one short row per project or group.
    if (places.length === 0 || batch.length < batchSize) return
    last = batch.at(-1)
  }
}

function selectRows(db: Db, table: DumpTable, after: DumpRow | undefined): Sql {
  const isPostgres = db.dialect.engine === 'postgres'
  const kindsByName = new Map(table.columns.map(({ name, kind }) => [name, kind]))
  // Text is compared by bytes, as SQLite does.
  const term = (name: string) =>
    raw(isPostgres && kindsByName.get(name) === 'text' ? `${quoted(name)} collate "C"` : quoted(name))
  const columns = table.columns.map(({ name, kind }, index) =>
    // The exact text: a parsed value would lose the spaces, and on PostgreSQL the order of keys.
    raw(`${kind === 'json' ? `cast(${quoted(name)} as text)` : quoted(name)} as c${index}`),
  )
  const ordered = (table.key.length > 0 ? table.key : table.columns.map(({ name }) => name)).map(term)
  const [first] = ordered
  const rest = after
    ? // The first condition alone lets PostgreSQL use the index when the collation of a later column differs.
      sql`where ${first} >= ${after[0]} and (${join(ordered)}) > (${join([...after])})`
    : empty
  const limit = table.key.length > 0 ? sql`limit ${batchSize}` : empty
  // Values of a key are never null, and its index has no such order.
  const order = table.key.length > 0 ? join(ordered) : join(ordered.map((column) => sql`${column} nulls first`))
  return sql`select ${join(columns)} from ${raw(quoted(table.name))} ${rest} order by ${order} ${limit}`
}

/** Reads the highest id that each table has given out; on PostgreSQL possibly those of later transactions as well. */
export async function readSequences(db: Db, tables: readonly DumpTable[]): Promise<Sequences> {
  const names = new Set(tables.map(({ name }) => name))
  const rows = await db.all<{ name: string; last: number }>(
    db.dialect.engine === 'sqlite'
      ? sql`select name, cast(seq as integer) as last from sqlite_sequence`
      : sql`
        select t.relname as name, pg_sequence_last_value(d.objid::regclass) as last
        from pg_depend d join pg_class t on t.oid = d.refobjid join pg_class s on s.oid = d.objid and s.relkind = 'S'
        where d.deptype = 'i' and t.relnamespace = current_schema()::regnamespace`,
  )
  const given = rows.filter(({ name, last }) => names.has(name) && last !== null)
  return Object.fromEntries(given.map(({ name, last }) => [name, last]))
}

/** Returns true when the database has users, which every Alcove has from its first start on. */
export async function hasUsers(db: Db): Promise<boolean> {
  const tables = await listDumpTables(db)
  if (!tables.some(({ name }) => name === 'users')) return false
  return (await db.one(sql`select 1 as found from users limit 1`)) !== undefined
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
