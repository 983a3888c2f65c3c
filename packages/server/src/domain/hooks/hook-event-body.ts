import type { Severity } from '../findings/scales.ts'

/**
 * Bodies of events as GitLab sends them, with the fields that other formats show. A report whose absences are held is not an
 * event of GitLab.
 */
export type EventBody = VulnerabilityEvent | AccessTokenEvent | HeldReportEvent

export interface VulnerabilityEvent {
  object_kind: 'vulnerability'
  object_attributes: {
    url: string
    title: string
    state: string
    severity: Severity
    location: object
  }
}

export interface AccessTokenEvent {
  object_kind: 'access_token'
  project?: { path_with_namespace: string }
  group?: { full_path: string }
  object_attributes: { name: string; expires_at: string }
}

export interface HeldReportEvent {
  object_kind: 'security_report'
  project: { path_with_namespace: string }
  object_attributes: { ref: string; scanner: string; present: number; absent: number; url: string }
}

/** An event in another format than GitLab's. */
interface FormattedEvent {
  object_kind: EventBody['object_kind']
  /** The body of the request. */
  sent: object
}

/** What is stored of an event until it is sent. */
export type StoredEvent = EventBody | FormattedEvent

/** Returns the body of the request that sends an event. */
export function bodyOf(event: StoredEvent): object {
  return 'sent' in event ? event.sent : event
}
