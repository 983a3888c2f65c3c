import type { TrackerAccess } from '../tracker.ts'
import type { RemoteIssue } from '../tracker-issue.ts'
import type { Send } from './exchange.ts'
import { fieldsOf, listOf, timeOf } from './fields.ts'
import { hiddenMarker, pageSize, type TrackerClient } from './tracker-client.ts'

/** The API v1 of Gitea and Forgejo. */
export const giteaClient: TrackerClient = {
  async createIssue(send, tracker, { title, description }) {
    const body = { title, body: description, labels: await labelIds(send, tracker) }
    return issueFrom(await send({ url: `${repositoryUrl(tracker)}/issues`, headers: headersOf(tracker), body }))
  },

  async listChangedIssues(send, tracker, { since, after }) {
    const query = new URLSearchParams({
      ...{ state: 'all', type: 'issues', since },
      ...{ limit: String(pageSize), page: after ?? '1' },
    })
    const rows = listOf(await send({ url: `${repositoryUrl(tracker)}/issues?${query}`, headers: headersOf(tracker) }))
    return { issues: rows.map(issueFrom), next: rows.length === 0 ? undefined : String(Number(after ?? '1') + 1) }
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

const maxLabelPages = 20

/** Returns the ids of the labels, which the API wants in place of names. Labels that do not exist are left out. */
async function labelIds(send: Send, tracker: TrackerAccess): Promise<number[]> {
  const ids: number[] = []
  for (let page = 1; page <= maxLabelPages && ids.length < tracker.labels.length; page++) {
    const url = `${repositoryUrl(tracker)}/labels?limit=${pageSize}&page=${page}`
    const rows = listOf(await send({ url, headers: headersOf(tracker) })).map(fieldsOf)
    if (rows.length === 0) break
    const named = rows.filter((label) => tracker.labels.includes(label.text('name')))
    ids.push(...named.map((label) => Number(label.text('id'))))
  }
  return ids
}

const repositoryUrl = ({ url, place }: TrackerAccess) =>
  `${url}/api/v1/repos/${place.split('/').map(encodeURIComponent).join('/')}`
const headersOf = ({ token }: TrackerAccess) => ({ Authorization: `token ${token}` })

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
