import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import type { Database } from '../../db/db.ts'
import type { DatabaseOptions } from '../../db/engine.ts'
import { openDatabase } from '../../db/open.ts'
import { createTestDatabase } from './postgres.ts'
import { borrowDatabase } from './reused-database.ts'

export interface FreshDatabase {
  db: Database
  /** Where it is. */
  options: DatabaseOptions
  /** Opens a second connection to the same database, as another process would. PostgreSQL only. */
  openSecond(): Promise<Database>
  drop(): Promise<void>
}

export const testEngine: 'sqlite' | 'postgres' =
  process.env['ALCOVE_TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite'

/**
 * Condition of tests whose subject is not the database, in a file of tests that run on both engines. Their
 * statements are executed on PostgreSQL by other tests.
 */
export const onSqlite: boolean = testEngine === 'sqlite'

/** Creates a migrated, empty database of the engine under test. */
export async function freshDatabase(): Promise<FreshDatabase> {
  return testEngine === 'postgres' ? freshPostgres() : freshSqlite()
}

/** Returns an empty database that one server uses. On PostgreSQL another server of the file may have used it before. */
export function databaseOfServer(): Promise<Pick<FreshDatabase, 'db' | 'drop'>> {
  if (testEngine === 'sqlite') return freshSqlite()
  return inject('postgres').isSuperuser ? borrowDatabase(freshPostgres) : freshPostgres()
}

async function freshPostgres(): Promise<FreshDatabase> {
  const { url, template } = inject('postgres')
  const database = await createTestDatabase({ url }, { template })
  const options: DatabaseOptions = { kind: 'postgres', url: database.url }
  const open = () => openDatabase(options)
  const db = await open()
  return { db, options, openSecond: open, drop: () => database.drop() }
}

async function freshSqlite(): Promise<FreshDatabase> {
  const { template } = inject('sqlite')
  // Created next to the template, so that files of a killed worker are removed with it.
  const folder = await mkdtemp(join(dirname(template), 'database-'))
  const file = join(folder, 'alcove.sqlite3')
  await copyFile(template, file)
  const db = await openDatabase({ kind: 'sqlite', file })
  return {
    db,
    options: { kind: 'sqlite', file },
    openSecond: () => Promise.reject(new Error('SQLite serves one process')),
    drop: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Opens a database without tables, for tests that migrate it themselves. Closed and removed when the test finishes. */
export async function emptyDatabase(): Promise<Database> {
  if (testEngine === 'postgres') {
    const { url, drop } = await createTestDatabase({ url: inject('postgres').url })
    onTestFinished(drop)
    return openForTest({ kind: 'postgres', url })
  }
  const folder = await mkdtemp(join(tmpdir(), 'alcove-empty-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return openForTest({ kind: 'sqlite', file: join(folder, 'alcove.sqlite3') })
}

async function openForTest(options: DatabaseOptions): Promise<Database> {
  const db = await openDatabase(options)
  onTestFinished(() => db.close())
  return db
}
