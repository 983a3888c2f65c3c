import { setTimeout as sleep } from 'node:timers/promises'
import type { RootDeps } from '../deps.ts'

/**
 * Loads something whenever its table changes, until it is over or the time is; whichever process changes it. What was
 * loaded last.
 */
export async function waitFor<Loaded>(
  { db }: RootDeps,
  table: string,
  load: () => Promise<Loaded>,
  { isOver, ms }: { isOver: (loaded: Loaded) => boolean; ms: number },
): Promise<Loaded> {
  const end = performance.now() + ms
  let wake = () => {}
  const unwatch = db.changes.watch(table, () => wake())
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      const loaded = await load()
      const left = end - performance.now()
      if (isOver(loaded) || left <= 0) return loaded
      // The word may be lost on its way from another process.
      await Promise.race([changed, sleep(Math.min(left, 1000), undefined, { ref: false })])
    }
  } finally {
    unwatch()
  }
}
