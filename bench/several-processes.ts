import { randomBytes } from 'node:crypto'
import { multipart } from './files.ts'
import { type Load, sendLoad } from './load.ts'
import type { Options } from './options.ts'
import { type Running, startCeiling, startServer } from './processes.ts'
import { authorization, recordResponses } from './requests.ts'
import { listRows } from './rows.ts'
import { type Cell, median } from './table.ts'

const counts = [1, 2, 4]
const connections = 32
/** Two processes may take this much more CPU per request than one. */
const maxGrowth = 1.15
/**
 * Requests that read the database, and two that only read the commits of the other processes, with their number per second
 * of a measurement. A fixed number is sent, because the CPU of requests that are aborted at the end of a duration belongs
 * to no response. Uploads are added.
 */
const measured: Readonly<Record<string, number>> = {
  'GET /topics/:id, cached': 4_000,
  'GET /topics/:id, any': 4_000,
  'GET /topics, any page': 1_500,
  'GET /projects/:id, any': 2_000,
  'GET …/vulnerabilities, cached': 3_000,
  'GET …/vulnerabilities, fresh address': 2_000,
}
const uploadsPerSecond = 100
/** Minimum duration. The system counts CPU in steps of 10 ms, so a shorter one would hide a difference of 10 %. */
const minSeconds = 1

/**
 * Measures the same requests with one, two and four processes on one PostgreSQL, which share the connections equally. The
 * CPU is that of all processes of the server, without PostgreSQL. The last row is a bare server without a database: it shows
 * what several processes cost in any case, because each finds fewer requests ready and they share the caches of the CPU.
 */
export async function measureSeveralProcesses(
  env: Readonly<Record<string, string>>,
  { sizes, seconds, rounds }: Options,
  filesProject: number,
  folder: string,
): Promise<Record<string, Cell>[]> {
  const asked = listRows(sizes).filter(({ name }) => name in measured)
  const servers: Running[] = []
  const ceilings: Running[] = []
  const rows = [
    ...asked.map(({ name, paths }) => ({
      name,
      load: { paths: paths(), headers: authorization },
      sentPerSecond: measured[name] ?? 0,
      processes: servers,
    })),
    { name: 'POST upload 10 KB', load: uploadTo(filesProject), sentPerSecond: uploadsPerSecond, processes: servers },
    {
      name: 'a constant by the bare server',
      load: { paths: ['/constant'] },
      sentPerSecond: 4_000,
      processes: ceilings,
    },
  ]
  try {
    while (servers.length < Math.max(...counts)) servers.push(await startServer(env))
    const [server] = servers
    const constant =
      server && (await recordResponses(server, [{ name: 'constant', path: '/api/v4/topics/4711' }], folder))
    while (constant && ceilings.length < servers.length) ceilings.push(await startCeiling(constant))
    const results = rows.map(() => counts.map((): Measured => ({ cpuUs: [], perSecond: [] })))
    for (let round = 0; round <= rounds; round++) {
      for (const [index, { load, sentPerSecond, processes }] of rows.entries()) {
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
    return rows.map(({ name }, index) => describe(name, results[index] ?? []))
  } finally {
    for (const server of [...servers, ...ceilings]) await server.stop()
  }
}

/** Results of one number of processes, by round. */
interface Measured {
  cpuUs: number[]
  perSecond: number[]
}

function describe(name: string, results: readonly Measured[]): Record<string, Cell> {
  const least = results.map(({ cpuUs }) => Math.min(...cpuUs))
  const rates = results.map(({ perSecond }) => median(perSecond))
  const growth = (least[1] ?? 0) / (least[0] ?? 1)
  return {
    request: name,
    ...Object.fromEntries(counts.map((count, place) => [`${count}: requests/s`, rates[place]])),
    ...Object.fromEntries(counts.map((count, place) => [`${count}: CPU µs`, least[place]])),
    'two to one': growth,
    aim: `≤ ${maxGrowth}`,
    verdict: growth <= maxGrowth ? 'met' : 'missed',
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
