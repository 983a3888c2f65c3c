import { randomBytes } from 'node:crypto'
import { measuredProjects } from './data/fixtures.ts'
import { multipart } from './files.ts'
import { type Load, type Measured, sendLoad } from './load.ts'
import type { Options } from './options.ts'
import { type Running, watchMemory } from './processes.ts'
import { authorization } from './requests.ts'
import { listRows } from './rows.ts'
import { type Cell, print } from './table.ts'

const fullSeconds = 300
const quickSeconds = 5
const maxP99Ms = 60

/** Lists and resources that are read in turn. */
const read = [
  'GET /topics/:id, any',
  'GET /topics, fresh address',
  'GET /topics?search=, fresh address',
  'GET /projects/:id, any',
  'GET /projects?topic=, fresh address',
  'GET …/uploads, fresh address',
  'GET …/vulnerabilities, fresh address',
  'GET …/vulnerabilities?search=, fresh address',
  'GET /vulnerabilities/:id, any',
  'GET …/vulnerability_findings, fresh address',
]

/**
 * Measures 28 connections that read, two that upload files of 10 KB, and two that dismiss and revert vulnerabilities of the
 * read lists, all at the same time and as fast as the server responds.
 */
export async function measureMixedLoad(
  server: Running,
  filesProject: number,
  { sizes, isQuick }: Options,
): Promise<Record<string, Cell>[]> {
  const seconds = isQuick ? quickSeconds : fullSeconds
  const { body, headers } = multipart(randomBytes(10 * 1024))
  const uploads = [`/api/v4/projects/${filesProject}/uploads`]
  const common = { url: server.url, headers: authorization, seconds }
  const loads: Record<string, Load> = {
    reads: { ...common, paths: readPaths(sizes), connections: 28 },
    uploads: {
      ...common,
      paths: uploads,
      method: 'POST',
      body,
      headers: { ...authorization, ...headers },
      connections: 2,
    },
    dismissals: { ...common, paths: await dismissalPaths(server), method: 'POST', connections: 2 },
  }
  const before = server.cpuMs()
  const memory = watchMemory(server)
  const results = await Promise.all(
    Object.entries(loads).map(async ([name, load]) => [name, await sendLoad(load)] as const),
  )
  const atMostMb = await memory.stop()
  const requests = results.reduce((sum, [, measured]) => sum + measured.requests, 0)
  const cpuUs = (1000 * (server.cpuMs() - before)) / requests
  return results.map(([name, measured]) => describe(name, measured, { seconds, cpuUs, atMostMb }))
}

function describe(
  name: string,
  { requestsPerSecond, medianMs, p99Ms }: Measured,
  { seconds, cpuUs, atMostMb }: { seconds: number; cpuUs: number; atMostMb: number },
): Record<string, Cell> {
  return {
    'at the same time': `${name}, ${print(seconds)} s`,
    'requests/s': requestsPerSecond,
    'p50 ms': medianMs,
    'p99 ms': p99Ms,
    'CPU µs of all': cpuUs,
    'memory MB at most': atMostMb,
    aim: `p99 ≤ ${maxP99Ms}`,
    verdict: p99Ms <= maxP99Ms ? 'met' : 'missed',
  }
}

/** Returns the paths of all read rows, one of each in turn. */
function readPaths(sizes: Options['sizes']): string[] {
  const lists = listRows(sizes).filter(({ name }) => read.includes(name))
  const paths = lists.map((row) => row.paths())
  return Array.from({ length: 2_000 }, (_, index) => paths.map((of) => of[index] ?? '')).flat()
}

/** Returns pairs of requests that leave a vulnerability as it was. Each connection receives whole pairs. */
async function dismissalPaths(server: Running): Promise<string[]> {
  const list = `/api/v4/projects/${measuredProjects.large}/vulnerabilities?state=detected&per_page=100`
  const response = await fetch(server.url + list, { headers: authorization })
  const listed = (await response.json()) as { id: number }[]
  return listed.flatMap(({ id }) => ['dismiss', 'revert'].map((action) => `/api/v4/vulnerabilities/${id}/${action}`))
}
