import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from './app.ts'
import type { Lifecycle } from './platform/lifecycle.ts'

/** How long to wait for what was aborted, before the process exits with it. */
const abortedMs = 1_000

/**
 * Stops a serving process within `stopTimeoutMs`. First readiness fails while requests are still served, so that a load
 * balancer can take the process out. Then the listener and the jobs stop, and requests that were received are finished.
 * What is left when the time is over is cut off: an acknowledged write is committed, and a job starts again elsewhere.
 */
export async function stopServing(
  { server, deps, close }: App,
  jobs: { stop(): Promise<void> },
  lifecycle: Lifecycle,
  { drainDelayMs, stopTimeoutMs }: { drainDelayMs: number; stopTimeoutMs: number },
): Promise<void> {
  const startedAt = performance.now()
  lifecycle.drain()
  await sleep(drainDelayMs)
  lifecycle.stop()
  const finished = Promise.all([jobs.stop(), server.close()]).then(close)
  const left = stopTimeoutMs - (performance.now() - startedAt)
  if (await isDone(finished, left)) return
  deps.log.warn(`requests or jobs did not finish within ${stopTimeoutMs / 1000} s and were aborted`)
  server.server.closeAllConnections()
  await isDone(finished, abortedMs)
}

/** False when the time is over. Throws what the work throws. */
async function isDone(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  try {
    return await Promise.race([
      work.then(() => true),
      sleep(Math.max(0, ms), false, { signal: timer.signal }).catch(() => false),
    ])
  } finally {
    timer.abort()
  }
}
