import type { TrackerAccess } from '../tracker.ts'
import type { RemoteIssue } from '../tracker-issue.ts'
import { fieldsOf, listOf, timeOf } from './fields.ts'
import { hiddenMarker, nextPage, pageSize, type TrackerClient } from './tracker-client.ts'

/** GitLab's REST API v4. */
export const gitlabClient: TrackerClient = {
  async createIssue(send, tracker, { title, description }) {
    const body = { title, description, labels: tracker.labels.join(',') }
    return issueFrom(await send({ url: `${projectUrl(tracker)}/issues`, headers: headersOf(tracker), body }))
  },

  async listChangedIssues(send, tracker, { since, after }) {
    const query = new URLSearchParams({
      ...{ scope: 'all', state: 'all', updated_after: since, order_by: 'created_at', sort: 'asc' },
      ...{ per_page: String(pageSize), page: after ?? '1' },
    })
    const rows = listOf(await send({ url: `${projectUrl(tracker)}/issues?${query}`, headers: headersOf(tracker) }))
    return { issues: rows.map(issueFrom), next: nextPage(after, rows.length) }
  },

  async getIssue(send, tracker, key) {
    const url = `${projectUrl(tracker)}/issues/${encodeURIComponent(key)}`
    return issueFrom(await send({ url, headers: headersOf(tracker) }))
  },

  async findProblem(send, tracker) {
    const project = fieldsOf(await send({ url: projectUrl(tracker), headers: headersOf(tracker) }))
    const isOff = project.flag('issues_enabled') === false || project.optionalText('issues_access_level') === 'disabled'
    return isOff ? `Issues are turned off in the project ${tracker.place}.` : undefined
  },

  markerText: hiddenMarker,
}

const projectUrl = ({ url, place }: TrackerAccess) => `${url}/api/v4/projects/${encodeURIComponent(place)}`
const headersOf = ({ token }: TrackerAccess) => ({ 'PRIVATE-TOKEN': token })

function issueFrom(row: unknown): RemoteIssue {
  const issue = fieldsOf(row)
  return {
    key: issue.text('iid'),
    url: issue.address('web_url'),
    title: issue.text('title'),
    state: issue.text('state') === 'closed' ? 'closed' : 'opened',
    description: issue.optionalText('description'),
    updatedAt: timeOf(issue.text('updated_at')),
  }
}
