import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sentence, topicName } from '../data/words.ts'
import { multipart } from '../files.ts'
import { type Running, startServer, startTypeScript } from '../processes.ts'
import { type Comparison, compare } from '../requests.ts'
import type { Cell } from '../table.ts'

export const token = 'bench-token-of-the-administrator'
const headers = { 'private-token': token }
const json = { ...headers, 'content-type': 'application/json' }
export const topics = 1_000
const api = '/api/v4'
const fastifyServer = fileURLToPath(new URL('fastify-server.ts', import.meta.url))

/**
 * Compares the server on SQLite with a hand-written durable one on Fastify and SQLite, which answers the same requests. Both
 * have their own empty folder, and the same topics, created by requests.
 */
export async function measurePeers(
  parent: string,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Record<string, Cell>[]> {
  const folder = await mkdtemp(join(parent, 'peers-'))
  const running: Running[] = []
  try {
    const own = join(folder, 'own')
    await mkdir(own)
    const server = await startServer({ ALCOVE_DATA: own, ALCOVE_BOOTSTRAP_TOKEN: token })
    running.push(server)
    const peer = await startTypeScript(fastifyServer, [join(folder, 'peer'), token], '/-/ready')
    running.push(peer)
    await Promise.all([createTopics(server), createTopics(peer)])
    const { id } = await post(server, '/projects', { name: 'Storage' })
    const comparisons = ownRequests(id).map((row) => ({ ...row, ceiling: row.server }))
    return await compare(comparisons, server, peer, { seconds, rounds })
  } finally {
    for (const started of running) await started.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the compared requests to our server. */
export function ownRequests(projectId: number): Omit<Comparison, 'ceiling'>[] {
  const many = 4_000
  const listed = { headers, paths: Array.from({ length: many }, (_, number) => `${api}/topics?unlike=${number}`) }
  const single = {
    headers,
    paths: Array.from({ length: many }, (_, number) => `${api}/topics/${1 + (number % topics)}`),
  }
  // autocannon replaces the marks by an id of each request, because names are unique.
  const created = {
    method: 'POST' as const,
    headers: json,
    paths: [`${api}/topics`],
    body: Buffer.from(JSON.stringify({ name: 'new-[<id>]', title: 'New [<id>]', description: sentence(1, 12) })),
  }
  const form = multipart(randomBytes(10 * 1024))
  const stored = {
    method: 'POST' as const,
    headers: { ...headers, ...form.headers },
    paths: [`${api}/projects/${projectId}/uploads`],
    body: form.body,
  }
  return [
    { name: 'list fresh: GET /topics, 20', connections: 32, server: listed },
    { name: 'get: GET /topics/:id', connections: 32, server: single },
    { name: 'create: POST /topics', connections: 8, atMost: 1_000, server: created },
    { name: 'upload: POST 10 KB', connections: 8, atMost: 1_000, server: stored },
  ]
}

export async function createTopics(server: Running): Promise<void> {
  for (let number = 0; number < topics; number++) {
    const name = topicName(number)
    await post(server, '/topics', { name, title: name, description: sentence(number, 12) })
  }
}

export async function post({ url }: Running, path: string, body: object): Promise<{ id: number }> {
  const response = await fetch(url + api + path, { method: 'POST', headers: json, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as { id: number }
}
