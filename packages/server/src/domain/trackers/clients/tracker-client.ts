import type { TrackerAccess } from '../tracker.ts'
import type { IssueText, RemoteIssue } from '../tracker-issue.ts'
import type { Send } from './exchange.ts'

/** The API of one kind of tracker. Its functions throw `TrackerError`. */
export interface TrackerClient {
  createIssue(send: Send, tracker: TrackerAccess, text: IssueText): Promise<RemoteIssue>
  /**
   * Returns a page of the issues that changed since this time, in any state. They are in the order of their creation,
   * so that an issue that changes meanwhile moves no other one to a page that has been read.
   */
  listChangedIssues(send: Send, tracker: TrackerAccess, query: IssueQuery): Promise<IssuePage>
  /** Returns one issue. */
  getIssue(send: Send, tracker: TrackerAccess, key: string): Promise<RemoteIssue>
  /** Reads the project. Returns why issues cannot be created there, if it is known. */
  findProblem(send: Send, tracker: TrackerAccess): Promise<string | undefined>
  /** Text in the description by which an issue is found again. Hidden where the tracker allows it. */
  markerText(marker: string): string
}

export interface IssueQuery {
  since: string
  now: string
  /** `next` of the page before. */
  after: string | undefined
}

export interface IssuePage {
  issues: readonly RemoteIssue[]
  /** Absent on the last page. */
  next: string | undefined
}

/** Issues per page. Gitea returns at most 50. */
export const pageSize = 50

/** Returns a Markdown comment, which trackers do not show. */
export const hiddenMarker = (marker: string): string => `<!-- alcove-issue: ${marker} -->`

/** Returns the number of the next page of a list with numbered pages. */
export function nextPage(after: string | undefined, count: number): string | undefined {
  return count < pageSize ? undefined : String(Number(after ?? '1') + 1)
}
