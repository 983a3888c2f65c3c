import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, startPostgres } from '../src/testing/databases/postgres.ts'
import { type ServerProcess, startProcess, temporaryFolder } from './process.ts'

const checkEveryMs = 100
const token = 'token-of-the-rolling-restart'

/** A server behind the balancer. */
interface Upstream {
  url: string
  isHealthy: boolean
}

/**
 * A load balancer that does what nginx and HAProxy do: it asks for readiness, keeps connections open, and passes a request
 * on to the next server when the connection is refused, or when a repeatable request got no byte of a response.
 */
async function startBalancer(upstreams: Upstream[]): Promise<{ url: string; failures: string[] }> {
  const agent = new Agent({ keepAlive: true })
  const failures: string[] = []
  let turn = 0
  const server: Server = createServer(async (incoming, answer) => {
    const body = await buffer(incoming)
    const order = [...upstreams.slice(turn), ...upstreams.slice(0, turn)].filter(({ isHealthy }) => isHealthy)
    turn = (turn + 1) % upstreams.length
    for (const { url } of order) {
      try {
        return await pass(url, agent, incoming, body, answer)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException // what Node throws
        const isRepeatable = incoming.method === 'GET' || code === 'ECONNREFUSED'
        if (!isRepeatable || answer.headersSent) return fail(incoming, answer, String(error))
      }
    }
    fail(incoming, answer, 'no server left')
  })
  const fail = (incoming: IncomingMessage, answer: ServerResponse, why: string) => {
    failures.push(`${incoming.method} ${incoming.url}: ${why}`)
    answer.writeHead(502).end()
  }
  const checks = setInterval(() => {
    for (const upstream of upstreams)
      void isReady(upstream.url).then((isHealthy) => Object.assign(upstream, { isHealthy }))
  }, checkEveryMs)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    clearInterval(checks)
    agent.destroy()
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, failures }
}

/** Resolves when the whole response has been passed on. Rejects when the server sent none, or broke it off. */
function pass(
  url: string,
  agent: Agent,
  incoming: IncomingMessage,
  body: Buffer,
  answer: ServerResponse,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { connection: _, ...headers } = incoming.headers
    const sent = request(`${url}${incoming.url}`, { method: incoming.method, headers, agent })
    sent.once('error', reject)
    sent.once('response', (received) => {
      buffer(received).then((content) => {
        const { 'content-encoding': encoding } = received.headers
        answer.writeHead(received.statusCode ?? 0, encoding ? { 'content-encoding': encoding } : {}).end(content)
        resolve()
      }, reject)
    })
    sent.end(body)
  })
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/-/ready`, { headers: { connection: 'close' } }).then(
    ({ ok }) => ok,
    () => false,
  )
}

test('a rolling restart behind a load balancer fails no request and makes each write once', async () => {
  const postgres = await startPostgres()
  onTestFinished(() => postgres.stop())
  const database = await createTestDatabase(postgres)
  const env = {
    ALCOVE_DATABASE_URL: database.url,
    ALCOVE_DATA: await temporaryFolder(),
    ALCOVE_BOOTSTRAP_TOKEN: token,
    ALCOVE_DRAIN_DELAY_SECONDS: '1',
    ALCOVE_LOG_LEVEL: 'error',
  }
  const start = () => startProcess({ env })
  // One after the other: both would create the administrator.
  const processes: ServerProcess[] = [await start(), await start()]
  const upstreams = processes.map(({ url }) => ({ url, isHealthy: true }))
  const balancer = await startBalancer(upstreams)
  const load = startLoad(balancer.url)

  for (const [place, old] of processes.entries()) {
    await load.moreWrites(10)
    old.signal('SIGTERM')
    await expect.poll(() => upstreams[place]?.isHealthy).toBe(false)
    await load.moreWrites(10)
    expect(await old.ended).toMatchObject({ code: 0, stdout: expect.not.stringContaining('aborted') })
    const { url } = await start()
    Object.assign(upstreams[place] as Upstream, { url }) // there is one for each process
    await expect.poll(() => upstreams[place]?.isHealthy).toBe(true)
  }
  await load.moreWrites(10)
  const { names, refused } = await load.stop()

  expect(balancer.failures).toEqual([])
  expect(refused).toEqual([])
  const kept = await allNames(balancer.url)
  expect(kept.sort()).toEqual(names.sort())
})

/** Clients that read, create projects and send reports until they are stopped. */
function startLoad(url: string) {
  const stopping = new AbortController()
  const names: string[] = []
  const refused: string[] = []
  const headers = { 'PRIVATE-TOKEN': token }
  const note = async (what: string, reply: Response) => {
    if (!reply.ok) refused.push(`${what}: ${reply.status} ${await reply.text()}`)
    else await reply.arrayBuffer()
    return reply.ok
  }
  const create = async (name: string) => {
    const body = new URLSearchParams({ name })
    if (await note('create', await fetch(`${url}/api/v4/projects`, { method: 'POST', headers, body }))) names.push(name)
  }
  const read = async () => note('read', await fetch(`${url}/api/v4/projects?per_page=5`, { headers }))
  const report = async () => {
    const body = new FormData()
    body.append('file', new Blob([JSON.stringify({ version: '2.1.0', runs: [] })]), 'report.sarif')
    const where = `${url}/api/v4/projects/${encodeURIComponent('root/reports')}/security_reports`
    await note('report', await fetch(where, { method: 'POST', headers, body }))
  }
  const repeat = async (work: () => Promise<unknown>) => {
    while (!stopping.signal.aborted) await work()
  }
  let made = 0
  const clients = create('reports').then(() =>
    Promise.all([
      ...Array.from({ length: 4 }, (_, client) => repeat(() => create(`p${client}-${made++}`))),
      ...[1, 2].map(() => repeat(read)),
      repeat(report),
    ]),
  )
  return {
    async moreWrites(most: number) {
      const before = names.length
      await expect.poll(() => names.length + refused.length).toBeGreaterThan(before + most)
    },
    async stop() {
      stopping.abort()
      await clients
      return { names, refused }
    },
  }
}

async function allNames(url: string): Promise<string[]> {
  const names: string[] = []
  for (let page = 1; ; page++) {
    const reply = await fetch(`${url}/api/v4/projects?per_page=100&page=${page}`, {
      headers: { 'PRIVATE-TOKEN': token },
    })
    const projects = (await reply.json()) as { name: string }[]
    if (projects.length === 0) return names
    names.push(...projects.map(({ name }) => name))
  }
}
