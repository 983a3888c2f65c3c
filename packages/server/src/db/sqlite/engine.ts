import { existsSync, realpathSync } from 'node:fs'
import type { Sql } from 'sql-template-tag'
import { Failure } from '../../platform/failure.ts'
import { type ChangeLog, describeCommit, type ForeignKey, foreignKeyQueries } from '../changes.ts'
import type { DatabaseOptions, Engine, Execute, Result, ResultMode, Session } from '../engine.ts'
import { rowReader } from '../rows.ts'
import { plainValue, sqliteDialect } from '../sql.ts'
import { checkFile } from './check-file.ts'
import { isSqliteError, type SqliteConnection } from './connection.ts'
import { connectSqlite } from './drivers.ts'
import { isUnchangedSinceCleanStop, openDurablePosition, prepareLog } from './durable-position.ts'
import { addFunctions } from './functions.ts'
import { openGroupCommit } from './group-commit.ts'
import { beginCheck, type IntegrityCheck, isLargeDatabase } from './integrity.ts'
import { mapPages } from './mapped-pages.ts'
import { createQueue } from './queue.ts'
import { damagedDatabase, isStorageLost, watchStorage } from './storage-health.ts'
import { openTransactions } from './transactions.ts'
import { openCheckpointer } from './wal-checkpointer.ts'

const maxPreparedStatements = 500

type SqliteOptions = Extract<DatabaseOptions, { kind: 'sqlite' }>

/**
 * Opens the SQLite engine. Writes use one connection, one after the other; reads use another one and see the last
 * commit without waiting. Calls are synchronous, so a transaction is only long if its work awaits. A commit is visible
 * at once, and resolves for its caller when the log is on the disk.
 */
export async function openSqlite(options: SqliteOptions, changes: ChangeLog): Promise<Engine> {
  const path = options.file
  // A database has one lock, regardless of the path used to open it.
  const file = existsSync(path) ? realpathSync(path) : path
  const lock = takeLock(file)
  // A new database has no damage.
  let isChecked = existsSync(file) ? isUnchangedSinceCleanStop(file) : true
  const canDeferCheck = isChecked && isLargeDatabase(file)
  let check: IntegrityCheck | undefined
  const [writer, reader] = connectBoth(file, lock, options)
  // Only reads are memory-mapped, because writes use the cache anyway.
  const withoutMemoryMap = mapPages(reader.database)
  const { inTurn, hasWaiting } = createQueue()
  const health = watchStorage()
  const pageSize = Number(writer.database.pragma('page_size')[0])
  const durable = openDurablePosition(file)
  const log = openGroupCommit(`${file}-wal`, { health, durable, pageSize })
  const checkpoints = openCheckpointer(file, {
    writer: writer.database,
    inTurn,
    health,
    checkpoint: options.checkpoint,
  })
  const committed = () => log.appended(checkpoints.committed())
  const whenDurable = () =>
    log.whenDurable().catch((error: unknown) => {
      const why = error instanceof Failure && error.cause.kind === 'unavailable' ? error.cause.why : String(error)
      throw new Failure({ kind: 'unavailable', what: 'the database', why: `${why}`, isOutcomeUnknown: true })
    })
  const failureOf = (error: unknown) => {
    if (isStorageLost(error)) health.fail(error)
    return unavailableOr(error)
  }
  const transactions = openTransactions({
    database: writer.database,
    inTurn,
    afterSync: log.afterSync,
    assertSound: health.assertSound,
    onCommit: committed,
  })
  committed()

  return {
    dialect: sqliteDialect,
    async execute(query, mode) {
      const { sql } = query
      try {
        const read = reader.prepare(sql)
        if (read.isReadonly) return read.execute(query.values, mode)
        const result = await inTurn(async () => {
          health.assertSound()
          const result = writer.prepare(sql).execute(query.values, mode)
          changes.bump(changes.tablesWritten(sql))
          committed()
          return result
        })
        if (result.changed > 0) await whenDurable()
        return result
      } catch (error) {
        throw failureOf(error)
      }
    },
    async transaction(work, { isRelaxed = false, isBatched = false, project } = {}) {
      const written = new Set<string>()
      let isWritten = false
      const session: Session = {
        async execute({ sql, values }: Sql, mode: ResultMode) {
          const statement = writer.prepare(sql)
          const result = statement.execute(values, mode)
          if (!statement.isReadonly) for (const table of changes.tablesWritten(sql)) written.add(table)
          isWritten ||= !statement.isReadonly && result.changed > 0
          return result
        },
        async script(text) {
          isWritten = true
          writer.database.exec(text)
        },
      }
      const start = isBatched ? transactions.runBatched : transactions.runAlone
      const result = await new Promise<Awaited<ReturnType<typeof work>>>((resolve, reject) => {
        let result: Awaited<ReturnType<typeof work>>
        start({
          async run() {
            result = await work(session)
          },
          onCommit() {
            changes.bump(describeCommit(written, project))
            resolve(result)
          },
          onFailure: (error) => reject(failureOf(error)),
        })
      })
      if (isWritten && !isRelaxed) await whenDurable()
      return result
    },
    canExtendTransaction: () => !hasWaiting() && !transactions.hasWaiting(),
    whenDurable,
    // A single process counts its own commits as they end.
    synchronize: () => undefined,
    async foreignKeys() {
      try {
        return foreignKeysOf(reader.database)
      } catch (error) {
        throw damagedOr(error)
      }
    },
    async schemaChanged() {
      reader.clearStatements()
      writer.clearStatements()
    },
    async ready() {
      health.assertSound()
      reader.database.prepare('select 1').first([])
    },
    broken: health.broken,
    withoutMemoryMap,
    canDeferCheck,
    async check({ isThorough = false, isLowPriority = false } = {}) {
      check = isThorough ? undefined : beginCheck(file, { isLowPriority })
      try {
        const problems = check ? await check.problems : checkFile(file, { isThorough })
        if (problems.length > 0) health.fail(damagedDatabase(problems))
        isChecked = problems.length === 0
        return problems
      } catch (error) {
        isChecked = false
        throw error
      }
    },
    async close() {
      await check?.cancel()
      await transactions.settled()
      await checkpoints.close()
      await inTurn(async () => {
        await log.close()
        // Closing would copy the unverified log into the file. The next start handles it.
        if (!health.isBroken()) for (const { database } of [reader, writer]) database.close()
        durable.close({ isClean: !existsSync(`${file}-wal`), isChecked: isChecked && !health.isBroken() })
        lock.close()
      })
    },
  }
}

/**
 * Opens one read transaction of a database, whether or not a server uses it. Writers continue; their commits are not
 * visible.
 */
export function openSqliteSnapshot(file: string): { execute: Execute; close(): void } {
  if (!existsSync(file)) throw new Error(`there is no database ${file}; set ALCOVE_DATA to the data folder`)
  // A running server has already checked the log.
  const lock = lockIfFree(file)
  try {
    if (lock) prepareLog(realpathSync(file))
  } finally {
    lock?.close()
  }
  const { database, prepare } = connect(file, true)
  database.exec('begin')
  return {
    async execute({ sql, values }, mode) {
      try {
        return prepare(sql).execute(values, mode)
      } catch (error) {
        throw damagedOr(error)
      }
    },
    close: () => database.close(),
  }
}

/**
 * Opens a connection for one transaction beside the server that uses the database. Returns `undefined` when none does, so
 * that the database can be opened as usual.
 */
export function openSqliteBeside(file: string): Pick<Engine, 'transaction'> | undefined {
  if (!existsSync(file)) throw new Error(`there is no database ${file}; set ALCOVE_DATA to the data folder`)
  const lock = lockIfFree(file)
  lock?.close()
  if (lock) return undefined
  const { database, prepare } = connect(file, false)
  // The server copies the log into the file.
  database.pragma('wal_autocheckpoint = 0')
  database.pragma('synchronous = full')
  return {
    async transaction(work) {
      try {
        database.exec('begin immediate')
        const result = await work({
          execute: async ({ sql, values }, mode) => prepare(sql).execute(values, mode),
          script: async (text) => database.exec(text),
        })
        database.exec('commit')
        return result
      } catch (error) {
        if (database.isInTransaction) database.exec('rollback')
        throw unavailableOr(error)
      } finally {
        database.close()
      }
    },
  }
}

/** Returns the lock if no process uses the database, otherwise `undefined`. */
export function lockIfFree(file: string): SqliteConnection | undefined {
  try {
    return takeLock(existsSync(file) ? realpathSync(file) : file)
  } catch (error) {
    if (error instanceof InUse) return undefined
    throw error
  }
}

class InUse extends Error {}

/** Takes the lock: an open transaction, which the system releases however the process ends. */
function takeLock(file: string): SqliteConnection {
  const lock = connectSqlite(`${file}.lock`, { timeoutMs: 0 })
  try {
    lock.exec('begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (!isSqliteError(error) || !error.code.startsWith('SQLITE_BUSY')) throw error
    throw new InUse(`${file} is in use by another process; stop that one first, or use PostgreSQL to run several`)
  }
}

function connectBoth(file: string, lock: SqliteConnection, options: SqliteOptions): [Connection, Connection] {
  try {
    prepareLog(file, options)
    return [connect(file, false), connect(file, true)]
  } catch (error) {
    lock.close()
    throw damagedOr(error)
  }
}

function damagedOr(error: unknown): unknown {
  return isStorageLost(error) ? damagedDatabase([error instanceof Error ? error.message : '']) : error
}

interface Connection {
  readonly database: SqliteConnection
  prepare(sql: string): Statement
  clearStatements(): void
}

function connect(file: string, readonly: boolean): Connection {
  const database = connectSqlite(file, { readonly, timeoutMs: 5_000 })
  if (!readonly) database.pragma('journal_mode = wal')
  // Group commit waits for the disk instead, once for all concurrent commits.
  database.pragma('synchronous = normal')
  database.pragma('foreign_keys = on')
  database.pragma('cache_size = -4000')
  database.pragma('temp_store = memory')
  database.pragma('journal_size_limit = 67108864')
  addFunctions(database)

  const prepared = new Map<string, Statement>()
  return {
    database,
    prepare(sql) {
      const known = prepared.get(sql)
      if (known) return known
      const statement = prepareStatement(database, sql)
      const [oldest] = prepared.size >= maxPreparedStatements ? prepared.keys() : []
      if (oldest !== undefined) prepared.delete(oldest)
      prepared.set(sql, statement)
      return statement
    },
    clearStatements: () => prepared.clear(),
  }
}

interface Statement {
  readonly isReadonly: boolean
  execute(values: readonly unknown[], mode: ResultMode): Result
}

function prepareStatement(database: SqliteConnection, sql: string): Statement {
  const statement = database.prepare(sql)
  const { isReadonly, columns } = statement
  if (columns.length === 0) {
    return { isReadonly, execute: (values) => ({ rows: [], changed: statement.run(values.map(boundValue)) }) }
  }
  const rowFrom = rowReader(columns.map(({ name, type }) => ({ name, read: readers[type?.toLowerCase() ?? ''] })))
  return {
    isReadonly,
    execute(values, mode) {
      const bound = values.map(boundValue)
      // Outside a transaction a write commits after its last row; `first` would hide a failed commit.
      if (mode !== 'one' || !isReadonly) {
        const rows = statement.all(bound).map(rowFrom)
        return { rows, changed: rows.length }
      }
      const row = statement.first(bound)
      return row ? { rows: [rowFrom(row)], changed: 1 } : { rows: [], changed: 0 }
    },
  }
}

function foreignKeysOf(database: SqliteConnection): ForeignKey[] {
  const rows = database.prepare(foreignKeyQueries.sqlite).all([])
  return rows.map((row) => {
    const [child = '', parent = '', on_delete = '', on_update = ''] = row.map(String)
    return { child, parent, on_delete, on_update }
  })
}

/**
 * Conversions by the declared type of a column, because SQLite has no booleans or JSON, and Node's driver returns bytes
 * without the methods of a buffer. Computed columns have none.
 */
const readers: Record<string, (value: unknown) => unknown> = {
  boolean: (value) => (value === null ? null : value !== 0),
  // In a column declared `json`, SQLite converts JSON text of a number to a number.
  json: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
  blob: (value) => (value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : value),
}

/**
 * Converts errors of the disk, of memory and of other programs' locks into `unavailable`. After a full disk or a lock
 * the outcome is known: nothing was changed.
 */
function unavailableOr(error: unknown): unknown {
  const isOutage =
    isSqliteError(error) &&
    (isStorageLost(error) || /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|PROTOCOL|NOMEM)/.test(error.code))
  if (!isOutage) return error
  const why = `${error.code} ${error.message}`
  return new Failure({
    kind: 'unavailable',
    what: 'the database',
    why,
    isOutcomeUnknown: !/^SQLITE_(FULL|BUSY)/.test(error.code),
  })
}

/**
 * Converts a value for the driver, which binds every number as a float; only bigints stay integers in columns without a
 * numeric type.
 */
function boundValue(value: unknown): unknown {
  const plain = plainValue(value)
  if (typeof plain === 'number') return Number.isSafeInteger(plain) ? BigInt(plain) : plain
  return typeof plain === 'boolean' ? (plain ? 1n : 0n) : plain
}
