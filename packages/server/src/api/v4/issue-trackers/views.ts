import Type from 'typebox'
import type { Tracker } from '../../../domain/trackers/tracker.ts'
import { trackerKinds } from '../../../domain/trackers/tracker.ts'
import { type TrackerIssue, trackerIssueStates } from '../../../domain/trackers/tracker-issue.ts'
import { nullableString, nullableTimestamp, timestamp } from '../views.ts'

export const trackerView = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.Enum(trackerKinds),
    url: Type.String(),
    project: Type.String(),
    email: nullableString,
    issue_type: Type.String(),
    labels: Type.Array(Type.String()),
    title_template: Type.String(),
    description_template: Type.String(),
    group_id: Type.Union([Type.Integer(), Type.Null()], { description: 'The group that has set it' }),
    polled_at: nullableTimestamp,
    sync_error: nullableString,
    events_url: Type.String({ description: 'For a webhook of the tracker; see `POST …/issue_tracker/events_secret`' }),
    has_events_secret: Type.Boolean(),
    event_at: Type.Union([timestamp, Type.Null()], { description: 'Last event of the tracker, to the minute' }),
  },
  { title: 'IssueTracker' },
)

export const trackersView = Type.Object(
  {
    own: Type.Union([trackerView, Type.Null()], { description: 'Set in this project or group' }),
    effective: Type.Union([trackerView, Type.Null()], { description: 'Its own or that of the nearest group above' }),
    defaults: Type.Object(
      { title_template: Type.String(), description_template: Type.String() },
      { description: 'Templates of a tracker that is set without its own' },
    ),
  },
  { title: 'IssueTrackers' },
)

export const issueTextView = Type.Object({ title: Type.String(), description: Type.String() }, { title: 'IssueText' })

export const eventsSecretView = Type.Object(
  { events_url: Type.String(), secret: Type.String({ description: 'Not returned again' }) },
  { title: 'TrackerEventsSecret' },
)

/** Address to which a tracker sends its events. */
export const eventsUrl = ({ id }: Tracker, origin: string) => `${origin}/api/v4/issue_trackers/${id}/events`

export function viewTracker(tracker: Tracker, origin: string) {
  return {
    id: tracker.id,
    kind: tracker.kind,
    url: tracker.url,
    project: tracker.place,
    email: tracker.email,
    issue_type: tracker.issueType,
    labels: [...tracker.labels],
    title_template: tracker.titleTemplate,
    description_template: tracker.descriptionTemplate,
    group_id: tracker.namespaceId,
    polled_at: tracker.polledAt,
    sync_error: tracker.syncError,
    events_url: eventsUrl(tracker, origin),
    has_events_secret: tracker.eventsSecret !== null,
    event_at: tracker.eventAt,
  }
}

export const createdIssueView = Type.Object(
  {
    vulnerability_id: Type.Integer(),
    state: Type.Enum(trackerIssueStates, {
      description:
        'Of the request: `unknown` when the tracker has not confirmed the issue; the next request searches for it first',
    }),
    key: nullableString,
    link_id: Type.Union([Type.Integer(), Type.Null()], { description: 'The issue link, when the issue exists' }),
    error: nullableString,
    requested_at: timestamp,
  },
  { title: 'TrackerIssue' },
)

/** Where issues are created. */
export const trackerPlaceView = Type.Object({
  kind: Type.Enum(trackerKinds),
  url: Type.String(),
  project: Type.String(),
})

export const viewTrackerPlace = ({ kind, url, place }: Tracker) => ({ kind, url, project: place })

export const requestedIssueView = Type.Object(
  {
    issue: Type.Union([createdIssueView, Type.Null()]),
    tracker: Type.Union([trackerPlaceView, Type.Null()]),
    synchronization: Type.Union([Type.Object({ at: nullableTimestamp, error: nullableString }), Type.Null()], {
      description:
        'Last successful update of the issue’s state, and why the last one failed; null when its tracker was removed, or when there is no issue',
    }),
  },
  { title: 'RequestedIssue' },
)

export function viewTrackerIssue(issue: TrackerIssue) {
  return {
    vulnerability_id: issue.vulnerabilityId,
    state: issue.state,
    key: issue.issueKey,
    link_id: issue.linkId,
    error: issue.error,
    requested_at: issue.requestedAt,
  }
}
