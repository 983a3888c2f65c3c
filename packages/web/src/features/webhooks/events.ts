import type { Hook, HookPlace } from './place.ts'
import { texts } from './texts.ts'

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
    title: texts.security,
    events: [
      {
        name: 'vulnerability_events',
        label: texts.vulnerabilityEvents,
        hint: texts.aVulnerabilityIsDetected,
        isDefault: true,
      },
      {
        name: 'import_events',
        label: texts.importEvents,
        hint: texts.aScannerReportIsImported,
      },
    ],
  },
  {
    title: texts.content,
    events: [
      { name: 'upload_events', label: texts.uploadEvents, hint: texts.aFileIsUploaded },
      {
        name: 'topic_events',
        label: texts.topicEvents,
        hint: texts.aTopicIsCreated,
        isOfInstance: true,
      },
    ],
  },
  {
    title: texts.access,
    events: [
      { name: 'member_events', label: texts.memberEvents, hint: texts.aMemberIsAdded },
      { name: 'token_events', label: texts.tokenEvents, hint: texts.anAccessTokenIsCreated },
      {
        name: 'resource_access_token_events',
        label: texts.expiringTokenEvents,
        hint: texts.anAccessTokenExpires,
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
    absences_held: texts.reportOnHold,
    report_imported: texts.reportImported,
    report_failed: texts.reportFailed,
    upload_created: texts.fileUploaded,
    upload_deleted: texts.fileDeleted,
    upload_restored: texts.fileRestored,
    topic_created: texts.topicCreated,
    topic_changed: texts.topicChanged,
    topic_merged: texts.topicsMerged,
    topic_merge_undone: texts.topicMergeUndone,
    topic_deleted: texts.topicDeleted,
    created_access_token: texts.accessTokenCreated,
    rotated_access_token: texts.accessTokenRotated,
    revoked_access_token: texts.accessTokenRevoked,
    expiring_access_token: texts.accessTokenExpiresSoon,
    user_add_to_team: texts.projectMemberAdded,
    user_update_for_team: texts.projectMemberChanged,
    user_remove_from_team: texts.projectMemberRemoved,
    user_add_to_group: texts.groupMemberAdded,
    user_update_for_group: texts.groupMemberChanged,
    user_remove_from_group: texts.groupMemberRemoved,
    project_create: texts.testEvent,
  }),
)

const wordsByTrigger = new Map(
  Object.entries({
    vulnerability_hooks: texts.vulnerability,
    security_report_hooks: texts.report,
    upload_hooks: 'Upload',
    topic_hooks: texts.topic,
    member_hooks: texts.member,
    resource_access_token_hooks: texts.accessToken,
    system_hooks: texts.testEvent,
  }),
)

/** Names the event of a delivery. Messages for chats contain only its kind. */
export function eventInWords(delivery: { trigger: string; request_data: Readonly<Record<string, unknown>> }): string {
  const { event_name: name } = delivery.request_data
  return (typeof name === 'string' && wordsByName.get(name)) || wordsByTrigger.get(delivery.trigger) || delivery.trigger
}
