import type Sqlite from 'better-sqlite3'
import { openWorkers, workerBeside } from '../../platform/worker-pool.ts'
import { isStorageLost, type StorageHealth } from './storage-health.ts'

/** Moves SQLite's log into the file, away from the thread that serves requests: it waits for the disk twice. */
export interface Checkpoints {
  /** To be called after each commit; never waits. Returns how many frames the log has. */
  committed(): number
  /** Waits for what is under way; nothing begins any more. */
  close(): Promise<void>
}

/** The outcome of one checkpoint in another thread, with SQLite's error code when it failed. */
export type CheckpointResult = { isDone: true } | { isDone: false; code: string; message: string }

export interface CheckpointOptions {
  writer: Sqlite.Database
  /** Keeps writers away while its work lasts. */
  inTurn(work: () => Promise<void>): Promise<void>
  health: StorageHealth
  /** Replaced by tests that need a failing disk. */
  checkpoint?: ((file: string) => Promise<CheckpointResult>) | undefined
}

/** 16 MiB: seldom enough that an import does not write its pages twice, little enough to be read at a start. */
const mostFrames = 4_000
/** 64 MiB: writers that are faster than the thread wait for it. */
const heldFrames = 16_000
/** What writers add while the log is moved is less each time. */
const mostPasses = 4
const fewFrames = 500

/** Of all databases of the process; it is there only while much is written. */
const workers = openWorkers<string, CheckpointResult>(workerBeside(import.meta.url, './checkpoint-worker'), {
  most: 1,
  timeoutMs: 60_000,
  idleMs: 5_000,
  maxWaiting: 100,
  maxHeapMib: 32,
})

export function openCheckpoints(
  file: string,
  { writer, inTurn, health, checkpoint = workers.run }: CheckpointOptions,
): Checkpoints {
  writer.pragma('wal_autocheckpoint = 0')
  const frames = writer.prepare<[], { log: number; checkpointed: number }>('pragma wal_checkpoint(noop)')
  const countFrames = () => frames.get() ?? { log: 0, checkpointed: 0 }
  const framesLeft = () => {
    const { log, checkpointed } = countFrames()
    return log - checkpointed
  }
  let running = Promise.resolve()
  let inThread = Promise.resolve()
  let state: 'idle' | 'running' | 'held' = 'idle'
  let isClosed = false

  function moveInThread(): Promise<void> {
    health.assertSound()
    inThread = checkpoint(file).then((result) => {
      if (!result.isDone) throw new CheckpointFailed(result)
    })
    return inThread
  }

  async function move(): Promise<void> {
    try {
      // Writers go on meanwhile. The log begins anew only when nothing is left in it, so they wait for the little they added.
      await moveInThread()
      for (let pass = 1; pass < mostPasses && framesLeft() > fewFrames; pass++) await moveInThread()
      await inTurn(moveInThread)
    } catch (error) {
      // Another attempt would succeed, because the system has forgotten what did not reach the disk.
      if (isStorageLost(error)) return health.fail(error)
      await inTurn(async () => {
        health.assertSound()
        writer.pragma('wal_checkpoint(passive)')
      })
    }
  }

  return {
    committed() {
      const { log, checkpointed } = countFrames()
      const left = log - checkpointed
      if (isClosed || state === 'held') return log
      if (state === 'running') {
        if (left < heldFrames) return log
        state = 'held'
        void inTurn(() => inThread.catch(() => {}))
        return log
      }
      if (left < mostFrames) return log
      state = 'running'
      running = move()
        .catch((error) => {
          // Otherwise as SQLite does it: the log is there, and the next commit tries again.
          if (isStorageLost(error)) health.fail(error)
        })
        .finally(() => {
          state = 'idle'
        })
      return log
    },
    async close() {
      isClosed = true
      await running
    },
  }
}

class CheckpointFailed extends Error {
  readonly code: string

  constructor({ code, message }: { code: string; message: string }) {
    super(message)
    this.name = 'CheckpointFailed'
    this.code = code
  }
}
