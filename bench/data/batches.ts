import type { Database, Db } from '../../packages/server/src/db/db.ts'
import type { ScriptRunner } from '../../packages/server/src/db/engine.ts'

/** Calls `work` with batches of the numbers from 0 to `total` in transactions, and prints the progress. */
export async function forEachBatch(
  db: Database,
  what: string,
  total: number,
  work: (db: Db, numbers: number[]) => Promise<void>,
): Promise<void> {
  let shown = Date.now()
  for (let start = 0; start < total; start += perTransaction) {
    await inLargeTransaction(db, async (tx) => {
      const end = Math.min(start + perTransaction, total)
      for (let at = start; at < end; at += perStatement) await work(tx, range(at, Math.min(at + perStatement, end)))
    })
    if (Date.now() - shown < 2_000) continue
    shown = Date.now()
    console.error(`seeding ${what}: ${Math.round((100 * start) / total)} % of ${total.toLocaleString('en')}`)
  }
}

/** Runs a transaction with a large cache, so that each page is written once although rows are inserted in random order. */
export async function inLargeTransaction(db: Database, work: (db: Db) => Promise<void>): Promise<void> {
  await db.transaction(async (tx) => {
    if (tx.dialect.engine === 'sqlite') await (tx as Db & ScriptRunner).script('pragma cache_size = -400000')
    await work(tx)
  })
}

const perStatement = 1_000
const perTransaction = 20_000

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index)
}
