import { measuredProjects } from '../data/fixtures.ts'
import { type Running, startServer } from '../processes.ts'
import { authorization } from '../requests.ts'
import { type Cell, median } from '../table.ts'
import { hugeRequests } from './requests.ts'

const api = '/api/v4'
const timeoutMs = 60_000
/** Slower lists are measured less often. */
const secondsEach = 1

/**
 * Measures lists with one request at a time: the first one, others at new addresses, and the first one after another
 * project has changed.
 */
export async function measureTimes(
  env: Readonly<Record<string, string>>,
  rounds: number,
): Promise<Record<string, Cell>[]> {
  const server = await startServer(env)
  try {
    const vulnerabilityId = await anyVulnerability(server)
    const rows: Record<string, Cell>[] = []
    for (const path of hugeRequests) rows.push(await measure(server, path, { rounds, vulnerabilityId }))
    return rows
  } finally {
    await server.stop()
  }
}

async function measure(
  server: Running,
  path: string,
  { rounds, vulnerabilityId }: { rounds: number; vulnerabilityId: number },
): Promise<Record<string, Cell>> {
  let number = 0
  const address = () => `${server.url}${api}${path}${path.includes('?') ? '&' : '?'}timeout=${++number}`
  const first = await time(address())

  const fresh: number[] = []
  const startedAt = performance.now()
  const before = server.cpuMs()
  while (fresh.length < 10 * rounds && (fresh.length < 3 || performance.now() - startedAt < 1000 * secondsEach)) {
    fresh.push(await time(address()))
  }
  const cpuMs = (server.cpuMs() - before) / fresh.length

  const afterWrites: number[] = []
  for (const action of ['dismiss', 'revert']) {
    const url = `${server.url}${api}/vulnerabilities/${vulnerabilityId}/${action}`
    const response = await fetch(url, { method: 'POST', headers: authorization })
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
    afterWrites.push(await time(address()))
  }
  return {
    request: path,
    'first ms': first,
    'fresh p50 ms': median(fresh),
    'at most ms': Math.max(...fresh),
    'CPU ms': cpuMs,
    'after a write ms': Math.max(...afterWrites),
    'memory MB': server.memory().residentMb,
  }
}

async function time(url: string): Promise<number> {
  const start = performance.now()
  const response = await fetch(url, { headers: authorization, signal: AbortSignal.timeout(timeoutMs) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`)
  return performance.now() - start
}

async function anyVulnerability(server: Running): Promise<number> {
  const url = `${server.url}${api}/projects/${measuredProjects.small}/vulnerabilities?state=detected&per_page=1`
  const [first] = (await (await fetch(url, { headers: authorization })).json()) as { id: number }[]
  if (!first) throw new Error(`${url} answered an empty list`)
  return first.id
}
