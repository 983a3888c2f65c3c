import type { Sql } from 'sql-template-tag'
import { createChangeLog } from './changes.ts'
import type { CamelCase, Database, Db, Dialect } from './db.ts'
import {
  type DatabaseOptions,
  type Engine,
  type Execute,
  type SchemaOwner,
  type ScriptRunner,
  type Session,
  withScripts,
} from './engine.ts'
import { sqliteDialect } from './sql.ts'
import { assertRestoredFile, assertRestoredSchema } from './unfinished-restore.ts'

/** Opens the database. Migrations may still be pending. Throws when a restore of it has not ended. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.kind === 'sqlite') assertRestoredFile(options.file)
  const changes = createChangeLog()
  const engine = await openEngine()
  const refresh = async () => changes.refresh(await engine.foreignKeys())
  await refresh()

  let closed: Promise<void> | undefined
  const database: Database & SchemaOwner = {
    ...statements(engine.dialect, engine.execute, engine.whenDurable),
    transaction: (work, options) => engine.transaction((session) => runWork(engine.dialect, session, work), options),
    canExtendTransaction: engine.canExtendTransaction,
    changes: {
      version: changes.version,
      watch: changes.watch,
      synchronize: engine.synchronize,
    },
    ready: engine.ready,
    broken: engine.broken,
    withoutMemoryMap: engine.withoutMemoryMap,
    canDeferCheck: engine.canDeferCheck,
    check: engine.check,
    close() {
      closed ??= engine.close()
      return closed
    },
    async schemaChanged() {
      changes.bumpAll()
      await refresh()
      await engine.schemaChanged()
    },
  }
  if (options.kind === 'postgres' && !options.isRestore) {
    await assertRestoredSchema(database).catch(async (error: unknown) => {
      await database.close()
      throw error
    })
  }
  return database

  // Load only the driver that is used.
  async function openEngine(): Promise<Engine> {
    if (options.kind === 'sqlite') return (await import('./sqlite/engine.ts')).openSqlite(options, changes)
    return (await import('./postgres/engine.ts')).openPostgres(options, changes)
  }
}

/**
 * Runs `work` in one transaction that only reads and sees the database as of one moment, however long it takes. A server
 * may use the database meanwhile.
 */
export async function readSnapshot<T>(options: DatabaseOptions, work: (db: Db) => Promise<T>): Promise<T> {
  if (options.kind === 'sqlite') {
    assertRestoredFile(options.file)
    const { openSqliteSnapshot } = await import('./sqlite/engine.ts')
    const { execute, close } = openSqliteSnapshot(options.file)
    try {
      return await work(statements(sqliteDialect, execute, async () => {}))
    } finally {
      close()
    }
  }
  const database = await openDatabase({ ...options, connections: 1 })
  try {
    return await database.transaction(async (db) => {
      await withScripts(db).script(
        `set transaction isolation level repeatable read, read only;
        set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`,
      )
      return work(db)
    })
  } finally {
    await database.close()
  }
}

/**
 * Runs a short transaction while a server may use the database. On SQLite, the server does not notice what is written, so
 * it must be in tables that are not cached.
 */
export async function writeBesideServer<T>(options: DatabaseOptions, work: (db: Db) => Promise<T>): Promise<T> {
  if (options.kind === 'sqlite') {
    const { openSqliteBeside } = await import('./sqlite/engine.ts')
    const beside = openSqliteBeside(options.file)
    if (beside) return beside.transaction((session) => runWork(sqliteDialect, session, work))
  }
  const database = await openDatabase(options.kind === 'postgres' ? { ...options, connections: 1 } : options)
  try {
    return await database.transaction(work)
  } finally {
    await database.close()
  }
}

function statements(dialect: Dialect, execute: Execute, whenDurable: () => Promise<void>): Db {
  return {
    dialect,
    whenDurable,
    // `Row` describes the columns that the caller selects, which types cannot check.
    all: async <Row extends CamelCase<Row>>(query: Sql) => (await execute(query, 'all')).rows as Row[],
    one: async <Row extends CamelCase<Row>>(query: Sql) => (await execute(query, 'one')).rows[0] as Row | undefined,
    run: async (query) => (await execute(query, 'run')).changed,
  }
}

/**
 * Runs the work of a transaction. On both engines, as on PostgreSQL, a failed statement makes the transaction fail even
 * if its error is caught. The handle becomes unusable when the work ends.
 */
async function runWork<T>(dialect: Dialect, session: Session, work: (db: Db) => Promise<T>): Promise<T> {
  let ended = false
  let failure: unknown
  const guarded = async <Answer>(statement: () => Promise<Answer>): Promise<Answer> => {
    if (ended) throw new Error('this transaction has ended; use the database, or await every statement inside the work')
    if (failure) throw new Error('an earlier statement of this transaction failed', { cause: failure })
    try {
      return await statement()
    } catch (error) {
      failure ??= error
      throw error
    }
  }
  const db: Db & ScriptRunner = {
    ...statements(
      dialect,
      (query, mode) => guarded(() => session.execute(query, mode)),
      async () => {},
    ),
    script: (text) => guarded(() => session.script(text)),
  }
  try {
    const result = await work(db)
    if (failure) throw failure
    return result
  } finally {
    ended = true
  }
}
