import type { Sql } from 'sql-template-tag'
import { Failure } from '../platform/failure.ts'
import { findWrites } from './changes.ts'
import type { Database, Db } from './db.ts'

interface WriteObserver {
  /** Runs in each transaction before its first write; when it throws, nothing of the transaction is committed. */
  beforeWrite?(tx: Db): Promise<void>
  /** A transaction that wrote has committed, or may have. */
  onCommit?(): void
}

/** The same database, with all writes made through it reported to an observer. */
export function observeWrites(db: Database, { beforeWrite, onCommit }: WriteObserver): Database {
  return {
    ...db,
    transaction,
    all: (query) => run(query, (db) => db.all(query)),
    one: (query) => run(query, (db) => db.one(query)),
    run: (query) => run(query, (db) => db.run(query)),
  }

  /** A write outside a transaction gets one, so that what `beforeWrite` does belongs to it. */
  function run<Result>(query: Sql, execute: (db: Db) => Promise<Result>): Promise<Result> {
    return isWrite(query) ? transaction(execute) : execute(db)
  }

  async function transaction<Result>(
    work: (db: Db) => Promise<Result>,
    options?: Parameters<Database['transaction']>[1],
  ): Promise<Result> {
    let hasWritten = false
    try {
      const result = await db.transaction((tx) => {
        hasWritten = false
        let prepared: Promise<void> | undefined
        const prepare = async (query: Sql) => {
          if (!isWrite(query)) return
          hasWritten = true
          prepared ??= beforeWrite?.(tx)
          await prepared
        }
        return work({
          ...tx,
          all: (query) => prepare(query).then(() => tx.all(query)),
          one: (query) => prepare(query).then(() => tx.one(query)),
          run: (query) => prepare(query).then(() => tx.run(query)),
        })
      }, options)
      if (hasWritten) onCommit?.()
      return result
    } catch (error) {
      if (hasWritten && isInDoubt(error)) onCommit?.()
      throw error
    }
  }
}

const maxKnownTexts = 2000
const knownTexts = new Map<string, boolean>()

function isWrite({ sql: text }: Sql): boolean {
  const known = knownTexts.get(text)
  if (known !== undefined) return known
  if (knownTexts.size >= maxKnownTexts) knownTexts.clear()
  const found = findWrites(text).length > 0
  knownTexts.set(text, found)
  return found
}

function isInDoubt(error: unknown): boolean {
  return error instanceof Failure && error.cause.kind === 'unavailable' && error.cause.inDoubt === true
}
