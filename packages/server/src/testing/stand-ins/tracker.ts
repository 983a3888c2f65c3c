import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { TrackerKind } from '../../domain/trackers/tracker.ts'

/** An issue of the scripted tracker. */
interface ScriptedIssue {
  number: number
  title: string
  description: string
  labels: unknown
  isOpen: boolean
  createdAt: string
  updatedAt: string
}

/**
 * What happens to a request that creates an issue:
 * - `lost`: the issue is created, but the connection ends without a response. `lost 502` responds with a proxy's error.
 * - `cut`: the issue is created, but the response ends in the middle.
 * - `dropped`: the connection ends, and no issue is created. `dropped 503` responds with an error.
 * - `limited`: 429 with `Retry-After`, and no issue is created.
 * - `late`: the connection ends, and the issue is created a minute later.
 */
export const faults = ['lost', 'lost 502', 'cut', 'dropped', 'dropped 503', 'limited', 'late'] as const
type Fault = (typeof faults)[number]

export interface ScriptedTracker {
  url: string
  issues: ScriptedIssue[]
  /** Faults of the next requests that create an issue, in order. */
  script: Fault[]
  /** Status of every response, instead of what was requested. */
  status: number | undefined
  hasIssues: boolean
  requests: { method: string; path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }[]
  /** Changes an issue, as a user of the tracker does. */
  change(number: number, change: Partial<ScriptedIssue>): void
}

export const token = 'token-of-the-tracker'
export const retryAfterSeconds = 120
/** Path of the project, or its key in Jira. */
export const placeOf = (kind: TrackerKind) => (kind === 'jira' ? 'SHOP' : 'acme/shop')

/** Starts a tracker with the documented requests and responses of one kind on loopback. It stops with the test. */
export async function startTracker(kind: TrackerKind, clock: { now: string }): Promise<ScriptedTracker> {
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  const waiting: { at: number; issue: ScriptedIssue }[] = []
  const tracker: ScriptedTracker = {
    url: `http://127.0.0.1:${port}`,
    issues: [],
    script: [],
    status: undefined,
    hasIssues: true,
    requests: [],
    change(number, change) {
      const issue = tracker.issues.find((issue) => issue.number === number)
      Object.assign(issue ?? {}, change, { updatedAt: clock.now })
    },
  }
  const dialect = dialects[kind]
  return tracker

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const body = text === '' ? {} : JSON.parse(text)
    const method = request.method ?? ''
    const url = new URL(request.url ?? '', tracker.url)
    tracker.requests.push({ method, path: url.pathname, headers: request.headers, body })
    const send = (status: number, value: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    for (const { at, issue } of waiting.splice(0)) {
      if (at <= Date.parse(clock.now)) add(issue)
      else waiting.push({ at, issue })
    }
    if (tracker.status !== undefined) return send(tracker.status, { message: 'scripted' })
    if (!dialect.isAuthorized(request.headers)) return send(401, { message: '401 Unauthorized' })
    if (method === 'POST' && url.pathname === dialect.createPath) return create(body, response, send)
    if (method === 'GET' && url.pathname === dialect.projectPath) return send(200, dialect.project(tracker.hasIssues))
    if (method === 'GET' && url.pathname === dialect.labelsPath) return send(200, labelsOn(url))
    if (method === 'GET' && url.pathname === dialect.listPath) return send(200, dialect.list(tracker, url, clock.now))
    if (method === 'GET' && url.pathname.startsWith(`${dialect.createPath}/`)) {
      const index = Number(/\d+$/.exec(url.pathname)?.[0]) - 1
      if (tracker.issues[index]) return send(200, dialect.one(tracker, index))
    }
    send(404, { message: '404 Not Found' })
  }

  function add(issue: ScriptedIssue): void {
    tracker.issues.push({ ...issue, number: tracker.issues.length + 1, createdAt: clock.now, updatedAt: clock.now })
  }

  function create(
    body: Record<string, unknown>,
    response: ServerResponse,
    send: (status: number, value: unknown) => void,
  ) {
    const fields = (kind === 'jira' ? body['fields'] : body) as Record<string, unknown> // an object in Jira
    const draft: ScriptedIssue = {
      number: 0,
      title: String(fields['title'] ?? fields['summary']),
      description: String(fields['description'] ?? fields['body']),
      labels: fields['labels'],
      isOpen: true,
      createdAt: '',
      updatedAt: '',
    }
    const fault = tracker.script.shift()
    if (fault === undefined || fault.startsWith('lost') || fault === 'cut') add(draft)
    if (fault === 'late') waiting.push({ at: Date.parse(clock.now) + 60_000, issue: draft })
    const created = dialect.created(tracker, tracker.issues.length - 1)
    if (fault === undefined) return send(201, created)
    if (fault === 'lost 502' || fault === 'dropped 503') return send(Number(fault.slice(-3)), 'Bad Gateway')
    if (fault === 'limited') response.setHeader('retry-after', String(retryAfterSeconds))
    if (fault === 'limited') return send(429, { message: 'Retry later' })
    if (fault !== 'cut') return void response.destroy()
    response.writeHead(201, { 'content-type': 'application/json' })
    response.write(JSON.stringify(created).slice(0, 10), () => response.destroy())
  }
}

const labels = [
  { id: 7, name: 'security' },
  { id: 8, name: 'other' },
]
const labelsOn = (url: URL) => (url.searchParams.get('page') === '1' ? labels : [])

interface TrackerDialect {
  createPath: string
  listPath: string
  projectPath: string
  labelsPath?: string
  isAuthorized(headers: IncomingMessage['headers']): boolean
  project(hasIssues: boolean): unknown
  created(tracker: ScriptedTracker, index: number): unknown
  one(tracker: ScriptedTracker, index: number): unknown
  list(tracker: ScriptedTracker, url: URL, now: string): unknown
}

/** Returns a page of the issues that changed since the time in this parameter. */
function changed(tracker: ScriptedTracker, url: URL, names: { since: string; size: string }): ScriptedIssue[] {
  const since = Date.parse(url.searchParams.get(names.since) ?? '')
  const size = Number(url.searchParams.get(names.size))
  const start = (Number(url.searchParams.get('page')) - 1) * size
  return tracker.issues.filter(({ updatedAt }) => Date.parse(updatedAt) >= since).slice(start, start + size)
}

/** Trackers send times without milliseconds. */
const seconds = (time: string) => time.replace(/\.\d+Z$/, 'Z')

const gitlabIssue = (tracker: ScriptedTracker, issue: ScriptedIssue) => ({
  id: 1000 + issue.number,
  iid: issue.number,
  title: issue.title,
  description: issue.description,
  state: issue.isOpen ? 'opened' : 'closed',
  web_url: `${tracker.url}/acme/shop/-/issues/${issue.number}`,
  updated_at: issue.updatedAt,
})

const githubIssue = (tracker: ScriptedTracker, issue: ScriptedIssue) => ({
  id: 1000 + issue.number,
  number: issue.number,
  title: issue.title,
  body: issue.description,
  state: issue.isOpen ? 'open' : 'closed',
  html_url: `${tracker.url}/acme/shop/issues/${issue.number}`,
  updated_at: seconds(issue.updatedAt),
})

const issueAt = <T>(
  tracker: ScriptedTracker,
  index: number,
  view: (tracker: ScriptedTracker, issue: ScriptedIssue) => T,
) => {
  const issue = tracker.issues[index]
  return issue ? view(tracker, issue) : {}
}

const dialects: Record<TrackerKind, TrackerDialect> = {
  gitlab: {
    createPath: '/api/v4/projects/acme%2Fshop/issues',
    listPath: '/api/v4/projects/acme%2Fshop/issues',
    projectPath: '/api/v4/projects/acme%2Fshop',
    isAuthorized: (headers) => headers['private-token'] === token,
    project: (hasIssues) => ({ id: 5, issues_enabled: hasIssues }),
    created: (tracker, index) => issueAt(tracker, index, gitlabIssue),
    one: (tracker, index) => issueAt(tracker, index, gitlabIssue),
    list: (tracker, url) =>
      changed(tracker, url, { since: 'updated_after', size: 'per_page' }).map((issue) => gitlabIssue(tracker, issue)),
  },
  github: {
    createPath: '/api/v3/repos/acme/shop/issues',
    listPath: '/api/v3/repos/acme/shop/issues',
    projectPath: '/api/v3/repos/acme/shop',
    isAuthorized: (headers) => headers.authorization === `Bearer ${token}`,
    project: (hasIssues) => ({ id: 5, has_issues: hasIssues }),
    created: (tracker, index) => issueAt(tracker, index, githubIssue),
    one: (tracker, index) => issueAt(tracker, index, githubIssue),
    list: (tracker, url) =>
      changed(tracker, url, { since: 'since', size: 'per_page' }).map((issue) => githubIssue(tracker, issue)),
  },
  gitea: {
    createPath: '/api/v1/repos/acme/shop/issues',
    listPath: '/api/v1/repos/acme/shop/issues',
    projectPath: '/api/v1/repos/acme/shop',
    labelsPath: '/api/v1/repos/acme/shop/labels',
    isAuthorized: (headers) => headers.authorization === `token ${token}`,
    project: (hasIssues) => ({ id: 5, has_issues: hasIssues, archived: false }),
    created: (tracker, index) => issueAt(tracker, index, githubIssue),
    one: (tracker, index) => issueAt(tracker, index, githubIssue),
    list: (tracker, url) =>
      changed(tracker, url, { since: 'since', size: 'limit' }).map((issue) => githubIssue(tracker, issue)),
  },
  jira: {
    createPath: '/rest/api/2/issue',
    listPath: '/rest/api/2/search',
    projectPath: '/rest/api/2/project/SHOP',
    isAuthorized: (headers) => headers.authorization === `Bearer ${token}`,
    project: () => ({ key: 'SHOP', issueTypes: [{ name: 'Task' }, { name: 'Bug' }] }),
    created: (tracker, index) => ({ id: String(1000 + index), key: `SHOP-${index + 1}`, self: tracker.url }),
    one: (tracker, index) => issueAt(tracker, index, (_, issue) => jiraIssue(issue)),
    list(tracker, url, now) {
      const [, minutes] = /updated >= "-(\d+)m"/.exec(url.searchParams.get('jql') ?? '') ?? []
      const since = Date.parse(now) - Number(minutes) * 60_000
      const start = Number(url.searchParams.get('startAt'))
      const found = tracker.issues.filter(({ updatedAt }) => Date.parse(updatedAt) >= since)
      const page = found.slice(start, start + Number(url.searchParams.get('maxResults')))
      return { startAt: start, total: found.length, issues: page.map(jiraIssue) }
    },
  },
}

const jiraIssue = (issue: ScriptedIssue) => ({
  key: `SHOP-${issue.number}`,
  fields: {
    summary: issue.title,
    description: issue.description,
    status: { name: 'any', statusCategory: { key: issue.isOpen ? 'new' : 'done' } },
    updated: issue.updatedAt.replace('Z', '+0000'),
  },
})
