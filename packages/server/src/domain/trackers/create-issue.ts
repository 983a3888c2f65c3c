import { type Deps, projectTransaction, type RootDeps } from '../deps.ts'
import { type AnyJobKind, jobKind, type Postponed } from '../jobs/job.ts'
import { isStillPermitted } from '../projects/current-rights.ts'
import type { Project } from '../projects/project.ts'
import { findProject } from '../projects/visible.ts'
import { linkCreatedIssue, updateLinkedIssue } from '../vulnerabilities/triage/links.ts'
import { findVulnerability } from '../vulnerabilities/triage/triage.ts'
import type { Vulnerability } from '../vulnerabilities/vulnerability.ts'
import { createRemoteIssue, findMarkedIssue } from './clients/client.ts'
import { openTransport, type Send, TrackerError } from './clients/exchange.ts'
import { describeVulnerability } from './describe-vulnerability.ts'
import { explainFailure } from './explain-failure.ts'
import { renderIssue } from './template.ts'
import type { Tracker } from './tracker.ts'
import type { RemoteIssue, TrackerIssue } from './tracker-issue.ts'
import {
  type Attempt,
  type AttemptEnd,
  beginAttempt,
  endAttempt,
  findTrackerIssue,
  giveUpIssue,
  markCreated,
  updateSent,
} from './tracker-issue-queries.ts'
import { beginSynchronization, findTrackerById, updatePause } from './tracker-queries.ts'

export const issueJobKind = 'tracker-issue'

interface Payload {
  issue_id: number
  user_id: number
  as_admin: boolean
}

/**
 * Time for the requests of one attempt, and how long other processes wait for it. The difference is for the last write.
 */
const attemptMs = 80_000
const leaseMs = 100_000
/**
 * Time after which a request whose response was lost has been executed or never will be. Only then can a search show that
 * the issue does not exist.
 */
const settleMs = 2 * 60_000
/** Jira's search index is up to some minutes late. */
const indexDelayMs = 10 * 60_000
const givesUpAfterMs = 24 * 60 * 60_000
const longestPauseMs = 60 * 60_000
/** Allowance for the difference between the clocks of this server and the tracker. */
const clockMarginMs = 60 * 60_000

/**
 * Creates the issue that a vulnerability has claimed. Before each request its time is stored, so that after a crash or a
 * lost response the next attempt searches the tracker for the marker before it sends another one.
 */
export const createIssueJob: AnyJobKind = jobKind<Payload>({
  kind: issueJobKind,
  concurrency: 4,
  perOwner: 1,
  maxAttempts: 10,
  async run(deps, { payload, signal }) {
    const issue = await findTrackerIssue(deps.db, payload.issue_id)
    if (issue?.state !== 'creating') return undefined
    const tracker = issue.trackerId === null ? undefined : await findTrackerById(deps.db, issue.trackerId)
    const later = tracker && waitsUntil(deps, tracker, issue)
    if (later !== undefined) return { againAt: later }
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(attemptMs)])
    const busyUntil = after(deps, leaseMs)
    if (!(await beginAttempt(deps.db, issue, { now: deps.now(), busyUntil }))) return { againAt: busyUntil }
    const attempt = { ...issue, attempts: issue.attempts + 1 }
    if (!tracker) return stop(deps, attempt, 'the issue tracker was removed')
    const work = await workOf(deps, attempt, payload)
    if (!work) return stop(deps, attempt, 'the user may no longer create issues in this project')
    const { settings, resolve, now } = deps
    const send = openTransport({ reachesPrivate: settings.webhooksReachPrivate, resolve, now, signal: deadline })
    const outcome = await createOnce(deps, { tracker, attempt, work, send, deadline })
    if (outcome === 'superseded') return undefined
    if ('issue' in outcome) return recordIssue(deps, tracker, attempt, { ...outcome, ...work, userId: payload.user_id })
    // A request that the stopping process has aborted is not the tracker's failure.
    signal.throwIfAborted()
    return recordFailure(deps, tracker, attempt, outcome)
  },
  giveUp: (deps, { issue_id: id }, error) => giveUpIssue(deps.db, id, error),
})

/** Returns when to try again, if it is too early now. */
function waitsUntil(
  { now }: Deps,
  { kind, pausedUntil }: Tracker,
  { busyUntil, sentAt }: TrackerIssue,
): string | undefined {
  const settleTime = kind === 'jira' ? indexDelayMs : settleMs
  const settledAt = sentAt === null ? null : new Date(Date.parse(sentAt) + settleTime).toISOString()
  const [latest] = [pausedUntil, busyUntil, settledAt]
    .filter((time) => time !== null && time > now())
    .sort()
    .reverse()
  return latest ?? undefined
}

interface Work {
  project: Project
  vulnerability: Vulnerability
}

/** Returns the vulnerability, unless it was removed or the user may no longer do this. */
async function workOf(deps: RootDeps, { vulnerabilityId }: TrackerIssue, payload: Payload): Promise<Work | undefined> {
  const vulnerability = await findVulnerability(deps, String(vulnerabilityId))
  const project = vulnerability && (await findProject(deps, String(vulnerability.projectId)))
  if (!project) return undefined
  const requester = { userId: payload.user_id, asAdmin: payload.as_admin }
  return (await isStillPermitted(deps, 'issue.create', project, requester)) ? { project, vulnerability } : undefined
}

interface Creation {
  tracker: Tracker
  attempt: TrackerIssue
  work: Work
  send: Send
  deadline: AbortSignal
}

/** What a request has led to. `sentAt` is the time of a request of which it is not known whether it created the issue. */
type Outcome = { issue: RemoteIssue } | Problem | 'superseded'
interface Problem {
  error: TrackerError
  sentAt: string | null
}

/** Finds the issue of an earlier request, or creates it. */
async function createOnce(deps: RootDeps, { tracker, attempt, work, send, deadline }: Creation): Promise<Outcome> {
  if (attempt.sentAt !== null) {
    const since = new Date(Date.parse(attempt.sentAt) - clockMarginMs).toISOString()
    const search = findMarkedIssue(send, tracker, attempt.marker, { since, now: deps.now() })
    const found = await search.catch((error: unknown) => problem(error, () => attempt.sentAt))
    if (found) return 'error' in found ? found : { issue: found }
  }
  const values = await describeVulnerability(deps, work.project, work.vulnerability)
  const text = renderIssue(tracker, values, { isMarkdown: tracker.kind !== 'jira' })
  const sentAt = deps.now()
  if (!(await updateSent(deps.db, attempt, sentAt))) return 'superseded'
  await deps.db.whenDurable()
  // A process that was suspended may send nothing after its lease.
  deadline.throwIfAborted()
  return createRemoteIssue(send, tracker, text, attempt.marker).then(
    (issue): Outcome => ({ issue }),
    (error: unknown) => problem(error, ({ outcome }) => (outcome === 'uncertain' ? sentAt : null)),
  )
}

function problem(error: unknown, sentAtAfter: (error: TrackerError) => string | null): Problem {
  if (!(error instanceof TrackerError)) throw error
  return { error, sentAt: sentAtAfter(error) }
}

/** Links the vulnerability to its issue. */
async function recordIssue(
  deps: RootDeps,
  tracker: Tracker,
  attempt: Attempt,
  { issue, vulnerability, userId }: { issue: RemoteIssue; vulnerability: Vulnerability; userId: number },
): Promise<undefined> {
  const { key, url, title, state } = issue
  await projectTransaction(deps, vulnerability.projectId, async (deps) => {
    const link = await linkCreatedIssue(deps, vulnerability, { userId, url, title })
    if (!(await markCreated(deps.db, attempt, { linkId: link.id, issueKey: key, now: deps.now() }))) return
    if (state === 'closed') await updateLinkedIssue(deps, link.id, { title, state, closedAt: deps.now() })
    await beginSynchronization(deps.db, tracker.id, issue.updatedAt || deps.now())
  })
}

async function recordFailure(
  deps: RootDeps,
  tracker: Tracker,
  attempt: TrackerIssue,
  { error, sentAt }: Problem,
): Promise<Postponed | undefined> {
  const message = describeFailure(tracker, error)
  const isOver = Date.parse(deps.now()) - Date.parse(attempt.requestedAt) > givesUpAfterMs
  if (error.outcome === 'refused' || isOver) return stop(deps, { ...attempt, sentAt }, message)
  const againAt = after(deps, error.retryAfterMs ?? pauseMs(attempt.attempts))
  if (error.outcome === 'limited') await updatePause(deps.db, tracker.id, againAt)
  await endAttempt(deps.db, attempt, { state: 'creating', sentAt, error: message })
  return { againAt }
}

/** A wrong token and a missing project are explained; other reasons are in the tracker's message. */
function describeFailure(tracker: Tracker, error: TrackerError): string {
  return error.status === 401 || error.status === 404 ? explainFailure(tracker, error) : error.message
}

/** Ends the attempts. Users can request the issue again. */
async function stop(deps: Deps, attempt: TrackerIssue, error: string): Promise<undefined> {
  const end: AttemptEnd = { state: attempt.sentAt === null ? 'failed' : 'unknown', sentAt: attempt.sentAt, error }
  await endAttempt(deps.db, attempt, end)
}

const after = ({ now }: Deps, ms: number): string => new Date(Date.parse(now()) + ms).toISOString()
const pauseMs = (attempts: number): number => Math.min(longestPauseMs, 30_000 * 2 ** Math.min(attempts, 10))
