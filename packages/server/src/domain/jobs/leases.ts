import type { RootDeps } from '../deps.ts'
import { later } from './back-off.ts'
import { type LeasedJob, renewLeases } from './claim-queries.ts'
import { leaseMs } from './dispatch.ts'

const heartbeatMs = leaseMs / 3

/** Leases of the jobs that this process runs. */
export interface Leases {
  /** Renews the lease until `release` is called. The signal aborts when another process has taken the job over. */
  hold(token: string): { lost: AbortSignal; release(): void }
  /** Returns true when the process that runs this job has ended. */
  isAbandoned(job: LeasedJob): boolean
  close(): void
}

/**
 * Opens the leases of a process. Clocks of machines differ and jump, so an expired lease alone does not prove that its
 * process has ended: the lease must also stay unchanged for longer than a heartbeat of this process's monotonic clock.
 * Tests that set the clock pass 0 for `confirmMs`.
 */
export function openLeases(deps: RootDeps, confirmMs = heartbeatMs * 1.2): Leases {
  const held = new Map<string, AbortController>()
  let suspects = new Map<string, number>()
  const timer = setInterval(() => void renew().catch(logFailure), heartbeatMs).unref()

  return {
    hold(token) {
      const lost = new AbortController()
      held.set(token, lost)
      return { lost: lost.signal, release: () => void held.delete(token) }
    },
    isAbandoned({ id, lease, leaseExpiresAt }) {
      if (lease === null || leaseExpiresAt === null) return true
      if (held.has(lease)) return false
      const now = deps.now()
      // A valid lease ends soon; a lease far in the future was written by a wrong clock.
      const isOver = leaseExpiresAt <= now || leaseExpiresAt > later(deps, 2 * leaseMs)
      const name = `${id} ${lease} ${leaseExpiresAt}`
      const since = suspects.get(name) ?? performance.now()
      if (isOver) suspects.set(name, since)
      return isOver && performance.now() - since >= confirmMs
    },
    close: () => clearInterval(timer),
  }

  async function renew(): Promise<void> {
    clearSuspects()
    const tokens = [...held.keys()]
    if (tokens.length === 0) return
    const renewed = new Set(await renewLeases(deps.db, tokens, later(deps, leaseMs)))
    for (const token of tokens) {
      if (!renewed.has(token)) held.get(token)?.abort(new Error('another process has taken the job over'))
    }
  }

  /** Removes old suspects: by now each was taken over or renewed its lease. */
  function clearSuspects(): void {
    const before = performance.now() - 10 * leaseMs
    suspects = new Map([...suspects].filter(([, since]) => since > before))
  }

  function logFailure(error: unknown): void {
    deps.log.error({ err: error }, 'leases of jobs could not be renewed')
  }
}
