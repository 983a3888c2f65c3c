import sql, { join, raw } from 'sql-template-tag'
import type { Database, Db, RecordColumn } from './db.ts'
import { type DumpRow, type DumpTable, listDumpTables, type Sequences } from './dump.ts'
import { type ScriptRunner, withScripts } from './engine.ts'

/** Table with the names of its columns. */
interface TableShape {
  readonly name: string
  readonly columns: readonly { readonly name: string }[]
}

export interface Load {
  tables: readonly TableShape[]
  /** Reads the rows of a table. May be called again for the same table. */
  rows(table: TableShape): AsyncIterable<readonly DumpRow[]>
  sequences(): Promise<Sequences> | Sequences
}

/** Maximum size of the rows that one statement inserts. */
const batchBytes = 1024 * 1024

/**
 * Fills a migrated database in one transaction, in place of the rows that its migrations inserted. Throws when the
 * tables are not those of this database, or a reference is not valid.
 */
export async function loadRows(db: Database, load: Load): Promise<void> {
  // The kinds of the columns are those of this engine: times are text on SQLite.
  const tables = await listDumpTables(db)
  assertSameTables(tables, load.tables)
  await db.transaction(async (tx) => {
    const session = withScripts(tx)
    const restore = tx.dialect.engine === 'sqlite' ? await openSqlite(session) : await openPostgres(session, tables)
    for (const { name } of tables) await tx.run(sql`delete from ${raw(quoted(name))}`)
    for (const table of tables) await loadTable(tx, table, load.rows(table))
    for (const [name, last] of Object.entries(await load.sequences())) await setSequence(tx, name, last)
    await restore()
  })
}

function assertSameTables(own: readonly TableShape[], given: readonly TableShape[]): void {
  const columnsOf = (tables: readonly TableShape[]) =>
    new Set(tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`)))
  const [expected, found] = [columnsOf(own), columnsOf(given)]
  const differing = [...expected].filter((column) => !found.has(column))
  differing.push(...[...found].filter((column) => !expected.has(column)))
  if (differing.length === 0) return
  throw new Error(`the schemas differ (${differing.slice(0, 5).join(', ')}); use an empty database`)
}

/** Defers foreign keys, and removes the triggers that derive rows from others, since those are loaded too. */
async function openSqlite(session: Db & ScriptRunner): Promise<() => Promise<void>> {
  await session.script('pragma defer_foreign_keys = on')
  // The triggers of search tables stay, because they fill the index.
  const triggers = await session.all<{ name: string; sql: string }>(sql`
    select name, sql from sqlite_master where type = 'trigger' and name not like '%@_search@_insert' escape '@'`)
  for (const { name } of triggers) await session.script(`drop trigger ${quoted(name)}`)
  return async () => {
    for (const trigger of triggers) await session.script(trigger.sql)
  }
}

/** Removes foreign keys, so that tables can be filled in any order, and disables triggers. */
async function openPostgres(session: Db & ScriptRunner, tables: readonly DumpTable[]): Promise<() => Promise<void>> {
  await session.script('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
  const references = await session.all<{ table: string; name: string; definition: string }>(sql`
    select t.relname as "table", c.conname as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_class t on t.oid = c.conrelid
    where c.contype = 'f' and t.relnamespace = current_schema()::regnamespace order by c.oid`)
  const change = async (texts: string[]) => {
    for (const text of texts) await session.script(`alter table ${text}`)
  }
  await change(references.map(({ table, name }) => `${quoted(table)} drop constraint ${quoted(name)}`))
  await change(tables.map(({ name }) => `${quoted(name)} disable trigger user`))
  return async () => {
    await change(tables.map(({ name }) => `${quoted(name)} enable trigger user`))
    const added = references.map(
      ({ table, name, definition }) => `${quoted(table)} add constraint ${quoted(name)} ${definition}`,
    )
    await change(added)
  }
}

async function loadTable(tx: Db, table: DumpTable, batches: AsyncIterable<readonly DumpRow[]>): Promise<void> {
  let rows: DumpRow[] = []
  let bytes = 0
  for await (const batch of batches) {
    for (const row of batch) {
      rows.push(row)
      for (const value of row) bytes += typeof value === 'string' ? value.length : 8
      if (bytes < batchBytes) continue
      await insertRows(tx, table, rows)
      rows = []
      bytes = 0
    }
  }
  if (rows.length > 0) await insertRows(tx, table, rows)
}

async function insertRows(tx: Db, { name, columns }: DumpTable, rows: readonly DumpRow[]): Promise<void> {
  const isPostgres = tx.dialect.engine === 'postgres'
  // JSON is inserted as the text that it was.
  const types = Object.fromEntries(
    columns.map(({ kind }, index): [string, RecordColumn] => [`c${index}`, kind === 'json' ? 'text' : kind]),
  )
  const records = rows.map((row) => Object.fromEntries(row.map((value, index) => [`c${index}`, value])))
  const values = columns.map(({ kind }, index) => raw(kind === 'json' && isPostgres ? `c${index}::json` : `c${index}`))
  const names = columns.map((column) => raw(quoted(column.name)))
  await tx.run(sql`
    insert into ${raw(quoted(name))} (${join(names)})
    select ${join(values)} from ${tx.dialect.records(records, types)} as loaded`)
}

async function setSequence(tx: Db, table: string, last: number): Promise<void> {
  // SQLite records 0 for a table whose first insert added no row.
  if (last === 0) return
  if (tx.dialect.engine === 'postgres') {
    await tx.one(sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last}) as last`)
    return
  }
  await tx.run(sql`delete from sqlite_sequence where name = ${table}`)
  await tx.run(sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`)
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
