import { changesBetween } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { findEntity } from '../projects/audited-place.ts'
import type { Tracker, TrackerOwner } from './tracker.ts'

type ChangedTracker = { before: Tracker; after?: undefined } | { before?: Tracker | undefined; after: Tracker }

/** Records a change of an issue tracker. Of a token only the fact that another one was given is stored. */
export async function recordTrackerEvent(
  deps: Deps,
  owner: TrackerOwner,
  { before, after }: ChangedTracker,
): Promise<void> {
  const { id, url, place } = after ?? before
  const done = after ? (before ? 'updated' : 'created') : 'destroyed'
  await recordAuditEvent(deps, `issue_tracker_${done}`, {
    entity: await findEntity(deps, owner),
    message: messages[done],
    target: { type: 'IssueTracker', id, name: `${url}/${place}` },
    changes: before && after ? changesBetween(before, after, audited) : {},
    ...(before && after && { extra: secretChanges(before, after) }),
  })
}

function secretChanges(before: Tracker, after: Tracker): Record<string, boolean> {
  return {
    ...(before.token !== after.token && { has_new_token: true }),
    ...(before.eventsSecret !== after.eventsSecret && { has_events_secret: after.eventsSecret !== null }),
  }
}

const messages = {
  created: 'Set the issue tracker',
  updated: 'Changed the issue tracker',
  destroyed: 'Removed the issue tracker',
} as const

const audited = {
  kind: 'kind',
  url: 'url',
  place: 'project',
  email: 'email',
  issueType: 'issue_type',
  labels: 'labels',
  titleTemplate: 'title_template',
  descriptionTemplate: 'description_template',
} as const
