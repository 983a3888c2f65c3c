import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  write,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { isSame, type LogPosition, pageDigestIn, scanLog } from './write-ahead-log.ts'

/**
 * Record, in a small file beside the database, of the position in the log up to which all commits are on the disk.
 * SQLite treats a damaged log as one that ends at the damage; only this record reveals the difference. It may lag
 * behind the log but is never ahead of it.
 */
export interface DurablePosition {
  /**
   * Schedules recording a position that is already on the disk, without blocking the caller. Only the latest of several
   * positions is recorded. `read` returns `undefined` when the log was restarted and no longer contains the position.
   */
  advance(read: () => LogPosition | undefined): void
  /** Records the latest position immediately, before the log is closed. */
  flush(): Promise<void>
  /**
   * Closes the record. `isClean`: the log was copied into the database and removed. `isChecked`: no damage is known, and
   * the database was checked or was unchanged since a clean stop when it was opened.
   */
  close(options: { isClean: boolean; isChecked: boolean }): void
}

const recordBytes = 192
const recordName = 'alcove-position'
/** Interval of writes. Recording every commit would cost as much as a commit. */
const recordIntervalMs = 100
/** Interval at which the record itself is synced. */
const syncIntervalMs = 1000
const positionFile = (database: string) => `${database}.position`

export function openDurablePosition(database: string): DurablePosition {
  const file = openSync(positionFile(database), 'a+', 0o600)
  closeSync(file)
  const handle = openSync(positionFile(database), 'r+')
  // Not synced: if a power failure loses this record, a database that was changed does not match the earlier record.
  if (!readRecord(database)) writeSync(handle, textOf('open'), 0, recordBytes, 0)
  let latest: (() => LogPosition | undefined) | undefined
  let timer: NodeJS.Timeout | undefined
  let recording = Promise.resolve()
  let syncedAt = 0

  async function record(): Promise<void> {
    timer = undefined
    try {
      const position = latest?.()
      latest = undefined
      if (!position) return
      await promisify(write)(handle, textOf(position), 0, recordBytes, 0)
      if (performance.now() - syncedAt < syncIntervalMs) return
      syncedAt = performance.now()
      await promisify(fsync)(handle)
    } catch {
      // An outdated record only detects less damage, and the next commit tries again.
    }
  }

  const recordNext = () => {
    recording = recording.then(record)
  }

  return {
    advance(read) {
      latest = read
      timer ??= setTimeout(recordNext, recordIntervalMs).unref()
    },
    async flush() {
      if (timer) recordNext()
      clearTimeout(timer)
      await recording
    },
    close({ isClean, isChecked }) {
      if (isClean) {
        writeSync(handle, textOf(isChecked ? closedRecord(database) : 'open'), 0, recordBytes, 0)
        fsyncSync(handle)
      }
      closeSync(handle)
    },
  }
}

/**
 * Returns whether the last process stopped cleanly and knew of no damage, and the file has the same size and modification
 * time as then.
 */
export function isUnchangedSinceCleanStop(database: string): boolean {
  const isLogGone = sizeOf(`${database}-wal`) === 0
  return isLogGone && recordWords(database)?.join(' ') === closedRecord(database)
}

/** Returns the record of a closed database. Copying or changing the file changes its size or modification time. */
function closedRecord(database: string): string {
  const { size, mtimeNs } = statSync(database, { bigint: true })
  return `closed ${size} ${mtimeNs}`
}

/**
 * Checks the log of an earlier process before SQLite opens it. Throws when the log ends before the recorded position,
 * because SQLite would silently drop acknowledged commits. With `acceptLoss`, keeps a copy of the log and continues.
 * Then rewrites and syncs the log: after a failed sync, the disk may lack data that is still in the page cache, and
 * only another write sends it to the disk.
 */
export function prepareLog(database: string, { acceptLoss = false } = {}): void {
  const log = `${database}-wal`
  const recorded = readRecord(database)
  const loss = recorded && lossAfter(recorded, database, log)
  if (loss && !acceptLoss) throw new Error(explain(database, loss))
  if (sizeOf(log) === 0) return
  if (loss) copyFileSync(log, `${log}.damaged`)
  rewrite(log)
}

/** Returns what is missing before the recorded position; `undefined` when the log is complete. */
function lossAfter(recorded: LogPosition, database: string, log: string): string | undefined {
  const found = sizeOf(log) > 0 ? scanLog(log, recorded.frames) : undefined
  if (found && isSame(found.salts, recorded.salts)) {
    if (found.checksum && isSame(found.checksum, recorded.checksum)) return undefined
    return `it can be read up to frame ${found.frames}, but ${recorded.frames} frames were on the disk`
  }
  // SQLite restarts a log only after all of it was copied into the database, and then increments the first salt.
  if (found && ((found.salts[0] - recorded.salts[0]) | 0) > 0) return undefined
  // Another program, such as sqlite3, may have copied the log into the database and removed it.
  if (pageDigestIn(database, recorded.page) === recorded.pageDigest) return undefined
  const state = sizeOf(log) > 0 ? 'it has no valid beginning' : 'it is missing'
  return `${state}, but ${recorded.frames} frames were on the disk`
}

function explain(database: string, loss: string): string {
  return `the log ${database}-wal is damaged: ${loss}. Starting with it would lose changes that were acknowledged. \
Restore a backup into an empty data folder (docs/operating/back-up.md), or, to go on without what is missing, run \
alcove doctor --accept-loss, which keeps a copy of the log. If you have just replaced the database file, the second is right.`
}

/** Writes the same bytes to the same place, so that a crash in between does no harm. */
function rewrite(log: string): void {
  const file = openSync(log, 'r+')
  try {
    const chunk = Buffer.allocUnsafe(1024 * 1024)
    const { size } = fstatSync(file)
    for (let position = 0; position < size; ) {
      const bytes = readSync(file, chunk, 0, chunk.length, position)
      if (bytes === 0) break
      position += writeSync(file, chunk, 0, bytes, position)
    }
    fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
  const folder = openSync(dirname(log), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Returns one line of readable text, padded to a fixed length, so that each write replaces it completely. */
function textOf(position: LogPosition | string): Buffer {
  const fields =
    typeof position === 'string'
      ? [position]
      : [...position.salts, position.frames, ...position.checksum, position.page, position.pageDigest]
  const text = [recordName, ...fields].join(' ')
  return Buffer.from(`${text} ${seal(text)}`.padEnd(recordBytes - 1).concat('\n'))
}

/** Returns the recorded position; `undefined` after a clean stop and for a missing or torn record. */
function readRecord(database: string): LogPosition | undefined {
  const words = recordWords(database)
  if (words?.length !== 7) return undefined
  const [salt1 = 0, salt2 = 0, frames = 0, checksum1 = 0, checksum2 = 0, page = 0] = words.slice(0, 6).map(Number)
  return { salts: [salt1, salt2], frames, checksum: [checksum1, checksum2], page, pageDigest: words[6] ?? '' }
}

/** Returns the words of the record without its name and seal; `undefined` if the record is missing or torn. */
function recordWords(database: string): string[] | undefined {
  const file = positionFile(database)
  if (sizeOf(file) === 0) return undefined
  const words = readFileSync(file, 'utf8').trim().split(' ')
  return words.at(-1) === seal(words.slice(0, -1).join(' ')) ? words.slice(1, -1) : undefined
}

const seal = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
