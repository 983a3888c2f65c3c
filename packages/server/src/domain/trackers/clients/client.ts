import type { TrackerAccess, TrackerKind } from '../tracker.ts'
import type { IssueText, RemoteIssue } from '../tracker-issue.ts'
import type { Send } from './exchange.ts'
import { giteaClient } from './gitea.ts'
import { githubClient } from './github.ts'
import { gitlabClient } from './gitlab.ts'
import { jiraClient } from './jira.ts'
import type { IssuePage, TrackerClient } from './tracker-client.ts'

const clients: Record<TrackerKind, TrackerClient> = {
  gitlab: gitlabClient,
  github: githubClient,
  gitea: giteaClient,
  jira: jiraClient,
}

export function clientOf({ kind }: Pick<TrackerAccess, 'kind'>): TrackerClient {
  return clients[kind]
}

/** Creates an issue whose description ends with the marker. */
export function createRemoteIssue(
  send: Send,
  tracker: TrackerAccess,
  { title, description }: IssueText,
  marker: string,
): Promise<RemoteIssue> {
  const client = clientOf(tracker)
  return client.createIssue(send, tracker, { title, description: `${description}\n\n${client.markerText(marker)}` })
}

/** Maximum number of pages, which only a tracker that repeats a page reaches. */
const maxPages = 1000

/** Returns the pages of issues that changed since this time, by the tracker's clock. */
export async function* changedIssues(
  send: Send,
  tracker: TrackerAccess,
  { since, now }: { since: string; now: string },
): AsyncGenerator<readonly RemoteIssue[]> {
  let after: string | undefined
  for (let count = 0; count < maxPages; count++) {
    const page: IssuePage = await clientOf(tracker).listChangedIssues(send, tracker, { since, now, after })
    yield page.issues
    if (page.next === undefined) return
    after = page.next
  }
}

/** Returns the issue with this marker among those that changed since this time. */
export async function findMarkedIssue(
  send: Send,
  tracker: TrackerAccess,
  marker: string,
  times: { since: string; now: string },
): Promise<RemoteIssue | undefined> {
  const text = clientOf(tracker).markerText(marker)
  for await (const issues of changedIssues(send, tracker, times)) {
    const found = issues.find(({ description }) => description.includes(text))
    if (found) return found
  }
  return undefined
}
