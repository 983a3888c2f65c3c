import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { startServer } from './processes.ts'
import { type Cell, median } from './table.ts'

const rowCount = 300_000
const maxSeconds = 5
const maxMb = 300
const token = 'bench-token-of-the-administrator'

/** Measures how a starting server loads EPSS scores from its folder: until they are used, and its memory meanwhile. */
export async function measureFeeds(rounds: number): Promise<Record<string, Cell>[]> {
  const loads: Load[] = []
  for (let round = 0; round < rounds; round++) loads.push(await measureLoad())
  const seconds = median(loads.map(({ seconds }) => seconds))
  const memory = median(loads.map(({ residentMb }) => residentMb))
  return [
    { process: `load ${rowCount} EPSS scores`, value: seconds, unit: 's', ...limit(seconds, maxSeconds) },
    { process: 'memory meanwhile, at most', value: memory, unit: 'MB', ...limit(memory, maxMb) },
  ]
}

interface Load {
  seconds: number
  residentMb: number
}

async function measureLoad(): Promise<Load> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-bench-feeds-'))
  try {
    await mkdir(join(folder, 'feeds'))
    await writeFile(join(folder, 'feeds', 'epss_scores.csv.gz'), gzipSync(epssScores()))
    const server = await startServer({ ALCOVE_DATA: folder, ALCOVE_BOOTSTRAP_TOKEN: token })
    try {
      const start = performance.now()
      let residentMb = 0
      while ((await loadedRows(server.url)) < rowCount) {
        residentMb = Math.max(residentMb, server.memory().residentMb)
        await sleep(20)
      }
      return { seconds: (performance.now() - start) / 1000, residentMb }
    } finally {
      await server.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function loadedRows(url: string): Promise<number> {
  const response = await fetch(`${url}/api/v4/admin/feeds`, { headers: { 'PRIVATE-TOKEN': token } })
  // The shape that the API documents.
  const { feeds } = (await response.json()) as { feeds: { kind: string; rows: number }[] }
  return feeds.find(({ kind }) => kind === 'epss')?.rows ?? 0
}

function epssScores(): string {
  const rows = Array.from({ length: rowCount }, (_, index) => {
    const score = ((index * 7919) % 100_000) / 100_000
    return `CVE-${1999 + (index % 28)}-${10_000 + index},${score.toFixed(5)},${(1 - score).toFixed(5)}\n`
  })
  return `#model_version:v2025.03.14,score_date:2026-11-22T00:00:00+0000\ncve,epss,percentile\n${rows.join('')}`
}

function limit(value: number, most: number): Record<string, Cell> {
  return { aim: `≤ ${most}`, verdict: value <= most ? 'met' : 'missed' }
}
