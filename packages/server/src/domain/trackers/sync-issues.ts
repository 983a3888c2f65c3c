import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { type AnyJobKind, enqueue, jobKind } from '../jobs/job.ts'
import { applyIssues } from './apply-issues.ts'
import { changedIssues } from './clients/client.ts'
import { openTransport, TrackerError } from './clients/exchange.ts'
import { explainFailure } from './explain-failure.ts'
import { claimPolls, findTrackerById, updatePause, updateSynchronized } from './tracker-queries.ts'

const syncJobKind = 'tracker-sync'
const pollMs = 55 * 60_000
/** Repeated part of the time before, for issues that changed while the list was read. */
const overlapMs = 10 * 60_000

/** Queues the synchronisation of every tracker with issues, once per hour in all processes together. */
export function pollTrackers(deps: RootDeps): Promise<void> {
  return transaction(deps, async (deps) => {
    const since = new Date(Date.parse(deps.now()) - pollMs).toISOString()
    for (const id of await claimPolls(deps.db, { now: deps.now(), since })) await queueSync(deps, id)
  })
}

async function queueSync(deps: Deps, trackerId: number): Promise<void> {
  await enqueue(deps, {
    kind: syncJobKind,
    key: `tracker:${trackerId}`,
    payload: { tracker_id: trackerId },
  })
}

/**
 * Reads the issues that changed in a tracker since the last time, and stores titles and states of those that belong to
 * vulnerabilities. The vulnerabilities stay as they are.
 */
export const synchronizeJob: AnyJobKind = jobKind<{ tracker_id: number }>({
  kind: syncJobKind,
  concurrency: 2,
  maxAttempts: 3,
  coalesces: true,
  async run(deps, { payload, signal }) {
    const tracker = await findTrackerById(deps.db, payload.tracker_id)
    if (!tracker || tracker.synchronizedUntil === null) return undefined
    if (tracker.pausedUntil !== null && tracker.pausedUntil > deps.now()) return { againAt: tracker.pausedUntil }
    const { settings, resolve, now } = deps
    const send = openTransport({ reachesPrivate: settings.webhooksReachPrivate, resolve, now, signal })
    const since = new Date(Date.parse(tracker.synchronizedUntil) - overlapMs).toISOString()
    let until = tracker.synchronizedUntil
    try {
      for await (const issues of changedIssues(send, tracker, { since, now: now() })) {
        await applyIssues(deps, tracker.id, issues)
        for (const { updatedAt } of issues) if (updatedAt > until) until = updatedAt
      }
      await updateSynchronized(deps.db, tracker.id, { until, error: null })
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof TrackerError)) throw error
      // The issues that were not read are read the next time.
      await updateSynchronized(deps.db, tracker.id, {
        until: tracker.synchronizedUntil,
        error: explainFailure(tracker, error),
      })
      if (error.outcome !== 'limited') return undefined
      const againAt = new Date(Date.parse(now()) + (error.retryAfterMs ?? 60_000)).toISOString()
      await updatePause(deps.db, tracker.id, againAt)
      return { againAt }
    }
  },
})
