import { Failure, notFound } from '../../platform/failure.ts'
import type { RootDeps } from '../deps.ts'
import { clientOf } from './clients/client.ts'
import { openTransport, TrackerError } from './clients/exchange.ts'
import type { Tracker, TrackerOwner } from './tracker.ts'
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
    return { ok: false, message: explain(tracker, error) }
  }
}

/** Explains why a tracker could not be read. */
function explain({ url, place }: Tracker, { status, message }: TrackerError): string {
  const { host } = new URL(url)
  if (status === 401) return `${host} does not accept the token. It is wrong, has expired or was revoked.`
  if (status === 403) return `${host} accepts the token, but it may not read ${place}. Check its scopes and its role.`
  if (status === 404) return `There is no project ${place} on ${host}, or the token may not see it.`
  if (status === 429) return `${host} accepts no more requests for now. Try again later.`
  if (status !== undefined && status >= 300 && status <= 399)
    return `${host} redirects to another address. Enter that URL.`
  if (status !== undefined && status >= 200 && status <= 299) {
    return `${host} responds, but not as a tracker of this kind. Check the kind and the URL.`
  }
  return `${host} could not be reached: ${message}.`
}
