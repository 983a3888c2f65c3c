import { setTimeout as sleep } from 'node:timers/promises'
import type { RootDeps } from '../deps.ts'

/** Notifications from other processes can get lost. */
const pollMs = 1000

/**
 * Loads a value, and loads it again whenever any process changes its table, until `isOver` holds, the time is up, or the
 * process stops. Returns the value loaded last.
 */
export async function waitFor<Loaded>(
  { db, stopping }: Pick<RootDeps, 'db' | 'stopping'>,
  table: string,
  load: () => Promise<Loaded>,
  { isOver, ms }: { isOver: (loaded: Loaded) => boolean; ms: number },
): Promise<Loaded> {
  const end = performance.now() + ms
  let wake = () => {}
  const onChange = () => wake()
  const unwatch = db.changes.watch(table, onChange)
  stopping.addEventListener('abort', onChange)
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      const isLast = stopping.aborted
      const loaded = await load()
      const left = end - performance.now()
      if (isLast || isOver(loaded) || left <= 0) return loaded
      await Promise.race([changed, sleep(Math.min(left, pollMs), undefined, { ref: false })])
    }
  } finally {
    stopping.removeEventListener('abort', onChange)
    unwatch()
  }
}
