import { close, fdatasync, fsync, open } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { DurablePosition } from './durable-position.ts'
import type { StorageHealth } from './storage-health.ts'
import { positionAfter, readLastFrame } from './write-ahead-log.ts'

/**
 * Group commit: waits for the log to reach the disk, on another thread. A caller that arrives during a sync shares the
 * next one, because its commit may be too late for the current one.
 */
export interface GroupCommit {
  /** Records the number of frames in the log. Must be called after each commit, before the next one. */
  appended(frames: number): void
  /** Resolves when all earlier commits are on the disk. Rejects forever once a sync has failed. */
  whenDurable(): Promise<void>
  /** Resolves when no sync is running. What is committed before the next turn of the event loop shares the next sync. */
  afterSync(): Promise<void>
  close(): Promise<void>
}

export interface GroupCommitOptions {
  health: StorageHealth
  durable: DurablePosition
  pageSize: number
}

export function openGroupCommit(file: string, { health, durable, pageSize }: GroupCommitOptions): GroupCommit {
  let handle: number | undefined
  let frames = 0
  let waiting: { resolve(): void; reject(error: unknown): void }[] = []
  let isRunning = false
  let held: (() => void)[] = []

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0 || held.length > 0) {
      if (waiting.length > 0) await syncWaiting()
      if (held.length > 0) await releaseHeld()
    }
    isRunning = false
  }

  async function syncWaiting(): Promise<void> {
    const together = waiting
    waiting = []
    try {
      health.assertSound()
      await syncOnce()
      for (const { resolve } of together) resolve()
    } catch (error) {
      health.fail(error)
      for (const { reject } of together) reject(error)
    }
  }

  async function releaseHeld(): Promise<void> {
    const released = held
    held = []
    for (const release of released) release()
    await nextTurn()
  }

  async function syncOnce(): Promise<void> {
    handle ??= await openDurably(file)
    const log = handle
    const last = readLastFrame(log, frames, pageSize)
    await syncLog(log)
    health.assertSound()
    if (last) durable.advance(() => positionAfter(log, last, pageSize))
  }

  const whenDurable = () =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ resolve, reject })
      if (!isRunning) void run()
    })

  return {
    appended(count) {
      frames = count
    },
    whenDurable,
    async afterSync() {
      if (isRunning) await new Promise<void>((resolve) => held.push(resolve))
    },
    async close() {
      if (handle === undefined) return
      await whenDurable().catch(() => {}) // each commit has already been answered
      await durable.flush()
      await promisify(close)(handle)
    },
  }
}

/** Does not call `promisify` for each sync, because wrapping the function takes longer than starting the sync. */
function syncLog(log: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(log, (error) => (error ? reject(error) : resolve())))
}

/** Opens the log after syncing its folder, because a file whose directory entry is lost is lost too. */
async function openDurably(file: string): Promise<number> {
  const folder = await promisify(open)(dirname(file), 'r')
  try {
    await promisify(fsync)(folder)
  } finally {
    await promisify(close)(folder)
  }
  return promisify(open)(file, 'r')
}
