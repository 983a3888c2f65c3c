import { unprocessable } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { type Deps, transaction } from '../deps.ts'
import { randomUuid } from '../hooks/uuid.ts'
import { enqueue } from '../jobs/job.ts'
import type { Project } from '../projects/project.ts'
import { findLinks } from '../vulnerabilities/triage/links.ts'
import { issueJobKind } from './create-issue.ts'
import type { Tracker } from './tracker.ts'
import type { TrackerIssue } from './tracker-issue.ts'
import { insertClaim, listTrackerIssues, reopenClaim } from './tracker-issue-queries.ts'
import { findEffectiveTracker } from './trackers.ts'

/** Returns the issue that was requested for the vulnerability. */
export async function findIssueOf({ db }: Deps, vulnerabilityId: number): Promise<TrackerIssue | undefined> {
  const [issue] = await listTrackerIssues(db, [vulnerabilityId])
  return issue
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
    await claimIssue(deps, tracker, { vulnerabilityId, caller })
    const issue = await findIssueOf(deps, vulnerabilityId)
    if (!issue) throw unprocessable('Vulnerability already has a "created" issue link')
    return issue
  })
}

/** Requests one issue for each of these vulnerabilities of the project. Returns how many are new. */
export function requestIssues(
  deps: Deps,
  project: Project,
  vulnerabilityIds: readonly number[],
  caller: Caller,
): Promise<{ requested: number; unchanged: number }> {
  return transaction(deps, async (deps) => {
    const tracker = await getEffectiveTracker(deps, project)
    const ids = [...new Set(vulnerabilityIds)].sort((a, b) => a - b)
    let requested = 0
    for (const id of ids)
      if (await claimIssue(deps, tracker, { vulnerabilityId: id, caller, skipsLost: true })) requested++
    return { requested, unchanged: ids.length - requested }
  })
}

async function getEffectiveTracker(deps: Deps, project: Project): Promise<Tracker> {
  const tracker = await findEffectiveTracker(deps, project)
  if (!tracker) throw unprocessable('The project has no issue tracker. A maintainer can add one in its settings.')
  return tracker
}

/** Claims the only issue of a vulnerability and queues the job. Returns false when there is one already. */
async function claimIssue(
  deps: Deps,
  tracker: Tracker,
  { vulnerabilityId, caller, skipsLost = false }: { vulnerabilityId: number; caller: Caller; skipsLost?: boolean },
): Promise<boolean> {
  const now = deps.now()
  const before = await findIssueOf(deps, vulnerabilityId)
  if (!before && (await hasCreatedLink(deps, vulnerabilityId))) return false
  if (before?.state === 'unknown' && before.trackerId !== tracker.id) {
    if (skipsLost) return false
    throw unprocessable(
      'It is not known whether the former issue tracker has created an issue. Look there and link the issue by its URL.',
    )
  }
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
