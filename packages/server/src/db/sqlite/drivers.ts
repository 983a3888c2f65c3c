import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'
import { betterSqlite3 } from './better-sqlite3.ts'
import type { SqliteDriver } from './connection.ts'
import { type NodeSqlite, nodeSqlite } from './node-sqlite.ts'

/** Oldest release of SQLite with `wal_checkpoint(noop)`, which the checkpointer needs. */
const oldestSqlite = '3.51.0'

/**
 * Opens a connection with better-sqlite3 where its binary is installed, and otherwise with Node's own SQLite.
 * Throws an error with instructions where neither is usable.
 */
export const connectSqlite: SqliteDriver = (file, options) => {
  driver ??= chooseDriver()
  return driver(file, options)
}

let driver: SqliteDriver | undefined

function chooseDriver(): SqliteDriver {
  // Lets the tests of the engine run on either driver.
  const wanted = process.env['ALCOVE_TEST_SQLITE']
  const failures: string[] = []
  for (const [name, load] of Object.entries(loaders)) {
    if (wanted && wanted !== name) continue
    try {
      return usable(load())
    } catch (error) {
      failures.push(`${name}: ${firstLine(error)}`)
    }
  }
  throw new Error(
    `SQLite cannot be used (${failures.join('; ')}); run Alcove on Node 24, whose SQLite is new enough, or run ` +
      '"npm rebuild better-sqlite3" where a C++ compiler is installed, or set ALCOVE_DATABASE_URL to use PostgreSQL',
  )
}

const loaders: Readonly<Record<string, () => SqliteDriver>> = {
  // Required at run time, because the package is optional.
  'better-sqlite3': () => betterSqlite3(createRequire(import.meta.url)('better-sqlite3') as typeof Sqlite),
  'node:sqlite': () => {
    const module = withoutWarning(() => process.getBuiltinModule('node:sqlite')) as NodeSqlite | undefined
    if (!module) throw new Error(`Node ${process.versions.node} does not have it`)
    return nodeSqlite(module)
  },
}

/** Returns the driver if it loads and has a SQLite that is new enough. */
function usable(driver: SqliteDriver): SqliteDriver {
  const connection = driver(':memory:', { timeoutMs: 0 })
  try {
    const version = String(connection.prepare('select sqlite_version()').first([])?.[0])
    if (version.localeCompare(oldestSqlite, 'en', { numeric: true }) < 0) {
      throw new Error(`SQLite ${version} is older than ${oldestSqlite}`)
    }
    return driver
  } finally {
    connection.close()
  }
}

/** Loads a module without the warning that it is experimental: the tests of the engine run on it. */
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

const firstLine = (error: unknown) => (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]
