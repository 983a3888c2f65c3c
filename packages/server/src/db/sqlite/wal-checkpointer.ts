import { openWorkers, workerBeside } from '../../platform/worker-pool.ts'
import type { SqliteConnection } from './connection.ts'
import { isStorageLost, type StorageHealth } from './storage-health.ts'

/** Copies SQLite's log into the database file on another thread, because a checkpoint waits for the disk twice. */
export interface Checkpointer {
  /** Called after each commit; never blocks. Returns the number of frames in the log. */
  committed(): number
  /** Waits for the current checkpoint and prevents further ones. */
  close(): Promise<void>
}

/** Outcome of a checkpoint on another thread: the number of frames of the log that are in the database file, or SQLite's error. */
export type CheckpointResult = { isDone: true; checkpointed: number } | { isDone: false; code: string; message: string }

export interface CheckpointOptions {
  writer: SqliteConnection
  /** Runs work while no writer is active. */
  inTurn(work: () => Promise<void>): Promise<void>
  health: StorageHealth
  /** Replaces the checkpoint in tests with a failing disk. */
  checkpoint?: ((file: string) => Promise<CheckpointResult>) | undefined
}

/**
 * Number of frames (16 MiB) at which a checkpoint starts: large enough that an import does not write pages twice, small
 * enough to be read at a start.
 */
const maxFrames = 4_000
/** Number of frames (64 MiB) from which writers wait for the checkpoint. */
const heldFrames = 16_000
/** Maximum number of passes. Concurrent writers add less during each pass. */
const maxPasses = 4
const fewFrames = 500

/** Worker thread for all databases of the process. It only runs while there are many writes. */
const workers = openWorkers<string, CheckpointResult>(workerBeside(import.meta.url, './checkpoint-worker'), {
  maxThreads: 1,
  timeoutMs: 60_000,
  idleMs: 5_000,
  maxWaiting: 100,
  maxHeapMib: 32,
})

export function openCheckpointer(
  file: string,
  { writer, inTurn, health, checkpoint = workers.run }: CheckpointOptions,
): Checkpointer {
  writer.pragma('wal_autocheckpoint = 0')
  const frames = writer.prepare('pragma wal_checkpoint(noop)')
  const countFrames = () => {
    const [, log, checkpointed] = frames.first([]) ?? []
    return { log: Number(log), checkpointed: Number(checkpointed) }
  }
  let running = Promise.resolve()
  /** Resolves when the last checkpoint on the other thread ends, even if it failed. */
  let inThread = running
  let state: 'idle' | 'running' | 'held' = 'idle'
  let isClosed = false
  /** Number of frames in the log after the last commit. Stored, because SQLite cannot count them during a transaction. */
  let lastCount = 0

  /** Runs a checkpoint on the other thread. Returns the number of committed frames that it has not copied. */
  function moveInThread(): Promise<number> {
    health.assertSound()
    const moved = checkpoint(file).then((result) => {
      if (!result.isDone) throw new CheckpointFailed(result)
      // A commit since the checkpoint may have restarted the log, which then has fewer frames.
      return lastCount < result.checkpointed ? lastCount : lastCount - result.checkpointed
    })
    const ignore = () => {}
    inThread = moved.then(ignore, ignore)
    return moved
  }

  async function move(): Promise<void> {
    try {
      // Writers continue during these passes. SQLite restarts the log only when it is empty, so the last short pass
      // excludes writers.
      let left = await moveInThread()
      for (let pass = 1; pass < maxPasses && left > fewFrames; pass++) left = await moveInThread()
      await inTurn(async () => void (await moveInThread()))
    } catch (error) {
      // A retry would succeed only because the system has dropped the pages that did not reach the disk.
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
      lastCount = log
      if (isClosed || state === 'held') return log
      if (state === 'running') {
        if (left < heldFrames) return log
        state = 'held'
        // Rejects if a transaction takes longer than writers wait. Then they continue during the checkpoint.
        inTurn(() => inThread).catch(() => {})
        return log
      }
      if (left < maxFrames) return log
      state = 'running'
      running = move()
        .catch((error) => {
          // Other errors are ignored, as in SQLite: the log is intact, and the next commit tries again.
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
