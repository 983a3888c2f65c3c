import { setTimeout as sleep } from 'node:timers/promises'
import type { RootDeps } from '../deps.ts'

/** Poll interval, because notifications from other processes can be lost. */
const pollMs = 1000

/**
 * Loads a value, and reloads it whenever any process changes its table, until `isOver` returns true, the time is up or
 * the process stops. Returns the last loaded value.
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
