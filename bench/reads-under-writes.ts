import { setTimeout as sleep } from 'node:timers/promises'
import { measuredProjects } from './data/fixtures.ts'
import { sendLoad } from './load.ts'
import type { Running } from './processes.ts'
import { authorization } from './requests.ts'
import { type Cell, median, print } from './table.ts'

const { small, large } = measuredProjects
const api = '/api/v4'

/** Measured lists. Each request has another address or page size, so that no response is cached by its address. */
const lists: Record<string, (number: number) => string> = {
  '…/vulnerabilities': (number) => `/projects/${large}/vulnerabilities?unlike=${number}`,
  '…/vulnerabilities?state=': (number) =>
    `/projects/${large}/vulnerabilities?state=confirmed,resolved&unlike=${number}`,
  '…/vulnerabilities?search=': (number) => `/projects/${large}/vulnerabilities?search=in+rule+17&unlike=${number}`,
  '…/vulnerability_findings': (number) => `/projects/${large}/vulnerability_findings?unlike=${number}`,
  '/groups/:id/vulnerabilities': (number) => `/groups/bench/vulnerabilities?${sized(number)}`,
  '/vulnerabilities': (number) => `/vulnerabilities?${sized(number)}`,
}
/** Lists of several projects refuse unknown parameters. */
const sized = (number: number) => `per_page=20&page=${1 + (number % 40)}`

const loads = [1, 8, 32]
const writes = [
  { name: '10/s here', projectId: large, perSecond: 10 },
  { name: '100/s here', projectId: large, perSecond: 100 },
  { name: '10/s elsewhere', projectId: small, perSecond: 10 },
  { name: '100/s elsewhere', projectId: small, perSecond: 100 },
] as const

const maxSlowdown = 2
const maxP99Ms = 100

interface Round {
  medianMs: number
  p99Ms: number
  /** CPU time of the server per request that reads, including what the writes take. */
  cpuUs: number
}

/**
 * Measures lists while vulnerabilities of the same and of another project are dismissed and reverted, beside the same
 * requests without writes.
 */
export async function measureReadsUnderWrites(
  server: Running,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Record<string, Cell>[]> {
  const ids = new Map<number, readonly number[]>()
  for (const projectId of [small, large]) ids.set(projectId, await listIds(server, projectId))
  const rows: Record<string, Cell>[] = []
  for (const [name, pathOf] of Object.entries(lists)) {
    const paths = Array.from({ length: 4_000 }, (_, number) => api + pathOf(number))
    for (const connections of loads) {
      const read = async (): Promise<Round> => {
        const before = server.cpuMs()
        const measured = await sendLoad({ url: server.url, paths, headers: authorization, connections, seconds })
        return { ...measured, cpuUs: (1000 * (server.cpuMs() - before)) / measured.requests }
      }
      const fresh: Round[] = []
      const under = writes.map((): Round[] => [])
      const warmUp = startWriting(server, ids.get(large) ?? [], 100)
      await read()
      await warmUp.stop()
      for (let round = 0; round < rounds; round++) {
        fresh.push(await read())
        for (const [index, { projectId, perSecond }] of writes.entries()) {
          const writer = startWriting(server, ids.get(projectId) ?? [], perSecond)
          under[index]?.push(await read())
          await writer.stop()
        }
      }
      rows.push(describe(`${name}, ${connections} readers`, fresh, under))
    }
  }
  return rows
}

function describe(name: string, fresh: readonly Round[], under: readonly Round[][]): Record<string, Cell> {
  const freshMs = median(fresh.map(({ medianMs }) => medianMs))
  const cells: Record<string, Cell> = {}
  let isMet = true
  for (const [index, { name }] of writes.entries()) {
    const middle = (value: (round: Round) => number) => median((under[index] ?? []).map(value))
    const slowdown = middle(({ medianMs }) => medianMs) / freshMs
    const p99Ms = middle(({ p99Ms }) => p99Ms)
    cells[`${name}: p50 ratio, p99 ms, CPU µs`] = [slowdown, p99Ms, middle(({ cpuUs }) => cpuUs)].map(print).join(', ')
    isMet &&= slowdown <= maxSlowdown && p99Ms <= maxP99Ms
  }
  return {
    list: name,
    'fresh p50 ms': freshMs,
    'fresh CPU µs': median(fresh.map(({ cpuUs }) => cpuUs)),
    ...cells,
    aim: `≤ ${maxSlowdown}, ≤ ${maxP99Ms} ms`,
    verdict: isMet ? 'met' : 'missed',
  }
}

/** Returns vulnerabilities from the first pages, so that writes change rows that are read. */
async function listIds(server: Running, projectId: number): Promise<number[]> {
  const ids: number[] = []
  for (let page = 1; page <= 5; page++) {
    const url = `${server.url}${api}/projects/${projectId}/vulnerabilities?state=detected&per_page=100&page=${page}`
    const listed: { id: number }[] = await (await fetch(url, { headers: authorization })).json()
    ids.push(...listed.map(({ id }) => id))
  }
  return ids
}

/** Dismisses and reverts one vulnerability after the other, at a fixed rate. */
function startWriting(server: Running, ids: readonly number[], perSecond: number): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const pending = new Set<Promise<void>>()
  const write = async (number: number) => {
    const action = Math.floor(number / ids.length) % 2 === 0 ? 'dismiss' : 'revert'
    const url = `${server.url}${api}/vulnerabilities/${ids[number % ids.length]}/${action}`
    const response = await fetch(url, { method: 'POST', headers: authorization })
    await response.arrayBuffer()
    if (response.status !== 201 && response.status !== 304) throw new Error(`${url} answered ${response.status}`)
  }
  const run = async () => {
    const start = performance.now()
    for (let number = 0; !stopped.signal.aborted; number++) {
      await sleep(Math.max(0, start + (1000 * number) / perSecond - performance.now()))
      const writing = write(number).finally(() => pending.delete(writing))
      pending.add(writing)
    }
    await Promise.all(pending)
  }
  const running = run()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
