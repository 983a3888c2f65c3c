import { Failure, notFound } from '../../platform/failure.ts'
import type { RootDeps } from '../deps.ts'
import { clientOf } from './clients/client.ts'
import { openTransport, TrackerError } from './clients/exchange.ts'
import { explainFailure } from './explain-failure.ts'
import type { TrackerOwner } from './tracker.ts'
import { findTrackerOf, updateTested } from './tracker-queries.ts'

const testPauseMs = 3_000

export interface TestResult {
  ok: boolean
  message: string
}

/** Reads the project in the tracker and reports in plain language whether the settings are right. */
export async function testTracker(deps: RootDeps, owner: TrackerOwner): Promise<TestResult> {
  const tracker = await findTrackerOf(deps.db, owner)
  if (!tracker) throw notFound()
  const since = new Date(Date.parse(deps.now()) - testPauseMs).toISOString()
  // The limit keeps users from attacking other servers.
  if (!(await updateTested(deps.db, tracker.id, { now: deps.now(), since }))) {
    throw new Failure({ kind: 'too-many-requests' })
  }
  const { settings, resolve, now } = deps
  const send = openTransport({ reachesPrivate: settings.webhooksReachPrivate, resolve, now, signal: undefined })
  try {
    const found = await clientOf(tracker).findProblem(send, tracker)
    if (found !== undefined) return { ok: false, message: found }
    return { ok: true, message: `Connected. The token can read ${tracker.place}.` }
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error
    return { ok: false, message: explainFailure(tracker, error) }
  }
}
