import { setMaxListeners } from 'node:events'

/** Signals for the two phases of a stop. */
export interface Lifecycle {
  /** Aborted first: readiness fails and responses close their connections, while requests are still served. */
  readonly draining: AbortSignal
  /** Aborted when the server accepts no more connections: requests stop waiting for other work. */
  readonly stopping: AbortSignal
  drain(): void
  stop(): void
}

export function openLifecycle(): Lifecycle {
  const [draining, stopping] = [new AbortController(), new AbortController()]
  // Each waiting request adds a listener, so any number is normal.
  setMaxListeners(0, draining.signal, stopping.signal)
  return {
    draining: draining.signal,
    stopping: stopping.signal,
    drain: () => draining.abort(),
    stop: () => stopping.abort(),
  }
}
