import type { Severity, State } from '../findings/scales.ts'

/**
 * Bodies of events as GitLab sends them, with the fields that other formats show. Events of reports, uploads and topics,
 * and of access tokens but for their expiry, are not events of GitLab.
 */
export type EventBody =
  | VulnerabilityEvent
  | AccessTokenEvent
  | HeldReportEvent
  | ImportEvent
  | UploadEvent
  | TopicEvent
  | MemberEvent
  | TestEvent

export interface VulnerabilityEvent {
  object_kind: 'vulnerability'
  object_attributes: {
    url: string
    title: string
    state: State
    severity: Severity
    location: object
  }
}

export interface AccessTokenEvent {
  object_kind: 'access_token'
  event_name: 'expiring_access_token' | 'created_access_token' | 'rotated_access_token' | 'revoked_access_token'
  project?: { path_with_namespace: string }
  group?: { full_path: string }
  object_attributes: { name: string; expires_at: string | null }
}

export interface HeldReportEvent {
  object_kind: 'security_report'
  event_name: 'absences_held'
  project: { path_with_namespace: string }
  object_attributes: { ref: string; scanner: string; present: number; absent: number; url: string }
}

export interface ImportEvent {
  object_kind: 'security_report'
  event_name: 'report_imported' | 'report_failed'
  project: { path_with_namespace: string }
  object_attributes: {
    ref: string
    scanner: string | null
    new: number
    absent: number
    error: string | null
    url: string
  }
}

export interface UploadEvent {
  object_kind: 'upload'
  event_name: 'upload_created' | 'upload_deleted' | 'upload_restored'
  project?: { path_with_namespace: string }
  group?: { full_path: string }
  object_attributes: { filename: string; url: string }
}

export interface TopicEvent {
  object_kind: 'topic'
  event_name: 'topic_created' | 'topic_changed' | 'topic_merged' | 'topic_merge_undone' | 'topic_deleted'
  object_attributes: { name: string; title: string | null; url: string }
  /** Topic that was merged into this one. */
  source?: { name: string }
}

/** Change of a membership, in the shape of GitLab's group and system hooks, which have no `object_kind`. */
export interface MemberEvent {
  event_name: `user_${'add_to' | 'update_for' | 'remove_from'}_${'group' | 'team'}`
  user_name: string
  user_username: string
  group_path?: string
  group_access?: string
  project_path_with_namespace?: string
  access_level?: string
}

/** What GitLab sends to test a system hook. */
interface TestEvent {
  event_name: 'project_create'
}

/** What an event is about. */
export type EventNoun = 'vulnerability' | 'access_token' | 'security_report' | 'upload' | 'topic' | 'member' | 'test'

/** An event in another format than GitLab's. */
interface FormattedEvent {
  object_kind: EventNoun
  /** The body of the request. */
  sent: object
}

/** What is stored of an event until it is sent. */
export type StoredEvent = EventBody | FormattedEvent

/** Returns the body of the request that sends an event. */
export function bodyOf(event: StoredEvent): object {
  return 'sent' in event ? event.sent : event
}

export function nounOf(event: StoredEvent): EventNoun {
  if ('object_kind' in event) return event.object_kind
  return event.event_name === 'project_create' ? 'test' : 'member'
}

const eventNames = {
  vulnerability: 'Vulnerability Hook',
  access_token: 'Resource Access Token Hook',
  member: 'Member Hook',
  test: 'System Hook',
  // Not events of GitLab.
  security_report: 'Security Report Hook',
  upload: 'Upload Hook',
  topic: 'Topic Hook',
} as const satisfies Record<EventNoun, string>

/** Returns the name of an event in the header `X-Gitlab-Event`. */
export function eventNameOf(event: StoredEvent): (typeof eventNames)[EventNoun] {
  return eventNames[nounOf(event)]
}
