import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { connectSqlite } from './sqlite/drivers.ts'
import { prepareLog } from './sqlite/durable-position.ts'
import { lockIfFree } from './sqlite/engine.ts'
import { addFunctions } from './sqlite/functions.ts'
import { checkIntegrity } from './sqlite/integrity.ts'
import { damagedDatabase } from './sqlite/storage-health.ts'

/**
 * Copies a consistent snapshot of a SQLite database into a new file, whether or not a server is using it. The copy gets
 * its final name only after it was synced and checked, so a file of that name is always complete. Returns its size.
 */
export async function backUpSqlite(file: string, target: string): Promise<number> {
  if (!existsSync(file)) throw new Error(`there is no database ${file}; set ALCOVE_DATA to the data folder`)
  if (existsSync(target)) throw new Error(`${target} exists already; name a new file`)
  // A running server has already checked the log.
  const lock = lockIfFree(file)
  try {
    if (lock) prepareLog(file)
  } finally {
    lock?.close()
  }
  const partial = `${target}.incomplete`
  try {
    closeSync(openSync(partial, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    throw new Error(`${partial} is left from a backup that did not end; remove it, if none is running`)
  }
  try {
    copyInto(file, partial)
    sync(partial)
    const damage = await checkIntegrity(partial)
    if (damage.length > 0) throw damagedDatabase(damage)
    renameSync(partial, target)
    sync(dirname(target))
    return statSync(target).size
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  } finally {
    for (const ending of ['-wal', '-shm']) rmSync(partial + ending, { force: true })
  }
}

/** Copies in one read transaction. Writers continue; commits made in the meantime are not in the copy. */
function copyInto(file: string, target: string): void {
  const database = connectSqlite(file, { readonly: true, timeoutMs: 10_000 })
  try {
    addFunctions(database)
    database.prepare('vacuum into ?').run([target])
  } finally {
    database.close()
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
