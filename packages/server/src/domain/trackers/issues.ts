import { unprocessable } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { type Deps, transaction } from '../deps.ts'
import { randomUuid } from '../hooks/uuid.ts'
import { enqueue } from '../jobs/job.ts'
import type { Project } from '../projects/project.ts'
import { type Selection, selectVulnerabilities } from '../vulnerabilities/triage/bulk/bulk.ts'
import { findLinks } from '../vulnerabilities/triage/links.ts'
import { issueJobKind } from './create-issue.ts'
import type { Tracker, TrackerKind } from './tracker.ts'
import type { CreatedLink, TrackerIssue } from './tracker-issue.ts'
import {
  insertClaim,
  listCreatedLinks,
  listTrackerIssues,
  markPossiblySent,
  reopenClaim,
} from './tracker-issue-queries.ts'
import { findEffectiveTracker } from './trackers.ts'

/** Returns the issue that was requested for the vulnerability. */
export async function findIssueOf({ db }: Deps, vulnerabilityId: number): Promise<TrackerIssue | undefined> {
  const [issue] = await listTrackerIssues(db, [vulnerabilityId])
  return issue
}

/** Returns the links to issues that trackers of a kind have created for these vulnerabilities. */
export function findCreatedLinks(
  { db }: Deps,
  vulnerabilityIds: readonly number[],
  kind: TrackerKind,
): Promise<CreatedLink[]> {
  return listCreatedLinks(db, vulnerabilityIds, kind)
}

/** Time of the last successful update of an issue's state, and why the last one failed. */
export interface Synchronization {
  at: string | null
  error: string | null
}

/** Returns undefined when no tracker updates the issue's state. A poll covers all issues that have not changed. */
export function synchronizationOf(issue: TrackerIssue, tracker: Tracker | undefined): Synchronization | undefined {
  if (!tracker) return undefined
  const { polledAt, syncError } = tracker
  const times = [issue.synchronizedAt, syncError === null ? polledAt : null].filter((time) => time !== null)
  return { at: times.sort().at(-1) ?? null, error: syncError }
}

/** Returns whether the vulnerability has the link of an issue that users or a tracker have created from it. */
async function hasCreatedLink(deps: Deps, vulnerabilityId: number): Promise<boolean> {
  return (await findLinks(deps, [vulnerabilityId])).some(({ linkType }) => linkType === 'created')
}

/** Requests an issue for the vulnerability, which a job creates. Returns the current one when there is one already. */
export function requestIssue(
  deps: Deps,
  project: Project,
  vulnerabilityId: number,
  caller: Caller,
): Promise<TrackerIssue> {
  return transaction(deps, async (deps) => {
    const tracker = await getEffectiveTracker(deps, project)
    const before = await findIssueOf(deps, vulnerabilityId)
    if (before && isLost(before, tracker)) {
      throw unprocessable(
        'It is not known whether the former issue tracker has created an issue. Look there and link the issue by its URL.',
      )
    }
    if (await canRequest(deps, tracker, vulnerabilityId, before)) {
      await claimIssue(deps, tracker, { vulnerabilityId, before, caller })
    }
    const issue = await findIssueOf(deps, vulnerabilityId)
    if (!issue) throw unprocessable('Vulnerability already has a "created" issue link')
    return issue
  })
}

/** Maximum number of issues that one request can create. */
export const maxRequestedIssues = 100

export interface IssuesRequest {
  selection: Selection
  expectedCount?: number | undefined
  isDryRun: boolean
}

/** What a request for several issues did, or would do. */
export interface RequestedIssues {
  tracker: Tracker
  requested: number
  unchanged: number
}

/** Requests one issue for each of the selected vulnerabilities of the project. A dry run only counts. */
export function requestIssues(
  deps: Deps,
  project: Project,
  caller: Caller,
  { selection, expectedCount, isDryRun }: IssuesRequest,
): Promise<RequestedIssues> {
  return transaction(deps, async (deps) => {
    const tracker = await getEffectiveTracker(deps, project)
    const ids = await selectVulnerabilities(deps, project, { selection, expectedCount, max: maxRequestedIssues })
    let requested = 0
    for (const vulnerabilityId of ids) {
      const before = await findIssueOf(deps, vulnerabilityId)
      if (!(await canRequest(deps, tracker, vulnerabilityId, before))) continue
      if (isDryRun || (await claimIssue(deps, tracker, { vulnerabilityId, before, caller }))) requested++
    }
    return { tracker, requested, unchanged: ids.length - requested }
  })
}

/**
 * Makes the next attempt for each issue of a restored backup search the tracker first, since the issue may have been created
 * after the backup. Returns the number of issues.
 */
export function searchForRestoredIssues({ db }: Pick<Deps, 'db'>): Promise<number> {
  return markPossiblySent(db)
}

async function getEffectiveTracker(deps: Deps, project: Project): Promise<Tracker> {
  const tracker = await findEffectiveTracker(deps, project)
  if (!tracker) throw unprocessable('The project has no issue tracker. A maintainer can add one in its settings.')
  return tracker
}

/** Returns false when the vulnerability has an issue, or may have one that only its former tracker knows. */
async function canRequest(
  deps: Deps,
  tracker: Tracker,
  vulnerabilityId: number,
  before: TrackerIssue | undefined,
): Promise<boolean> {
  if (!before) return !(await hasCreatedLink(deps, vulnerabilityId))
  return before.state === 'failed' || (before.state === 'unknown' && !isLost(before, tracker))
}

/** Returns true when only a tracker that was replaced knows whether the issue exists. */
const isLost = ({ state, trackerId }: TrackerIssue, tracker: Tracker) => state === 'unknown' && trackerId !== tracker.id

interface Claim {
  vulnerabilityId: number
  before: TrackerIssue | undefined
  caller: Caller
}

/** Claims the only issue of a vulnerability and queues the job. Returns false when another request has. */
async function claimIssue(deps: Deps, tracker: Tracker, { vulnerabilityId, before, caller }: Claim): Promise<boolean> {
  const now = deps.now()
  const claim = { vulnerabilityId, trackerId: tracker.id, marker: randomUuid(deps) }
  const id = before
    ? (await reopenClaim(deps.db, before, { trackerId: tracker.id, now })) && before.id
    : await insertClaim(deps.db, claim, now)
  if (!id) return false
  await enqueue(deps, {
    kind: issueJobKind,
    key: `issue:${id}`,
    // One request at a time for each tracker.
    owner: `tracker:${tracker.id}`,
    payload: { issue_id: id, user_id: caller.user.id, as_admin: caller.isAdmin },
  })
  return true
}
