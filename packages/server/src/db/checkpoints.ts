import type Sqlite from 'better-sqlite3'
import { openWorkers, workerBeside } from '../platform/workers.ts'

/** Moves SQLite's log into the file, away from the thread that serves requests: it waits for the disk twice. */
export interface Checkpoints {
  /** To be called after each commit; never waits. */
  committed(): void
  /** Waits for what is under way; nothing begins any more. */
  close(): Promise<void>
}

/** 16 MiB: seldom enough that an import does not write its pages twice, little enough to be read at a start. */
const mostFrames = 4_000
/** 64 MiB: writers that are faster than the thread wait for it. */
const heldFrames = 16_000
/** What writers add while the log is moved is less each time. */
const mostPasses = 4
const fewFrames = 500

/** Of all databases of the process; it is there only while much is written. */
const workers = openWorkers<string, 'done'>(workerBeside(import.meta.url, './checkpoint-worker'), {
  most: 1,
  timeoutMs: 60_000,
  idleMs: 5_000,
  maxWaiting: 100,
  maxHeapMib: 32,
})

/** `inTurn` keeps writers away while its work lasts. */
export function openCheckpoints(
  file: string,
  writer: Sqlite.Database,
  inTurn: (work: () => Promise<void>) => Promise<void>,
): Checkpoints {
  writer.pragma('wal_autocheckpoint = 0')
  const frames = writer.prepare<[], { log: number; checkpointed: number }>('pragma wal_checkpoint(noop)')
  const framesLeft = () => {
    const { log, checkpointed } = frames.get() ?? { log: 0, checkpointed: 0 }
    return log - checkpointed
  }
  let running = Promise.resolve()
  let inThread = Promise.resolve()
  let state: 'idle' | 'running' | 'held' = 'idle'
  let isClosed = false

  function moveInThread(): Promise<void> {
    inThread = workers.run(file).then(() => {})
    return inThread
  }

  async function move(): Promise<void> {
    try {
      // Writers go on meanwhile. The log begins anew only when nothing is left in it, so they wait for the little they added.
      await moveInThread()
      for (let pass = 1; pass < mostPasses && framesLeft() > fewFrames; pass++) await moveInThread()
      await inTurn(moveInThread)
    } catch {
      await inTurn(async () => void writer.pragma('wal_checkpoint(passive)'))
    }
  }

  return {
    committed() {
      if (isClosed || state === 'held') return
      const left = framesLeft()
      if (state === 'running') {
        if (left < heldFrames) return
        state = 'held'
        void inTurn(() => inThread.catch(() => {}))
        return
      }
      if (left < mostFrames) return
      state = 'running'
      running = move()
        .catch(() => {}) // as SQLite does it: the log is there, and the next commit tries again
        .finally(() => {
          state = 'idle'
        })
    },
    async close() {
      isClosed = true
      await running
    },
  }
}
