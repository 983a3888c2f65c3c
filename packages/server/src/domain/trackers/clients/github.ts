import type { TrackerAccess } from '../tracker.ts'
import type { RemoteIssue } from '../tracker-issue.ts'
import { fieldsOf, listOf, timeOf } from './fields.ts'
import { hiddenMarker, nextPage, pageSize, type TrackerClient } from './tracker-client.ts'

/** GitHub's REST API, of github.com or of a GitHub Enterprise Server. */
export const githubClient: TrackerClient = {
  async createIssue(send, tracker, { title, description }) {
    const body = { title, body: description, labels: tracker.labels }
    return issueFrom(await send({ url: `${repositoryUrl(tracker)}/issues`, headers: headersOf(tracker), body }))
  },

  async listChangedIssues(send, tracker, { since, after }) {
    const query = new URLSearchParams({
      ...{ state: 'all', since, sort: 'created', direction: 'asc' },
      ...{ per_page: String(pageSize), page: after ?? '1' },
    })
    const rows = listOf(await send({ url: `${repositoryUrl(tracker)}/issues?${query}`, headers: headersOf(tracker) }))
    // The list contains pull requests, which have numbers of their own and so match no issue.
    return { issues: rows.map(issueFrom), next: nextPage(after, rows.length) }
  },

  async getIssue(send, tracker, key) {
    const url = `${repositoryUrl(tracker)}/issues/${encodeURIComponent(key)}`
    return issueFrom(await send({ url, headers: headersOf(tracker) }))
  },

  async findProblem(send, tracker) {
    const repository = fieldsOf(await send({ url: repositoryUrl(tracker), headers: headersOf(tracker) }))
    if (repository.flag('has_issues') === false) return `Issues are turned off in the repository ${tracker.place}.`
    return repository.flag('archived') === true ? `The repository ${tracker.place} is archived.` : undefined
  },

  markerText: hiddenMarker,
}

function repositoryUrl({ url, place }: TrackerAccess): string {
  const api = new URL(url).hostname === 'github.com' ? 'https://api.github.com' : `${url}/api/v3`
  return `${api}/repos/${place.split('/').map(encodeURIComponent).join('/')}`
}

const headersOf = ({ token }: TrackerAccess) => ({
  Accept: 'application/vnd.github+json',
  Authorization: `Bearer ${token}`,
  'X-GitHub-Api-Version': '2022-11-28',
})

function issueFrom(row: unknown): RemoteIssue {
  const issue = fieldsOf(row)
  return {
    key: issue.text('number'),
    url: issue.address('html_url'),
    title: issue.text('title'),
    state: issue.text('state') === 'closed' ? 'closed' : 'opened',
    description: issue.optionalText('body'),
    updatedAt: timeOf(issue.text('updated_at')),
  }
}
