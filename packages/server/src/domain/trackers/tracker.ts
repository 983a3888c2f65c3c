/** Kinds of issue trackers. */
export const trackerKinds = ['gitlab', 'github', 'gitea', 'jira'] as const

export type TrackerKind = (typeof trackerKinds)[number]

/** Project in an issue tracker, and how its issues are written. */
export interface TrackerDraft {
  kind: TrackerKind
  /** URL of the tracker's web UI, without a slash at the end. */
  url: string
  /** Path of the project (`group/project`), or its key in Jira. */
  place: string
  token: string
  /** E-mail of the token's user, which Jira Cloud requires. */
  email: string | null
  /** Type of the issues in Jira. */
  issueType: string
  labels: readonly string[]
  titleTemplate: string
  descriptionTemplate: string
}

/** A new or changed tracker. A token that is not given stays as it is. */
export type TrackerChange = Omit<TrackerDraft, 'token'> & Partial<Pick<TrackerDraft, 'token'>>

/** Templates of the issues' title and description. */
export type IssueTemplates = Pick<TrackerDraft, 'titleTemplate' | 'descriptionTemplate'>

/** Project or group to which a tracker belongs. A group's tracker serves all projects below it without their own. */
export interface TrackerOwner {
  kind: 'project' | 'group'
  id: number
}

export interface Tracker extends TrackerDraft {
  id: number
  projectId: number | null
  namespaceId: number | null
  pausedUntil: string | null
  polledAt: string | null
  /** Time of the newest change that was read, by the tracker's clock. */
  synchronizedUntil: string | null
  syncError: string | null
  /** Authenticates events of the tracker. Null: events are refused. */
  eventsSecret: string | null
  /** Time of the last event, to the minute. */
  eventAt: string | null
}

/** What requests to a tracker need. */
export type TrackerAccess = Pick<Tracker, 'kind' | 'url' | 'place' | 'token' | 'email' | 'issueType' | 'labels'>
