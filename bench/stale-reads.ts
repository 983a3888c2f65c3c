import pg from 'pg'
import sql from 'sql-template-tag'
import { digestToken } from '../packages/server/src/domain/tokens/tokens.ts'
import type { Dataset } from './data/dataset.ts'
import { now } from './data/fixtures.ts'
import { sendLoad } from './load.ts'
import type { Options } from './options.ts'
import { type Running, startServer } from './processes.ts'
import { authorization } from './requests.ts'
import { listRows } from './rows.ts'
import type { Cell } from './table.ts'

const maxReads = 10_000
const writers = 8
/** A token is lost when the outcome of its rotation is unknown. */
const tokenCount = 1_000
/** The projects that the writers change. */
const firstProject = 11
const cutEveryMs = 500
const loadConnections = 8

interface Counts {
  reads: number
  stale: number
  /** Requests that failed because their connection to PostgreSQL was cut. */
  failed: number
  cut: number
}

/**
 * Changes a project or rotates a token at one of two processes, and reads the result at the other one as soon as the
 * change is answered. Meanwhile other connections load both, and the connections of the processes are cut again and again.
 */
export async function measureStaleReads(dataset: Dataset, options: Options): Promise<Record<string, Cell>[]> {
  const tokens = Array.from({ length: tokenCount }, (_, number) => `alpat-stale-reads-${number}-${Date.now()}`)
  await insertTokens(dataset, tokens)
  const servers: Running[] = []
  const counts: Counts = { reads: 0, stale: 0, failed: 0, cut: 0 }
  const total = options.isQuick ? maxReads / 10 : maxReads
  const startedAt = performance.now()
  let areWritersDone = false
  try {
    while (servers.length < 2) servers.push(await startServer(dataset.env))
    const isOver = () => areWritersDone || counts.reads >= total
    const numbers = Array.from({ length: writers }, (_, number) => number)
    const compared = Promise.all(
      numbers.map((number) => compareReads(servers, { tokens, number }, counts, isOver)),
    ).finally(() => (areWritersDone = true))
    await Promise.all([
      compared,
      cutConnections(dataset.env['ALCOVE_DATABASE_URL'], counts, isOver),
      ...servers.map(({ url }) => loadLists(url, options, isOver)),
    ])
  } finally {
    for (const server of servers) await server.stop()
  }
  return [
    {
      'reads at another process': counts.reads,
      stale: counts.stale,
      aim: '0',
      verdict: counts.stale === 0 && counts.reads >= total ? 'met' : 'missed',
      'cut connections': counts.cut,
      'failed requests': counts.failed,
      seconds: (performance.now() - startedAt) / 1000,
    },
  ]
}

async function insertTokens({ open }: Dataset, tokens: readonly string[]): Promise<void> {
  const db = await open()
  try {
    await db.run(sql`delete from access_tokens where name = 'stale reads'`)
    const rows = tokens.map((token) => ({ digest: digestToken(token) }))
    await db.run(sql`
      insert into access_tokens (user_id, kind, name, digest, scopes, created_at)
      select 1, 'personal', 'stale reads', r.digest, ${['api']}, ${now}
      from ${db.dialect.records(rows, { digest: 'text' })} as r`)
  } finally {
    await db.close()
  }
}

async function compareReads(
  servers: readonly Running[],
  { tokens, number }: { tokens: string[]; number: number },
  counts: Counts,
  isOver: () => boolean,
): Promise<void> {
  const project = `/projects/${firstProject + number}`
  let token = tokens.pop()
  for (let round = 0; token && !isOver(); round++) {
    const [changed, read] = round % 2 === 0 ? servers : [...servers].reverse()
    if (!changed || !read) return
    const description = `${token} ${round}`
    const update = await send(changed, project, { token, method: 'PUT', body: { description } })
    if (update.status === 200) {
      const found = await send(read, project, { token })
      count(counts, found, () => found.body['description'] === description)
    } else counts.failed++

    const rotated = await send(changed, '/personal_access_tokens/self/rotate', { token, method: 'POST', body: {} })
    if (rotated.status !== 200) {
      counts.failed++
      token = tokens.pop()
      continue
    }
    const old = await send(read, '/user', { token })
    count(counts, old, () => old.status === 401)
    token = `${rotated.body['token']}`
    const current = await send(read, '/user', { token })
    count(counts, current, () => current.status === 200)
  }
}

function count(counts: Counts, { status }: Reply, isCurrent: () => boolean): void {
  if (status >= 500) counts.failed++
  else {
    counts.reads++
    if (!isCurrent()) counts.stale++
  }
}

interface Reply {
  status: number
  body: Record<string, unknown>
}

interface Sent {
  token: string
  method?: 'GET' | 'PUT' | 'POST'
  body?: Record<string, string>
}

async function send({ url }: Running, path: string, { token, method = 'GET', body }: Sent): Promise<Reply> {
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers: { 'private-token': token, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> } // all answers are objects
}

/** Ends the sessions of both processes, one kind after the other: those that listen, and then all. */
async function cutConnections(url: string | undefined, counts: Counts, isOver: () => boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (let round = 0; !isOver(); round++) {
      await new Promise((resolve) => setTimeout(resolve, cutEveryMs))
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and ($1 or query ilike 'listen%')`,
        [round % 4 === 3],
      )
      counts.cut += rowCount ?? 0
    }
  } finally {
    await client.end()
  }
}

/** Reads lists as fast as possible. Failed requests are expected, because connections are cut. */
async function loadLists(url: string, { sizes }: Options, isOver: () => boolean): Promise<void> {
  const paths = listRows(sizes).flatMap((row) => row.paths().slice(0, 20))
  while (!isOver()) {
    await sendLoad({ url, paths, headers: authorization, connections: loadConnections / 2, seconds: 1 }).catch(() => {})
  }
}
