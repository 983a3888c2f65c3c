import sql, { raw } from 'sql-template-tag'
import type { Database, Db } from '../../db/db.ts'
import { withScripts } from '../../db/engine.ts'

interface TestDatabase {
  db: Database
  drop(): Promise<void>
}

/** Database that the servers of one worker's test files use one after the other, with its open connections. */
interface ReusedDatabase extends TestDatabase {
  initial: InitialState
}

interface InitialState {
  schema: string
  /** Rows of the migrations as JSON, by table. */
  rows: ReadonlyMap<string, string>
  /** Last values of the sequences that the migrations used, by object id. */
  sequences: Readonly<Record<string, number>>
}

/** Tests start rarely more servers at a time, and each database has up to twelve connections. */
const maxIdle = 2
const idle: ReusedDatabase[] = []

/**
 * Borrows a migrated, empty PostgreSQL database for one server. `drop` empties it for the next server, also of another
 * file, which saves copying the template, connecting and preparing statements again. A test that changed the schema or
 * broke the connections gets its database removed instead. Requires a superuser, because emptying skips triggers. The
 * global setup removes the databases that are left.
 */
export async function borrowDatabase(create: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const reused = idle.pop() ?? (await prepare(await create()))
  const { db, giveBack } = lend(reused.db)
  return {
    db,
    async drop() {
      await giveBack()
      const isEmpty = await empty(reused).catch(() => false)
      if (isEmpty && idle.length < maxIdle) idle.push(reused)
      else await remove(reused)
    },
  }
}

async function remove({ db, drop }: ReusedDatabase): Promise<void> {
  await db.close()
  await drop()
}

/**
 * Returns a handle that can be closed without closing the database: from then on it rejects all work. `giveBack` waits
 * for the pending work, as closing does, and stops the watchers.
 */
function lend(database: Database): { db: Database; giveBack(): Promise<void> } {
  const pending = new Set<Promise<unknown>>()
  const unwatches: (() => void)[] = []
  let isClosed = false
  const whileOpen =
    <Parameters extends unknown[], Value>(work: (...parameters: Parameters) => Promise<Value>) =>
    (...parameters: Parameters): Promise<Value> => {
      if (isClosed) return Promise.reject(new Error('the database is closed'))
      const value = work(...parameters)
      pending.add(value)
      const forget = () => void pending.delete(value)
      value.then(forget, forget)
      return value
    }
  const close = async () => {
    isClosed = true
    while (pending.size > 0) await Promise.allSettled(pending)
  }
  const { changes } = database
  const db: Database = {
    ...database,
    all: whileOpen(database.all) as Database['all'], // the same function with its type parameters
    one: whileOpen(database.one) as Database['one'], // likewise
    run: whileOpen(database.run),
    transaction: whileOpen(database.transaction) as Database['transaction'], // likewise
    ready: whileOpen(database.ready),
    // A new object, because caches belong to it.
    changes: {
      ...changes,
      watch(table, callback) {
        const unwatch = changes.watch(table, callback)
        unwatches.push(unwatch)
        return unwatch
      },
    },
    close,
  }
  return {
    db,
    async giveBack() {
      await close()
      for (const unwatch of unwatches) unwatch()
    },
  }
}

async function prepare({ db, drop }: TestDatabase): Promise<ReusedDatabase> {
  const rows = new Map<string, string>()
  for (const { name } of await writtenTables(db)) rows.set(name, await rowsOf(db, name))
  const used = await db.all<{ id: string; value: number }>(sql`
    select seqrelid::text as id, pg_sequence_last_value(seqrelid) as value from pg_sequence
    where pg_sequence_last_value(seqrelid) is not null`)
  const sequences = Object.fromEntries(used.map(({ id, value }) => [id, value]))
  return { db, drop, initial: { schema: await schemaOf(db), rows, sequences } }
}

/** Restores the rows and sequences of the migrations. Returns false when the schema or the statistics have changed. */
async function empty({ db, initial }: ReusedDatabase): Promise<boolean> {
  if ((await schemaOf(db)) !== initial.schema) return false
  const tables = await writtenTables(db)
  // Truncating costs more than deleting: it writes new files, and prepared statements are planned again.
  const grown = tables.filter(({ isGrown }) => isGrown).map(({ name }) => name)
  await db.transaction(async (tx) => {
    const statements = [`set local session_replication_role = replica`]
    if (grown.length > 0) await withScripts(tx).script(`truncate ${grown.join(', ')} cascade`)
    for (const { name: table } of tables) {
      const rows = initial.rows.get(table)
      if (rows === undefined) statements.push(`delete from ${table}`)
      else if (rows !== (await rowsOf(tx, table))) {
        const literal = `'${rows.replaceAll("'", "''")}'`
        statements.push(`delete from ${table}`)
        statements.push(`insert into ${table} select * from json_populate_recordset(null::${table}, ${literal})`)
      }
    }
    await withScripts(tx).script(statements.join(';\n'))
    await tx.all(sql`
      select setval(seqrelid::regclass, coalesce(cast(before ->> seqrelid::text as bigint), seqstart),
        before ->> seqrelid::text is not null)
      from pg_sequence, (select cast(${JSON.stringify(initial.sequences)} as json) as before) as initial
      where pg_sequence_last_value(seqrelid) is distinct from cast(before ->> seqrelid::text as bigint)`)
  })
  if (grown.length > 0) initial.schema = await schemaOf(db)
  return true
}

interface WrittenTable {
  name: string
  /** Whether it has more pages than the planner assumes of a new table. Deleted rows keep theirs, as nothing vacuums. */
  isGrown: boolean
}

/** Returns the tables that have ever contained a row. Truncated and unused tables have no pages. */
function writtenTables(db: Db): Promise<WrittenTable[]> {
  return db.all(sql`
    select name, size > 80 * 1024 or toast > 80 * 1024 as is_grown from (
      select oid::regclass::text as name, pg_relation_size(oid) as size,
        case when reltoastrelid = 0 then 0 else pg_relation_size(reltoastrelid) end as toast
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace) as sizes
    where size > 0`)
}

async function rowsOf(db: Db, table: string): Promise<string> {
  const found = await db.one<{ rows: string }>(
    sql`select coalesce(json_agg(t), '[]')::text as rows from ${raw(table)} as t`,
  )
  return found?.rows ?? ''
}

/** Returns the numbers and transaction ids of the catalogue's rows: any change of the schema or of statistics shows. */
async function schemaOf(db: Db): Promise<string> {
  const catalogues = ['pg_class', 'pg_constraint', 'pg_trigger', 'pg_proc', 'pg_namespace', 'pg_statistic']
  const counts = catalogues.map(
    (name) => `(select count(*) || ':' || coalesce(sum(xmin::text::bigint), 0) from ${name})`,
  )
  const found = await db.one<{ state: string }>(sql`select ${raw(counts.join(` || ' ' || `))} as state`)
  return found?.state ?? ''
}
