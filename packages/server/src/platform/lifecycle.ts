import { setMaxListeners } from 'node:events'

/** The two steps of a stop, as signals for everything that must react to them. */
export interface Lifecycle {
  /** Aborted first: readiness fails and responses end their connections, while requests are still served. */
  readonly draining: AbortSignal
  /** Aborted when the server takes no more connections: requests stop waiting for other work. */
  readonly stopping: AbortSignal
  drain(): void
  stop(): void
}

export function openLifecycle(): Lifecycle {
  const [draining, stopping] = [new AbortController(), new AbortController()]
  // Each waiting request listens; any number of them is normal.
  setMaxListeners(0, draining.signal, stopping.signal)
  return {
    draining: draining.signal,
    stopping: stopping.signal,
    drain: () => draining.abort(),
    stop: () => stopping.abort(),
  }
}
