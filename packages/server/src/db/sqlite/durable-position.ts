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
 * Remembers, in a small file beside the database, up to which place of the log every commit is on the disk. SQLite takes
 * a damaged log for one that ends there; only this record can tell the two apart. It may lag behind the log, never run
 * ahead of it.
 */
export interface DurablePosition {
  /**
   * Records a place that is on the disk already, soon and without making its caller wait; of several that come at one
   * time, the last. `read` returns `undefined` when the place is not there any more, because the log has begun anew.
   */
  advance(read: () => LogPosition | undefined): void
  /** Records the last place now, before the log is closed. */
  flush(): Promise<void>
  /** Clean: the log was copied into the database and removed. */
  close(isClean: boolean): void
}

const recordBytes = 192
/** How far the record may lag behind: writing it for each of many commits would cost as much as a commit. */
const recordEveryMs = 100
/** How often the record itself waits for the disk. */
const syncEveryMs = 1000
const positionFile = (database: string) => `${database}.position`

export function openDurablePosition(database: string): DurablePosition {
  const file = openSync(positionFile(database), 'a+', 0o600)
  closeSync(file)
  const handle = openSync(positionFile(database), 'r+')
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
      if (performance.now() - syncedAt < syncEveryMs) return
      syncedAt = performance.now()
      await promisify(fsync)(handle)
    } catch {
      // A record that lags behind detects less, and that is all; the next commit tries again.
    }
  }

  const recordNext = () => {
    recording = recording.then(record)
  }

  return {
    advance(read) {
      latest = read
      timer ??= setTimeout(recordNext, recordEveryMs).unref()
    },
    async flush() {
      if (timer) recordNext()
      clearTimeout(timer)
      await recording
    },
    close(isClean) {
      if (isClean) {
        writeSync(handle, textOf('closed'), 0, recordBytes, 0)
        fsyncSync(handle)
      }
      closeSync(handle)
    },
  }
}

/**
 * Prepares what an earlier process left of the log for being used again, before SQLite sees it. Throws when the log ends
 * before the recorded place: SQLite would drop acknowledged commits without a word. `acceptLoss` keeps a copy of the log
 * and goes on.
 *
 * What is left is written once more and synced: after a failed sync the disk may lack what the page cache still has, and
 * nothing but another write brings it there.
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

/** What of the recorded position is missing; `undefined` when everything is there. */
function lossAfter(recorded: LogPosition, database: string, log: string): string | undefined {
  const found = sizeOf(log) > 0 ? scanLog(log, recorded.frames) : undefined
  if (found && isSame(found.salts, recorded.salts)) {
    if (found.checksum && isSame(found.checksum, recorded.checksum)) return undefined
    return `it can be read up to frame ${found.frames}, but ${recorded.frames} frames were on the disk`
  }
  // SQLite begins a log anew only after all of the old one is in the database, and then counts the first salt up.
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

/** Writes the same bytes in the same place, so a crash in the middle changes nothing. */
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

/** One line of readable text, padded to a fixed length, so that a write replaces all of it. */
function textOf(position: LogPosition | 'closed'): Buffer {
  const fields =
    position === 'closed'
      ? ['closed']
      : [...position.salts, position.frames, ...position.checksum, position.page, position.pageDigest]
  const text = ['alcove-position', ...fields].join(' ')
  return Buffer.from(`${text} ${seal(text)}`.padEnd(recordBytes - 1).concat('\n'))
}

/** `undefined` after a clean stop, without a record, and for one that was torn: there is nothing to compare then. */
function readRecord(database: string): LogPosition | undefined {
  const file = positionFile(database)
  if (sizeOf(file) === 0) return undefined
  const words = readFileSync(file, 'utf8').trim().split(' ')
  const isSealed = words.at(-1) === seal(words.slice(0, -1).join(' '))
  if (!isSealed || words.length !== 9) return undefined
  const [salt1 = 0, salt2 = 0, frames = 0, checksum1 = 0, checksum2 = 0, page = 0] = words.slice(1, 7).map(Number)
  const pageDigest = words[7] ?? ''
  return { salts: [salt1, salt2], frames, checksum: [checksum1, checksum2], page, pageDigest }
}

const seal = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
