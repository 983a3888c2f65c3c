import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { multipart } from './multipart.ts'

/** Kinds of requests, by whether a proxy may repeat them. */
interface Kind {
  name: string
  /** False for requests that a proxy must not send twice. Their failures are counted and allowed. */
  isRepeatable: boolean
  send(serial: string): Sent
}

interface Sent {
  method: string
  path: string
  headers?: Record<string, string>
  body?: Buffer
}

export interface Count {
  proxy: string
  kind: string
  isRepeatable: boolean
  requests: number
  failed: number
  slowestMs: number
}

export interface Load {
  counts: Count[]
  /** The first failures of repeatable requests. */
  failures: string[]
  /** Names of acknowledged uploads; each must exist exactly once. */
  acknowledged: Set<string>
  stop(): Promise<void>
}

const longestResponseMs = 60_000
/** Number of clients of each kind. */
const clients = 2

/** Sends requests through a proxy over keep-alive connections until it is stopped. */
export function startLoad(
  { name: proxy, url }: { name: string; url: string },
  token: string,
  project: { id: number; file: number },
): Load {
  const kinds = kindsOf(project)
  const agent = new Agent({ keepAlive: true, maxSockets: clients * kinds.length })
  const load = { counts: [] as Count[], failures: [] as string[], acknowledged: new Set<string>() }
  let isStopped = false
  const running = kinds.flatMap((kind, place) => {
    const count: Count = {
      proxy,
      kind: kind.name,
      isRepeatable: kind.isRepeatable,
      requests: 0,
      failed: 0,
      slowestMs: 0,
    }
    load.counts.push(count)
    return Array.from({ length: clients }, async () => {
      while (!isStopped) await send(kind, count, `${proxy}-${place}-${++count.requests}`)
    })
  })
  return {
    ...load,
    async stop() {
      isStopped = true
      await Promise.all(running)
      agent.destroy()
    },
  }

  async function send(kind: Kind, count: Count, serial: string): Promise<void> {
    const startedAt = performance.now()
    const { status, text } = await exchange(agent, url, token, kind.send(serial))
    count.slowestMs = Math.max(count.slowestMs, Math.round(performance.now() - startedAt))
    if (status >= 200 && status < 300) {
      if (kind.name.startsWith('POST upload')) load.acknowledged.add(`${serial}.bin`)
      return
    }
    count.failed += 1
    if (kind.isRepeatable && load.failures.length < 10) {
      load.failures.push(
        `${proxy}, ${kind.name}: ${status || 'no response'} ${text.replace(/\s+/g, ' ').slice(0, 200)}`,
      )
    }
  }
}

function kindsOf({ id, file }: { id: number; file: number }): Kind[] {
  const at = `/api/v4/projects/${id}`
  const json = (value: object) => ({ body: Buffer.from(JSON.stringify(value)), type: 'application/json' })
  const post = (path: string, { body, type }: { body: Buffer; type: string }, key?: string): Sent => ({
    method: 'POST',
    path,
    body,
    headers: { 'content-type': type, ...(key && { 'idempotency-key': key }) },
  })
  const upload = (serial: string) => multipart(`${serial}.bin`, Buffer.alloc(4096, serial))
  const report = multipart('report.sarif', Buffer.from(JSON.stringify({ version: '2.1.0', runs: [] })))
  return [
    { name: 'GET list', isRepeatable: true, send: () => ({ method: 'GET', path: `${at}/uploads?per_page=20` }) },
    { name: 'GET file', isRepeatable: true, send: () => ({ method: 'GET', path: `${at}/uploads/${file}` }) },
    {
      name: 'PUT project',
      isRepeatable: true,
      send: (serial) => ({ ...post(at, json({ description: serial })), method: 'PUT' }),
    },
    {
      name: 'POST upload, key',
      isRepeatable: true,
      send: (serial) => post(`${at}/uploads`, upload(serial), randomUUID()),
    },
    {
      name: 'POST report, key',
      isRepeatable: true,
      send: () => post('/api/v4/projects/root%2Frolling/security_reports', report, randomUUID()),
    },
    { name: 'POST upload, no key', isRepeatable: false, send: (serial) => post(`${at}/uploads`, upload(serial)) },
  ]
}

/** Returns the status and body of the response, or 0 and the reason when there is none. */
function exchange(agent: Agent, url: string, token: string, sent: Sent): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ status: 0, text: error.message })
    const sending = request(`${url}${sent.path}`, {
      agent,
      method: sent.method,
      headers: { 'private-token': token, ...sent.headers, 'content-length': sent.body?.length ?? 0 },
      timeout: longestResponseMs,
    })
    sending.once('timeout', () => sending.destroy(new Error('no response in time')))
    sending.once('error', failed)
    sending.once('response', (response) => {
      buffer(response).then(
        (content) => resolve({ status: response.statusCode ?? 0, text: content.toString() }),
        failed, // the response ended early
      )
    })
    sending.end(sent.body)
  })
}
