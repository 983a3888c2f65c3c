import { close, fdatasync, fsync, open } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { DurablePosition } from './durable-position.ts'
import type { StorageHealth } from './storage-health.ts'
import { positionAfter, readLastFrame } from './write-ahead-log.ts'

/**
 * Waits until what was appended to the log is on the disk, away from the thread that serves requests. A caller that
 * arrives during one wait shares the next one: its commit may have come too late for the first.
 */
export interface Settling {
  /** Notes that the log has so many frames; to be called after each commit, before anything else is committed. */
  appended(frames: number): void
  /** Rejects once a sync has failed, then and ever after. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface SettlingOptions {
  health: StorageHealth
  durable: DurablePosition
  pageSize: number
}

export function openSettling(file: string, { health, durable, pageSize }: SettlingOptions): Settling {
  let handle: number | undefined
  let frames = 0
  let waiting: { resolve(): void; reject(error: unknown): void }[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
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
    isRunning = false
  }

  async function syncOnce(): Promise<void> {
    handle ??= await openDurably(file)
    const log = handle
    const last = readLastFrame(log, frames, pageSize)
    await promisify(fdatasync)(log)
    health.assertSound()
    if (last) durable.advance(() => positionAfter(log, last, pageSize))
  }

  const settled = () =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ resolve, reject })
      if (!isRunning) void run()
    })

  return {
    appended(count) {
      frames = count
    },
    settled,
    async close() {
      if (handle === undefined) return
      await settled().catch(() => {}) // each commit has been answered already
      await durable.flush()
      await promisify(close)(handle)
    },
  }
}

/** Syncs the folder too: a file whose name is lost keeps nothing. */
async function openDurably(file: string): Promise<number> {
  const folder = await promisify(open)(dirname(file), 'r')
  try {
    await promisify(fsync)(folder)
  } finally {
    await promisify(close)(folder)
  }
  return promisify(open)(file, 'r')
}
