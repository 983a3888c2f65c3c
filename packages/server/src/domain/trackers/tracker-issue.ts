/**
 * States of the issue of a vulnerability:
 * - `creating`: a job creates it.
 * - `created`: it exists, and the vulnerability has a link to it.
 * - `failed`: the tracker has refused it, so it does not exist.
 * - `unknown`: the tracker has not confirmed it. The next attempt searches for it first.
 */
export const trackerIssueStates = ['creating', 'created', 'failed', 'unknown'] as const

export interface TrackerIssue {
  id: number
  vulnerabilityId: number
  /** Null after the tracker was removed. */
  trackerId: number | null
  linkId: number | null
  /** UUID in the description, by which the issue is found after a lost response. */
  marker: string
  state: (typeof trackerIssueStates)[number]
  /** Number or key of the issue in the tracker. */
  issueKey: string | null
  /** Why it was not created, for users. */
  error: string | null
  attempts: number
  /** Time of a request whose outcome is not known. */
  sentAt: string | null
  busyUntil: string | null
  /** Attempts end a day after this time. */
  requestedAt: string
  /** Time at which its state was last read. Issues that have not changed are not read by polls. */
  synchronizedAt: string | null
}

/** The link to an issue that a tracker has created. */
export interface CreatedLink {
  vulnerabilityId: number
  linkId: number
  issueKey: string | null
}

/** An issue as the tracker returns it. */
export interface RemoteIssue {
  key: string
  url: string
  title: string
  state: IssueState
  /** The part of the issue that contains the marker. */
  description: string
  updatedAt: string
}

export type IssueState = 'opened' | 'closed'

/** Text of a new issue. */
export interface IssueText {
  title: string
  description: string
}
