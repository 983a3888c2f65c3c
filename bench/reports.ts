import { setTimeout as sleep } from 'node:timers/promises'
import { realReport } from './data/real-entries.ts'
import { multipart } from './files.ts'
import { type ImportCeiling, measureImportCeiling } from './import-ceiling.ts'
import { type Running, startServer, watchMemory } from './processes.ts'
import { authorization } from './requests.ts'
import { type Cell, median, percentile } from './table.ts'

const betweenAsksMs = 5

interface Ingested {
  seconds: number
  cpuMs: number
  /** Latencies of small requests of another user during the import. */
  waits: number[]
}

/** Maximum seconds of an import, by engine and number of findings. */
const aims: Readonly<Record<string, { first: number; again: number }>> = {
  'sqlite 14219': { first: 1.2, again: 0.5 },
  'postgres 14219': { first: 2.5, again: 1 },
  'sqlite 100000': { first: 9, again: 3 },
  'postgres 100000': { first: 14, again: 5 },
}

/**
 * Imports a report, again without a change, and with promotion into another project. Every round has new projects and
 * measures the ceiling as well. The CPU of PostgreSQL counts in neither.
 */
export async function measureReports(
  server: Running,
  projectIds: readonly number[],
  { entries, databaseUrl }: { entries: number; databaseUrl: string | undefined },
): Promise<Record<string, Cell>[]> {
  const { text, isReal } = realReport(entries)
  const ceilings: ImportCeiling[] = []
  const { body, headers } = multipart(Buffer.from(text))
  const { first, again } = aims[`${databaseUrl ? 'postgres' : 'sqlite'} ${entries}`] ?? {}
  const kinds = [
    { name: 'import first', promote: false, aim: first, ceiling: 'first', runs: [] as Ingested[] },
    { name: 'import again', promote: false, aim: again, ceiling: 'again', runs: [] as Ingested[] },
    { name: 'first promotion of all', promote: true, aim: undefined, ceiling: undefined, runs: [] as Ingested[] },
  ] as const
  for (const projectId of projectIds) {
    for (const { promote, runs } of kinds) {
      const url = `${server.url}/api/v4/projects/${projectId}/security_reports?promote=${promote}`
      runs.push(await ingest(server, url, { body: new Uint8Array(body), headers }, entries))
    }
    ceilings.push(await measureImportCeiling(text, databaseUrl))
  }
  return kinds.map(({ name, aim, ceiling, runs }) => {
    const cpuMs = median(runs.map(({ cpuMs }) => cpuMs))
    const ceilingMs = ceiling && median(ceilings.map((measured) => measured[ceiling]))
    const waits = Float64Array.from(runs.flatMap((run) => run.waits)).sort()
    const seconds = median(runs.map((run) => run.seconds))
    return {
      report: `${name}, ${entries.toLocaleString('en')} ${isReal ? 'real' : 'invented'} findings`,
      seconds,
      'findings/s': median(runs.map(({ seconds }) => entries / seconds)),
      'CPU µs each': (1000 * cpuMs) / entries,
      'ceiling µs': ceilingMs && (1000 * ceilingMs) / entries,
      ratio: ceilingMs && ceilingMs / cpuMs,
      'others wait p50 ms': percentile(waits, 50),
      'p99 ms': percentile(waits, 99),
      'at most ms': waits.at(-1),
      'memory MB': server.memory().residentMb,
      ...(aim && { aim: `≤ ${aim} s`, verdict: seconds <= aim ? 'met' : 'missed' }),
    }
  })
}

async function ingest(
  server: Running,
  url: string,
  { body, headers }: { body: Uint8Array<ArrayBuffer>; headers: Record<string, string> },
  entries: number,
): Promise<Ingested> {
  const start = performance.now()
  const cpuBefore = server.cpuMs()
  const watching = watch(server)
  const response = await fetch(url, { method: 'POST', body, headers: { ...headers, ...authorization } })
  const answer = await whenDone(server, url, (await response.json()) as Answer)
  const seconds = (performance.now() - start) / 1000
  const waits = await watching.stop()
  if (answer.findings?.read !== entries)
    throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`)
  return { seconds, cpuMs: server.cpuMs() - cpuBefore, waits }
}

interface Answer {
  id?: number
  status?: string
  findings?: { read: number }
}

/** Waits for an import that continues after its response, for ten minutes at most. */
async function whenDone(server: Running, url: string, first: Answer): Promise<Answer> {
  const { pathname } = new URL(url)
  const deadline = performance.now() + 600_000
  let answer = first
  while (answer.status === 'waiting' || answer.status === 'running') {
    if (performance.now() > deadline) throw new Error('the import did not end within ten minutes')
    await sleep(100)
    const response = await fetch(`${server.url}${pathname}/${first.id}`, { headers: authorization })
    answer = (await response.json()) as Answer
  }
  return answer
}

/** Requests a topic at intervals until it is stopped. */
function watch({ url }: Running): { stop(): Promise<number[]> } {
  const waits: number[] = []
  let isOver = false
  const watching = (async () => {
    for (let id = 1; !isOver; id++) {
      const start = performance.now()
      await fetch(`${url}/api/v4/topics/${1 + (id % 1000)}`).then((response) => response.arrayBuffer())
      waits.push(performance.now() - start)
      await sleep(betweenAsksMs)
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return waits
    },
  }
}

const settleMs = 60_000

/** Measures the memory of a server of its own while it imports a report, and one minute later. */
export async function measureMemoryOfImport(
  env: Readonly<Record<string, string>>,
  projectId: number,
  entries: number,
): Promise<Record<string, Cell>[]> {
  const { body, headers } = multipart(Buffer.from(realReport(entries).text))
  const server = await startServer(env)
  try {
    const memory = watchMemory(server)
    const url = `${server.url}/api/v4/projects/${projectId}/security_reports`
    await ingest(server, url, { body: new Uint8Array(body), headers }, entries)
    const atMost = await memory.stop()
    await sleep(settleMs)
    const later = server.memory().residentMb
    const name = `import of ${entries.toLocaleString('en')} findings`
    return [
      { memory: `at most during the ${name}`, MB: atMost, ...memoryVerdict(atMost, 180) },
      { memory: `a minute after the ${name}`, MB: later, ...memoryVerdict(later, 120) },
    ]
  } finally {
    await server.stop()
  }
}

const memoryVerdict = (value: number, most: number): Record<string, Cell> => ({
  aim: `≤ ${most}`,
  verdict: value <= most ? 'met' : 'missed',
})
