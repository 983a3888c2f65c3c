import sql, { raw } from 'sql-template-tag'
import type { Database, Db } from '../../db/db.ts'
import { withScripts } from '../../db/engine.ts'

interface TestDatabase {
  db: Database
  drop(): Promise<void>
}

/** Database that the servers of one test file use one after the other, with its open connections. */
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

const idle: ReusedDatabase[] = []

/**
 * Borrows a migrated, empty PostgreSQL database for one server. `drop` empties it for the next server, which saves copying
 * the template, connecting and preparing statements again. A test that changed the schema or broke the connections gets
 * its database removed instead. Requires a superuser, because emptying skips triggers.
 */
export async function borrowDatabase(create: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const reused = idle.pop() ?? (await prepare(await create()))
  const { db, giveBack } = lend(reused.db)
  return {
    db,
    async drop() {
      await giveBack()
      const isEmpty = await empty(reused).catch(() => false)
      if (isEmpty) idle.push(reused)
      else await remove(reused)
    },
  }
}

/** Removes the databases of a test file. */
export async function removeReusedDatabases(): Promise<void> {
  for (const reused of idle.splice(0)) await remove(reused)
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
  for (const table of await writtenTables(db)) rows.set(table, await rowsOf(db, table))
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
  await db.transaction(async (tx) => {
    const statements = [`set local session_replication_role = replica`]
    for (const table of tables) {
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
  return true
}

/** Returns the tables that have ever contained a row. Truncated and unused tables have no pages. */
async function writtenTables(db: Db): Promise<string[]> {
  const found = await db.all<{ name: string }>(sql`
    select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`)
  return found.map(({ name }) => name)
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
