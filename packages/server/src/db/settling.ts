import { close, fdatasync, fsync, open } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/**
 * Waits until what was appended to a file is on the disk, away from the thread that serves requests. Whoever asks while
 * one wait is under way shares the next one: what he appended may have come too late for the first.
 */
export interface Settling {
  settled(): Promise<void>
  close(): Promise<void>
}

export function openSettling(file: string): Settling {
  let handle: number | undefined
  let waiting: { resolve(): void; reject(error: unknown): void }[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      const together = waiting
      waiting = []
      try {
        handle ??= await openDurably(file)
        await sync(handle)
        for (const { resolve } of together) resolve()
      } catch (error) {
        for (const { reject } of together) reject(error)
      }
    }
    isRunning = false
  }

  const settled = () =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ resolve, reject })
      if (!isRunning) void run()
    })

  return {
    settled,
    async close() {
      if (handle === undefined) return
      await settled().catch(() => {})
      await promisify(close)(handle)
    },
  }
}

const sync = (handle: number) => promisify(fdatasync)(handle)

/** Its name is on the disk too: a file nobody finds again keeps nothing. */
async function openDurably(file: string): Promise<number> {
  const folder = await promisify(open)(dirname(file), 'r')
  try {
    await promisify(fsync)(folder)
  } finally {
    await promisify(close)(folder)
  }
  return promisify(open)(file, 'r')
}
