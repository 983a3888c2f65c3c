import type { Sql } from 'sql-template-tag'
import { Failure } from '../platform/failure.ts'
import { findWrites } from './changes.ts'
import type { Database, Db } from './db.ts'

interface WriteObserver {
  /** Called in each transaction before its first write. If it throws, the transaction is rolled back. */
  beforeWrite?(tx: Db): Promise<void>
  /** Called after a transaction with writes has committed or its outcome is unknown. */
  onCommit?(): void
}

/** Returns the same database with an observer of all writes made through it. */
export function observeWrites(db: Database, { beforeWrite, onCommit }: WriteObserver): Database {
  return {
    // Names every field, because spreading an object with so many fields takes V8 longer than a short SQL statement.
    dialect: db.dialect,
    changes: db.changes,
    broken: db.broken,
    canDeferCheck: db.canDeferCheck,
    whenDurable: db.whenDurable,
    canExtendTransaction: db.canExtendTransaction,
    ready: db.ready,
    withoutMemoryMap: db.withoutMemoryMap,
    check: db.check,
    close: db.close,
    transaction,
    all: (query) => run(query, (db) => db.all(query)),
    one: (query) => run(query, (db) => db.one(query)),
    run: (query) => run(query, (db) => db.run(query)),
  }

  /** Runs a single write in a transaction, so that `beforeWrite` is part of it. */
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
        const observe = <Answer>(query: Sql, execute: () => Promise<Answer>): Promise<Answer> => {
          if (!isWrite(query)) return execute()
          hasWritten = true
          if (!beforeWrite) return execute()
          prepared ??= beforeWrite(tx)
          return prepared.then(execute)
        }
        return work({
          dialect: tx.dialect,
          whenDurable: tx.whenDurable,
          all: (query) => observe(query, () => tx.all(query)),
          one: (query) => observe(query, () => tx.one(query)),
          run: (query) => observe(query, () => tx.run(query)),
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
  return error instanceof Failure && error.cause.kind === 'unavailable' && error.cause.isOutcomeUnknown === true
}
