import { randomBytes } from 'node:crypto'
import { multipart } from './files.ts'
import { type Load, sendLoad } from './load.ts'
import type { Options, Sizes } from './options.ts'
import { type Running, startCeiling, startServer } from './processes.ts'
import { authorization, recordResponses } from './requests.ts'
import { listRows } from './rows.ts'
import { type Cell, median } from './table.ts'

const counts = [1, 2, 4]
const connections = 32
/** Maximum growth of the CPU per request from one process to two, as a multiple of the bare server's growth. */
const maxGrowth = 1.15
/** Requests per second to the bare server, which responds with a constant of the same size or stores a body. */
const bareRequests = { topic: 4_000, topics: 4_000, vulnerabilities: 3_000, upload: 100 } as const
type BareRequest = keyof typeof bareRequests
/**
 * Requests that read the database, and two that only read the commits of the other processes, with their number per second
 * of a measurement. A fixed number is sent, because the CPU of requests that are aborted at the end of a duration belongs
 * to no response. Uploads are added.
 */
const measured: Readonly<Record<string, { perSecond: number; bare: BareRequest }>> = {
  'GET /topics/:id, cached': { perSecond: 4_000, bare: 'topic' },
  'GET /topics/:id, any': { perSecond: 4_000, bare: 'topic' },
  'GET /topics, any page': { perSecond: 1_500, bare: 'topics' },
  'GET /projects/:id, any': { perSecond: 2_000, bare: 'topics' },
  'GET …/vulnerabilities, cached': { perSecond: 3_000, bare: 'vulnerabilities' },
  'GET …/vulnerabilities, fresh address': { perSecond: 2_000, bare: 'vulnerabilities' },
}
/** Minimum duration. The system counts CPU in steps of 10 ms, so a shorter one would hide a difference of 10 %. */
const minSeconds = 1

interface Row {
  name: string
  bare: BareRequest
  isBare: boolean
  load: Requests
  perSecond: number
}

/**
 * Measures the same requests with one, two and four processes on one PostgreSQL, which share the connections equally. The
 * CPU is that of all processes of the server, without PostgreSQL. A bare server without a database shows what several
 * processes cost in any case, because each finds fewer requests ready and they share the caches of the CPU. Each row is
 * compared with a request to the bare server that receives or sends about as much.
 */
export async function measureSeveralProcesses(
  env: Readonly<Record<string, string>>,
  { sizes, seconds, rounds }: Options,
  filesProject: number,
  folder: string,
): Promise<Record<string, Cell>[]> {
  const rows = rowsOf(sizes, filesProject)
  const servers: Running[] = []
  const ceilings: Running[] = []
  try {
    while (servers.length < Math.max(...counts)) servers.push(await startServer(env))
    const constants = await recordResponses(servers[0] as Running, constantsOf(rows), folder) // started above
    while (ceilings.length < servers.length) ceilings.push(await startCeiling(constants))
    const results = rows.map(() => counts.map((): Measured => ({ cpuUs: [], perSecond: [] })))
    for (let round = 0; round <= rounds; round++) {
      for (const [index, { load, perSecond: sentPerSecond, isBare }] of rows.entries()) {
        const processes = isBare ? ceilings : servers
        const total = Math.round(sentPerSecond * Math.max(seconds, minSeconds))
        const requests = { ...load, seconds }
        // The first round sends all requests to each process, so that all processes run optimized code.
        if (round === 0) for (const server of processes) await measure([server], requests, total)
        else
          for (const [place, count] of counts.entries()) {
            const { cpuUs, perSecond } = await measure(processes.slice(0, count), requests, total)
            results[index]?.[place]?.cpuUs.push(cpuUs)
            results[index]?.[place]?.perSecond.push(perSecond)
          }
      }
    }
    const growthOf = (bare: BareRequest) => growth(results[rows.findIndex((row) => row.isBare && row.bare === bare)])
    return rows.map((row, index) => describe(row, results[index] ?? [], growthOf(row.bare)))
  } finally {
    for (const server of [...servers, ...ceilings]) await server.stop()
  }
}

function rowsOf(sizes: Sizes, filesProject: number): Row[] {
  const upload = uploadTo(filesProject)
  const listed = listRows(sizes).flatMap(({ name, paths }): Row[] => {
    const row = measured[name]
    return row ? [{ name, ...row, isBare: false, load: { paths: paths(), headers: authorization } }] : []
  })
  const bare = Object.entries(bareRequests).map(([bare, perSecond]): Row => {
    const load = bare === 'upload' ? { ...upload, paths: ['/files'] } : { paths: [`/${bare}`] }
    return { name: `${bare}, by the bare server`, bare: bare as BareRequest, isBare: true, load, perSecond } // a key of `bareRequests`
  })
  const uploaded = { name: 'POST upload 10 KB', bare: 'upload', isBare: false, load: upload, perSecond: 100 } as const
  return [...listed, uploaded, ...bare]
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

/** Returns the CPU per request with two processes divided by that with one. */
function growth(results: readonly Measured[] = []): number {
  const [one = 1, two = 0] = results.map(({ cpuUs }) => Math.min(...cpuUs))
  return two / one
}

function describe({ name, isBare }: Row, results: readonly Measured[], bareGrowth: number): Record<string, Cell> {
  const least = results.map(({ cpuUs }) => Math.min(...cpuUs))
  const rates = results.map(({ perSecond }) => median(perSecond))
  const compared = growth(results) / bareGrowth
  return {
    request: name,
    ...Object.fromEntries(counts.map((count, place) => [`${count}: requests/s`, rates[place]])),
    ...Object.fromEntries(counts.map((count, place) => [`${count}: CPU µs`, least[place]])),
    'two to one': growth(results),
    'bare server': bareGrowth,
    aim: isBare ? '' : `≤ ${maxGrowth} × bare`,
    verdict: isBare ? '' : compared <= maxGrowth ? 'met' : 'missed',
  }
}

type Requests = Pick<Load, 'paths' | 'method' | 'headers' | 'body'>

function uploadTo(projectId: number): Requests {
  const { body, headers } = multipart(randomBytes(10 * 1024))
  const paths = [`/api/v4/projects/${projectId}/uploads`]
  return { paths, method: 'POST', body, headers: { ...authorization, ...headers } }
}

async function measure(servers: readonly Running[], requests: Requests & { seconds: number }, total: number) {
  const cpuMs = () => servers.reduce((sum, server) => sum + server.cpuMs(), 0)
  const before = cpuMs()
  const share = connections / servers.length
  const amount = Math.ceil(total / servers.length)
  const load = { ...requests, connections: share, amount }
  const sent = await Promise.all(servers.map(({ url }) => sendLoad({ ...load, url })))
  const perSecond = sent.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0)
  return { cpuUs: (1000 * (cpuMs() - before)) / (amount * servers.length), perSecond }
}
