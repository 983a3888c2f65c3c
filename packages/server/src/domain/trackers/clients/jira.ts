import type { TrackerAccess } from '../tracker.ts'
import type { RemoteIssue } from '../tracker-issue.ts'
import { fieldsOf, timeOf } from './fields.ts'
import { type IssueQuery, pageSize, type TrackerClient } from './tracker-client.ts'

/** Jira's REST API v2, whose descriptions are text. With an e-mail Jira Cloud, without one Jira Data Center. */
export const jiraClient: TrackerClient = {
  async createIssue(send, tracker, { title, description }) {
    const { place: key, issueType: name, labels } = tracker
    const body = { fields: { project: { key }, issuetype: { name }, summary: title, description, labels } }
    const created = fieldsOf(await send({ url: `${apiUrl(tracker)}/issue`, headers: headersOf(tracker), body }))
    // The response contains no more than the key. The rest arrives with the next synchronisation.
    return {
      ...{ key: created.text('key'), url: browseUrl(tracker, created.text('key')) },
      ...{ title, description, state: 'opened', updatedAt: '' },
    }
  },

  async listChangedIssues(send, tracker, query) {
    const isCloud = tracker.email !== null
    const parameters = new URLSearchParams({
      jql: `project = "${tracker.place}" AND updated >= "-${minutesSince(query)}m" ORDER BY created ASC`,
      maxResults: String(pageSize),
      fields: issueFields,
      ...(!isCloud && { startAt: query.after ?? '0' }),
      ...(isCloud && query.after !== undefined && { nextPageToken: query.after }),
    })
    const url = `${apiUrl(tracker)}/search${isCloud ? '/jql' : ''}?${parameters}`
    const found = await send({ url, headers: headersOf(tracker) })
    const rows = fieldsOf(found).list('issues')
    return { issues: rows.map((row) => issueFrom(tracker, row)), next: nextOf(found, rows.length, query) }
  },

  async getIssue(send, tracker, key) {
    const url = `${apiUrl(tracker)}/issue/${encodeURIComponent(key)}?fields=${issueFields}`
    return issueFrom(tracker, await send({ url, headers: headersOf(tracker) }))
  },

  async findProblem(send, tracker) {
    const url = `${apiUrl(tracker)}/project/${encodeURIComponent(tracker.place)}`
    const project = fieldsOf(await send({ url, headers: headersOf(tracker) }))
    const types = project.list('issueTypes').map((type) => fieldsOf(type).text('name'))
    if (types.includes(tracker.issueType)) return undefined
    return `The project ${tracker.place} has no issue type “${tracker.issueType}”. It has: ${types.join(', ')}.`
  },

  // Jira has no comments in descriptions.
  markerText: (marker) => `alcove-issue: ${marker}`,
}

const issueFields = 'summary,description,status,updated'

const apiUrl = ({ url }: TrackerAccess) => `${url}/rest/api/2`
const browseUrl = ({ url }: TrackerAccess, key: string) => `${url}/browse/${encodeURIComponent(key)}`

function headersOf({ email, token }: TrackerAccess): Record<string, string> {
  const basic = () => Buffer.from(`${email}:${token}`).toString('base64')
  return { Authorization: email === null ? `Bearer ${token}` : `Basic ${basic()}` }
}

/** Allowance for the difference between the two clocks and for the delay of Jira's search index. */
const marginMinutes = 15

/** Returns an age for JQL, which reads times in the time zone of the token's user, but ages independently of it. */
function minutesSince({ since, now }: IssueQuery): number {
  return Math.max(0, Math.ceil((Date.parse(now) - Date.parse(since)) / 60_000)) + marginMinutes
}

function nextOf(found: unknown, count: number, { after }: IssueQuery): string | undefined {
  const token = fieldsOf(found).optionalText('nextPageToken')
  if (token !== '') return token
  const read = Number(after ?? '0') + count
  return count > 0 && Number(fieldsOf(found).object('total')) > read ? String(read) : undefined
}

function issueFrom(tracker: TrackerAccess, row: unknown): RemoteIssue {
  const key = fieldsOf(row).text('key')
  const issue = fieldsOf(fieldsOf(row).object('fields'))
  const category = fieldsOf(fieldsOf(issue.object('status')).object('statusCategory'))
  return {
    key,
    url: browseUrl(tracker, key),
    title: issue.text('summary'),
    state: category.text('key') === 'done' ? 'closed' : 'opened',
    description: issue.optionalText('description'),
    updatedAt: timeOf(issue.text('updated')),
  }
}
