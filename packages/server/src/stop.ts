import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from './app.ts'
import type { Lifecycle } from './platform/lifecycle.ts'

/** Time to wait for aborted work before the process exits. */
const abortedMs = 1_000

/**
 * Stops a serving process within `stopTimeoutMs`. First the readiness check fails while requests are still served, so
 * that a load balancer can remove the process. Then the listener and the jobs stop, and accepted requests are
 * completed. Whatever remains at the end of the time is aborted: acknowledged writes are already committed, and aborted
 * jobs run again.
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

/** Waits for the work. Returns false when the time is over. Throws the work's errors. */
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
