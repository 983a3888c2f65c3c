import type { Deps } from '../deps.ts'
import { type AnyJobKind, enqueue, jobKind } from '../jobs/job.ts'
import { applyIssues } from './apply-issues.ts'
import { clientOf } from './clients/client.ts'
import { openTransport, TrackerError } from './clients/exchange.ts'
import { findTrackerById, updatePause } from './tracker-queries.ts'

const issueSyncKind = 'tracker-issue-sync'
const defaultPauseMs = 60_000

/** Queues the synchronisation of one issue. Events that arrive before it begins are covered by it. */
export async function queueIssueSync(deps: Deps, trackerId: number, key: string): Promise<void> {
  await enqueue(deps, {
    kind: issueSyncKind,
    key: `tracker:${trackerId}:${key}`,
    owner: `tracker:${trackerId}`,
    payload: { tracker_id: trackerId, issue_key: key },
  })
}

/** Reads one issue of a tracker, and stores its title and state. What fails is left to the hourly synchronisation. */
export const synchronizeIssueJob: AnyJobKind = jobKind<{ tracker_id: number; issue_key: string }>({
  kind: issueSyncKind,
  concurrency: 2,
  perOwner: 1,
  maxAttempts: 3,
  coalesces: true,
  async run(deps, { payload, signal }) {
    const tracker = await findTrackerById(deps.db, payload.tracker_id)
    if (!tracker) return undefined
    if (tracker.pausedUntil !== null && tracker.pausedUntil > deps.now()) return { againAt: tracker.pausedUntil }
    const { settings, resolve, now } = deps
    const send = openTransport({ reachesPrivate: settings.webhooksReachPrivate, resolve, now, signal })
    try {
      await applyIssues(deps, tracker.id, [await clientOf(tracker).getIssue(send, tracker, payload.issue_key)])
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof TrackerError)) throw error
      if (error.outcome !== 'limited') return undefined
      const againAt = new Date(Date.parse(now()) + (error.retryAfterMs ?? defaultPauseMs)).toISOString()
      await updatePause(deps.db, tracker.id, againAt)
      return { againAt }
    }
  },
})
