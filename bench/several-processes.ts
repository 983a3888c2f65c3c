import { randomBytes } from 'node:crypto'
import { multipart } from './files.ts'
import type { Load } from './load.ts'
import type { Options, Sizes } from './options.ts'
import { type Running, startCeiling, startServer } from './processes.ts'
import { authorization, recordResponses } from './requests.ts'
import { listRows } from './rows.ts'
import { type Cell, median } from './table.ts'
import { sendWithWrk } from './wrk.ts'

const counts = [1, 2, 4]
/** Connections per process, so that each process receives as many concurrent requests as a single one would. */
const connections = 32
/** Maximum CPU per request of two processes, as a multiple of that of one, unless two bare servers need more than one. */
const maxGrowth = 1.15
/** Requests that read the database, and two that only read the commits of the other processes. Uploads are added. */
const measured: Readonly<Record<string, BareRequest>> = {
  'GET /topics/:id, cached': 'topic',
  'GET /topics/:id, any': 'topic',
  'GET /topics, any page': 'topics',
  'GET /projects/:id, any': 'topics',
  'GET …/vulnerabilities, cached': 'vulnerabilities',
  'GET …/vulnerabilities, fresh address': 'vulnerabilities',
}
/** Requests to the bare server, which responds with a constant of the same size or stores a body. */
const bareRequests = ['topic', 'topics', 'vulnerabilities', 'upload'] as const
type BareRequest = (typeof bareRequests)[number]

interface Row {
  name: string
  bare: BareRequest
  isBare: boolean
  load: Requests
}

/**
 * Measures the same requests with one, two and four processes on one PostgreSQL, each with 32 connections. The CPU is that
 * of all processes of the server, without PostgreSQL. A bare server without a database shows what several processes cost in
 * any case, because they share the cores and the caches of the CPU.
 */
export async function measureSeveralProcesses(
  env: Readonly<Record<string, string>>,
  { sizes, seconds, rounds }: Options,
  uploadProjects: readonly number[],
  folder: string,
): Promise<Record<string, Cell>[]> {
  const rows = rowsOf(sizes, uploadProjects)
  const servers: Running[] = []
  const ceilings: Running[] = []
  try {
    while (servers.length < Math.max(...counts)) servers.push(await startServer(env))
    const constants = await recordResponses(servers[0] as Running, constantsOf(rows), folder) // started above
    while (ceilings.length < servers.length) ceilings.push(await startCeiling(constants))
    const results = rows.map(() => counts.map((): Measured => ({ cpuUs: [], perSecond: [] })))
    for (let round = 0; round <= rounds; round++) {
      for (const [index, { load, isBare }] of rows.entries()) {
        const processes = isBare ? ceilings : servers
        const requests = { ...load, seconds: Math.ceil(seconds) }
        // The first round sends requests to one process after the other, so that all processes run optimized code.
        if (round === 0) for (const server of processes) await measure([server], requests)
        else
          for (const [place, count] of counts.entries()) {
            const { cpuUs, perSecond } = await measure(processes.slice(0, count), requests)
            results[index]?.[place]?.cpuUs.push(cpuUs)
            results[index]?.[place]?.perSecond.push(perSecond)
          }
      }
    }
    const growths = new Map(rows.map((row, index) => [row, growthOf(results[index] ?? [])]))
    return rows.map((row, index) => {
      const bare = rows.find(({ bare, isBare }) => isBare && bare === row.bare)
      const growth = { ofServer: growths.get(row) ?? 0, ofBare: (bare && growths.get(bare)) ?? 0 }
      return describe(row, results[index] ?? [], growth)
    })
  } finally {
    for (const server of [...servers, ...ceilings]) await server.stop()
  }
}

function rowsOf(sizes: Sizes, uploadProjects: readonly number[]): Row[] {
  const upload = uploadTo(uploadProjects)
  const listed = listRows(sizes).flatMap(({ name, paths }): Row[] => {
    const bare = measured[name]
    return bare ? [{ name, bare, isBare: false, load: { paths: paths(), headers: authorization } }] : []
  })
  const bare = bareRequests.map((bare): Row => {
    const load = bare === 'upload' ? { ...upload, paths: ['/files'] } : { paths: [`/${bare}`] }
    return { name: `${bare}, by the bare server`, bare, isBare: true, load }
  })
  return [...listed, { name: 'POST upload 10 KB', bare: 'upload', isBare: false, load: upload }, ...bare]
}

/** Returns the requests whose responses the bare server repeats: the first of each kind. */
function constantsOf(rows: readonly Row[]): { name: string; path: string }[] {
  const sent = rows.filter(({ bare, isBare }) => bare !== 'upload' && !isBare)
  const first = new Map(sent.toReversed().map((row) => [row.bare, row]))
  return [...first].map(([name, { load }]) => ({ name, path: load.paths[0] ?? '' }))
}

/** Results of one number of processes, by round. */
interface Measured {
  cpuUs: number[]
  perSecond: number[]
}

/** Returns the CPU of two processes as a multiple of that of one. Compares measurements of the same round. */
function growthOf([one, two]: readonly Measured[]): number {
  return median((two?.cpuUs ?? []).map((cpuUs, round) => cpuUs / (one?.cpuUs[round] ?? 0)))
}

function describe(
  { name, isBare }: Row,
  results: readonly Measured[],
  { ofServer, ofBare }: { ofServer: number; ofBare: number },
): Record<string, Cell> {
  // Where two bare servers need less than one, only the server's own growth counts.
  const besideBare = ofServer / Math.max(1, ofBare)
  return {
    request: name,
    ...Object.fromEntries(
      counts.map((count, place) => [`${count}: requests/s`, median(results[place]?.perSecond ?? [])]),
    ),
    ...Object.fromEntries(counts.map((count, place) => [`${count}: CPU µs`, median(results[place]?.cpuUs ?? [])])),
    'two to one': ofServer,
    'beside bare': isBare ? '' : besideBare,
    aim: isBare ? '' : `≤ ${maxGrowth}`,
    verdict: isBare ? '' : besideBare <= maxGrowth ? 'met' : 'missed',
  }
}

type Requests = Pick<Load, 'paths' | 'method' | 'headers' | 'body'>

/** Uploads to several projects, because those to one project wait for each other: each updates the project's usage. */
function uploadTo(projectIds: readonly number[]): Requests {
  const { body, headers } = multipart(randomBytes(10 * 1024))
  const paths = projectIds.map((id) => `/api/v4/projects/${id}/uploads`)
  return { paths, method: 'POST', body, headers: { ...authorization, ...headers } }
}

async function measure(servers: readonly Running[], requests: Requests & { seconds: number }) {
  const cpuMs = () => servers.reduce((sum, server) => sum + server.cpuMs(), 0)
  const before = cpuMs()
  const sent = await Promise.all(servers.map(({ url }) => sendWithWrk({ ...requests, url, connections })))
  const used = cpuMs() - before
  // Includes the CPU of requests that the end of the run aborts, which makes uploads by several processes look more expensive.
  const requestCount = sent.reduce((sum, { requests }) => sum + requests, 0)
  const perSecond = sent.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0)
  return { cpuUs: (1000 * used) / requestCount, perSecond }
}
