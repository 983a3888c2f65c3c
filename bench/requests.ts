import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConstantResponse } from './ceiling.ts'
import { benchToken } from './data/fixtures.ts'
import { type Load, type Measured, sendLoad } from './load.ts'
import type { Memory, Running } from './processes.ts'
import { type Cell, median } from './table.ts'
import { hasWrk, sendWithWrk } from './wrk.ts'

/** Requests to the server and the requests to the ceiling that they are compared with. */
export interface Comparison {
  name: string
  server: Requests
  ceiling: Requests
  connections: number
  /** Sends with wrk if it is installed, for servers that outpace the usual client. */
  isSentByWrk?: boolean
  /** Maximum number of requests per round, where more would fill the disk. Does not apply to wrk. */
  atMost?: number
  /** Duration of a round, where the usual one is too short for a single response. */
  seconds?: number
  /** Minimum ratio of the rates. */
  aim?: number
  /** Minimum ratio of the CPU per request, in place of the rates. */
  cpuAim?: number
}

type Requests = Pick<Load, 'paths' | 'method' | 'headers' | 'body' | 'bodies'>

interface Round {
  server: Sample
  ceiling: Sample
  memory: Memory
}

interface Sample extends Measured {
  cpuUs: number
}

export const authorization = { 'private-token': benchToken }

/** Measures each row and its ceiling one after the other in every round, so that noise affects both. */
export async function compare(
  rows: readonly Comparison[],
  server: Running,
  ceiling: Running,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Record<string, Cell>[]> {
  const results = new Map<Comparison, Round[]>(rows.map((row) => [row, []]))
  const canUseWrk = rows.some(({ isSentByWrk }) => isSentByWrk) && hasWrk()
  // The first round is for warming up.
  for (let round = 0; round <= rounds; round++) {
    for (const row of rows) {
      const load = {
        connections: row.connections,
        seconds: row.seconds ?? seconds,
        ...(row.atMost && { atMost: row.atMost }),
      }
      const send = row.isSentByWrk && canUseWrk ? sendWithWrk : sendLoad
      if (round === 0) await sendFirst(server, row.server)
      const ofServer = await sample(send, server, { ...load, ...row.server })
      const ofCeiling = await sample(send, ceiling, { ...load, ...row.ceiling })
      if (round > 0) results.get(row)?.push({ server: ofServer, ceiling: ofCeiling, memory: server.memory() })
    }
  }
  return rows.map((row) => describe(row, results.get(row) ?? []))
}

/** Waits for the first response to a read, which may take longer than a round when its pages are not in memory. */
async function sendFirst(
  { url }: Running,
  { method, paths: [path = ''], headers }: Comparison['server'],
): Promise<void> {
  if (method === undefined)
    await (await fetch(url + path, { headers: { ...headers, connection: 'close' } })).arrayBuffer()
}

async function sample(send: typeof sendLoad, target: Running, load: Omit<Load, 'url'>): Promise<Sample> {
  const before = target.cpuMs()
  const measured = await send({ ...load, url: target.url })
  return { ...measured, cpuUs: (1000 * (target.cpuMs() - before)) / measured.requests }
}

function describe({ name, aim, cpuAim }: Comparison, rounds: readonly Round[]): Record<string, Cell> {
  const middle = (value: (round: Round) => number) => median(rounds.map(value))
  // Other programs of the machine only add to the CPU time, by caches and by hyperthreads, so the least is the truest.
  const leastCpuUs = (side: 'server' | 'ceiling') => Math.min(...rounds.map((round) => round[side].cpuUs))
  const ratio = middle(({ server, ceiling }) => server.requestsPerSecond / ceiling.requestsPerSecond)
  const cpuRatio = leastCpuUs('ceiling') / leastCpuUs('server')
  return {
    request: name,
    'requests/s': middle(({ server }) => server.requestsPerSecond),
    'p50 ms': middle(({ server }) => server.medianMs),
    'p99 ms': middle(({ server }) => server.p99Ms),
    'CPU µs': middle(({ server }) => server.cpuUs),
    'memory MB': middle(({ memory }) => memory.residentMb),
    'ceiling/s': middle(({ ceiling }) => ceiling.requestsPerSecond),
    'its CPU µs': middle(({ ceiling }) => ceiling.cpuUs),
    ratio,
    'CPU ratio': cpuRatio,
    ...(cpuAim === undefined ? verdict(ratio, aim) : verdict(cpuRatio, cpuAim)),
  }
}

export function verdict(value: number, aim: number | undefined): Record<string, Cell> {
  return { aim: aim === undefined ? '' : `≥ ${aim}`, verdict: aim === undefined ? '' : value >= aim ? 'met' : 'missed' }
}

/** Records the server's response to each row, which the ceiling then returns. */
export async function recordResponses(
  server: Running,
  rows: readonly { name: string; path: string }[],
  folder: string,
): Promise<string> {
  const answers: ConstantResponse[] = []
  for (const { name, path } of rows) {
    const response = await fetch(server.url + path, { headers: { ...authorization, connection: 'close' } })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    const headers = Object.fromEntries([...response.headers].filter(([header]) => /^(x-|link$|vary$)/.test(header)))
    answers.push({ name, headers, body: await response.text() })
  }
  const file = join(folder, 'answers.json')
  await writeFile(file, JSON.stringify(answers))
  return file
}
