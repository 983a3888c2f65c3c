import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SqliteConnection } from './connection.ts'
import type { Queue } from './queue.ts'

/** Transaction that waits for its turn. */
interface PendingTransaction {
  /** Executes the statements. */
  run(): Promise<void>
  /** Called after the commit. */
  onCommit(): void
  /** Called after a rollback, or if it never began. Has no effect once either callback was called. */
  onFailure(error: unknown): void
}

/** Maximum number of transactions that are committed together. A batch blocks the event loop until it is committed. */
const maxBatch = 32

export interface TransactionsOptions {
  database: SqliteConnection
  inTurn: Queue['inTurn']
  /** Resolves when no sync of the log is running. */
  afterSync(): Promise<void>
  /** Throws when the storage has failed. */
  assertSound(): void
  /** Called after each commit. */
  onCommit(): void
}

/** Runs transactions on the connection that writes. */
export interface Transactions {
  /** Runs one transaction in its turn. */
  runAlone(transaction: PendingTransaction): void
  /**
   * Runs a transaction that may be committed together with others. Waits for a running sync, after which all transactions
   * that have arrived meanwhile share a commit. Up to `maxBatch` of them wait for no additional sync, because each needs one
   * that begins after its commit; the others wait for one more at most.
   */
  runBatched(transaction: PendingTransaction): void
  /** Returns true while batched transactions wait to begin. */
  hasWaiting(): boolean
  /** Resolves when all batched transactions have ended. */
  settled(): Promise<void>
}

export function openTransactions(options: TransactionsOptions): Transactions {
  const { database, inTurn, afterSync, assertSound } = options
  const waiting: PendingTransaction[] = []
  const { begin, commit, rollBack, setSavepoint, rollBackToSavepoint, releaseSavepoint } = prepareControl(database)

  return {
    runAlone: (transaction) => void inTurn(() => commitTogether([transaction])).catch(transaction.onFailure),
    runBatched(transaction) {
      waiting.push(transaction)
      if (waiting.length === 1) void runWaiting()
    },
    hasWaiting: () => waiting.length > 0,
    async settled() {
      while (waiting.length > 0) {
        await afterSync()
        await nextTurn()
        await inTurn(async () => {})
      }
    },
  }

  async function runWaiting(): Promise<void> {
    await afterSync()
    await runBatch()
  }

  async function runBatch(): Promise<void> {
    await inTurn(() => commitTogether(takeWaiting())).catch((error) => {
      for (const { onFailure } of takeWaiting()) onFailure(error)
    })
  }

  function takeWaiting(): PendingTransaction[] {
    const taken = waiting.splice(0, maxBatch)
    // The others have waited for a sync, too. They must not wait for the one that this batch begins.
    if (waiting.length > 0) void nextTurn().then(runBatch)
    return taken
  }

  async function commitTogether(batch: readonly PendingTransaction[]): Promise<void> {
    try {
      assertSound()
      begin()
      const executed = batch.length === 1 ? await executeOnly(batch) : await executeEach(batch)
      commit()
      for (const { onCommit } of executed) onCommit()
      options.onCommit()
    } catch (error) {
      try {
        // A full disk has already rolled the transaction back.
        if (database.isInTransaction) rollBack()
      } finally {
        for (const { onFailure } of batch) onFailure(error)
      }
    }
  }

  /** Executes a batch of one, which needs no savepoint. */
  async function executeOnly(batch: readonly PendingTransaction[]): Promise<readonly PendingTransaction[]> {
    for (const { run } of batch) await run()
    return batch
  }

  /** Returns those that did not fail. A failed one is rolled back to its savepoint. */
  async function executeEach(batch: readonly PendingTransaction[]): Promise<PendingTransaction[]> {
    const executed: PendingTransaction[] = []
    for (const transaction of batch) {
      setSavepoint()
      try {
        await transaction.run()
        executed.push(transaction)
      } catch (error) {
        // A full disk has rolled back the others, too.
        if (!database.isInTransaction) throw error
        rollBackToSavepoint()
        transaction.onFailure(error)
      }
      releaseSavepoint()
    }
    return executed
  }
}

/** Prepares the statements that control transactions: parsing a savepoint and its release takes a fifth of the CPU of a short one. */
function prepareControl(database: SqliteConnection) {
  const prepare = (text: string) => {
    const statement = database.prepare(text)
    return () => void statement.run([])
  }
  return {
    begin: prepare('begin immediate'),
    commit: prepare('commit'),
    rollBack: prepare('rollback'),
    setSavepoint: prepare('savepoint batched'),
    rollBackToSavepoint: prepare('rollback to batched'),
    releaseSavepoint: prepare('release batched'),
  }
}
