import { once } from 'node:events'
import { createWriteStream, openAsBlob } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reportEntry, reportHead } from './data/entries.ts'
import type { Running } from './processes.ts'
import { authorization } from './requests.ts'
import { type Cell, percentile } from './table.ts'

const maxWaitMs = 100
const maxMemoryMb = 200

/**
 * Imports a report that is larger than the allowed memory: twice into one project and once into another with promotion,
 * while one client reads and another one writes.
 */
export async function measureLargeReport(
  server: Running,
  projectIds: readonly [plain: number, promoted: number],
  entries: number,
  folder: string,
): Promise<Record<string, Cell>[]> {
  const file = join(folder, 'large-report.json')
  await writeReport(file, entries)
  const rows: Record<string, Cell>[] = []
  const [plain, promoted] = projectIds
  const kinds = [
    { name: 'import first', projectId: plain },
    { name: 'import again', projectId: plain },
    { name: 'first promotion of all', projectId: promoted },
  ]
  for (const { name, projectId } of kinds) {
    const reads = ask(server, `/api/v4/projects/${projectId}`, {}, 10)
    const writes = ask(server, `/api/v4/projects/${projectId}?description=bench`, { method: 'PUT' }, 50)
    const start = performance.now()
    let memory = 0
    const url = `${server.url}/api/v4/projects/${projectId}/security_reports`
    const form = new FormData()
    form.set('file', await openAsBlob(file), 'report.json')
    form.set('async', 'true')
    form.set('promote', `${projectId === promoted}`)
    let report = await json(await fetch(url, { method: 'POST', headers: authorization, body: form }))
    while (report.status === 'waiting' || report.status === 'running') {
      await sleep(100)
      memory = Math.max(memory, server.memory().residentMb)
      report = await json(await fetch(`${url}/${report.id}`, { headers: authorization }))
    }
    const seconds = (performance.now() - start) / 1000
    if (report.findings?.read !== entries) throw new Error(`${url} ended with ${JSON.stringify(report)}`)
    const [read, written] = [await reads.stop(), await writes.stop()]
    const p99 = Math.max(percentile(read, 99), percentile(written, 99))
    rows.push({
      report: `${name}, ${entries.toLocaleString('en')} findings`,
      seconds,
      'findings/s': entries / seconds,
      'memory MB at most': memory,
      'reads p50 ms': percentile(read, 50),
      'reads p99 ms': percentile(read, 99),
      'writes p99 ms': percentile(written, 99),
      'at most ms': Math.max(read.at(-1) ?? 0, written.at(-1) ?? 0),
      aim: `≤ ${maxMemoryMb} MB, p99 ≤ ${maxWaitMs}`,
      verdict: memory <= maxMemoryMb && p99 <= maxWaitMs ? 'met' : 'missed',
    })
  }
  return rows
}

interface Report {
  id?: number
  status?: string
  findings?: { read: number }
}

const json = (response: Response) => response.json() as Promise<Report>

/** Writes about 650 bytes per finding; 400,000 findings are 250 MiB. */
async function writeReport(file: string, entries: number): Promise<void> {
  const out = createWriteStream(file)
  out.write(`${JSON.stringify(reportHead).slice(0, -1)},"vulnerabilities":[`)
  for (let number = 0; number < entries; number++) {
    const { id, name, severity, location, identifiers, description } = reportEntry(number)
    const entry = { id, name, severity, location, identifiers, description: description.slice(0, 36) }
    if (!out.write(`${number ? ',' : ''}${JSON.stringify(entry)}`)) await once(out, 'drain')
  }
  out.end(']}')
  await once(out, 'finish')
}

/** Sends requests at intervals until it is stopped. Returns the sorted latencies. */
function ask({ url }: Running, path: string, init: { method?: string }, intervalMs: number) {
  const waits: number[] = []
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      const start = performance.now()
      const response = await fetch(url + path, { ...init, headers: authorization })
      await response.arrayBuffer()
      waits.push(performance.now() - start)
      await sleep(intervalMs)
    }
  })()
  return {
    async stop() {
      isOver = true
      await asking
      return waits.sort((a, b) => a - b)
    },
  }
}
