import type { Hook, HookPlace } from './place.ts'

type Noun = HookPlace['noun']

/** Parameter that subscribes a webhook to events. It is also the trigger of a test. */
export type EventName =
  | 'vulnerability_events'
  | 'import_events'
  | 'upload_events'
  | 'topic_events'
  | 'member_events'
  | 'token_events'
  | 'resource_access_token_events'

interface HookEvents {
  name: EventName
  label: string
  hint: string
  /** True: only webhooks of the instance receive them. */
  isOfInstance?: true
  /** True: selected in the form of a new webhook. */
  isDefault?: true
}

const eventGroups: readonly { title: string; events: readonly HookEvents[] }[] = [
  {
    title: 'Security',
    events: [
      {
        name: 'vulnerability_events',
        label: 'Vulnerability events',
        hint: 'A vulnerability is detected, changed or no longer detected, or a report is on hold.',
        isDefault: true,
      },
      {
        name: 'import_events',
        label: 'Import events',
        hint: 'A scanner report is imported, fails, or is on hold.',
      },
    ],
  },
  {
    title: 'Content',
    events: [
      { name: 'upload_events', label: 'Upload events', hint: 'A file is uploaded, deleted or restored.' },
      {
        name: 'topic_events',
        label: 'Topic events',
        hint: 'A topic is created, changed, merged or deleted.',
        isOfInstance: true,
      },
    ],
  },
  {
    title: 'Access',
    events: [
      { name: 'member_events', label: 'Member events', hint: 'A member is added, changed or removed.' },
      { name: 'token_events', label: 'Token events', hint: 'An access token is created, rotated or revoked.' },
      {
        name: 'resource_access_token_events',
        label: 'Expiring token events',
        hint: 'An access token expires in 60, 30 or 7 days.',
        isDefault: true,
      },
    ],
  },
]

/** Returns the groups with the events that the webhooks of a place can receive. */
export function eventGroupsOf(noun: Noun) {
  return eventGroups.map(({ title, events }) => ({
    title,
    events: events.filter(({ isOfInstance }) => noun === 'instance' || !isOfInstance),
  }))
}

export const eventsOf = (noun: Noun): HookEvents[] => eventGroupsOf(noun).flatMap(({ events }) => events)

/** Returns the events to which a webhook is subscribed. */
export function subscribedEvents(hook: Hook): HookEvents[] {
  return eventsOf('instance').filter(({ name }) => hook[name] === true)
}

const wordsByName = new Map(
  Object.entries({
    absences_held: 'Report on hold',
    report_imported: 'Report imported',
    report_failed: 'Report failed',
    upload_created: 'File uploaded',
    upload_deleted: 'File deleted',
    upload_restored: 'File restored',
    topic_created: 'Topic created',
    topic_changed: 'Topic changed',
    topic_merged: 'Topics merged',
    topic_merge_undone: 'Topic merge undone',
    topic_deleted: 'Topic deleted',
    created_access_token: 'Access token created',
    rotated_access_token: 'Access token rotated',
    revoked_access_token: 'Access token revoked',
    expiring_access_token: 'Access token expires soon',
    user_add_to_team: 'Project member added',
    user_update_for_team: 'Project member changed',
    user_remove_from_team: 'Project member removed',
    user_add_to_group: 'Group member added',
    user_update_for_group: 'Group member changed',
    user_remove_from_group: 'Group member removed',
    project_create: 'Test event',
  }),
)

const wordsByTrigger = new Map(
  Object.entries({
    vulnerability_hooks: 'Vulnerability',
    security_report_hooks: 'Report',
    upload_hooks: 'Upload',
    topic_hooks: 'Topic',
    member_hooks: 'Member',
    resource_access_token_hooks: 'Access token',
    system_hooks: 'Test event',
  }),
)

/** Names the event of a delivery. Messages for chats contain only its kind. */
export function eventInWords(delivery: { trigger: string; request_data: Readonly<Record<string, unknown>> }): string {
  const { event_name: name } = delivery.request_data
  return (typeof name === 'string' && wordsByName.get(name)) || wordsByTrigger.get(delivery.trigger) || delivery.trigger
}
