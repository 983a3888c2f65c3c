import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Memory, startServer } from './processes.ts'
import { type Cell, median } from './table.ts'

const settleMs = 1_000

/** Measures cold starts, with an empty and with the full database, and the memory before the first request. */
export async function measureStarts(
  env: Readonly<Record<string, string>>,
  rounds: number,
): Promise<Record<string, Cell>[]> {
  const empty: Start[] = []
  const full: Start[] = []
  for (let round = 0; round < rounds; round++) {
    const folder = await mkdtemp(join(tmpdir(), 'alcove-bench-empty-'))
    try {
      empty.push(await measureStart({ ALCOVE_DATA: folder }))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    full.push(await measureStart(env))
  }
  return [
    describe('to ready, empty folder (SQLite)', empty),
    describe('to ready, full database', full),
    ...memoryRows(
      'idle after start',
      full.map(({ memory }) => memory),
    ),
  ]
}

/** Resident memory includes the mapped part of SQLite's file, which the system can reclaim. */
export function memoryRows(name: string, samples: readonly Memory[]): Record<string, Cell>[] {
  const resident = median(samples.map(({ residentMb }) => residentMb))
  const own = median(samples.map(({ ownMb }) => ownMb))
  return [
    { process: `memory, ${name}`, value: resident, unit: 'MB', ...limit(resident, maxIdleMb) },
    { process: `memory, ${name}, without mapped files`, value: own, unit: 'MB', aim: '', verdict: '' },
  ]
}

const maxIdleMb = 120
const maxStartSeconds = 1.5

interface Start {
  readyMs: number
  memory: Memory
}

async function measureStart(env: Readonly<Record<string, string>>): Promise<Start> {
  const server = await startServer(env)
  try {
    await sleep(settleMs)
    return { readyMs: server.readyMs, memory: server.memory() }
  } finally {
    await server.stop()
  }
}

function describe(name: string, starts: readonly Start[]): Record<string, Cell> {
  const seconds = median(starts.map(({ readyMs }) => readyMs)) / 1000
  return { process: name, value: seconds, unit: 's', ...limit(seconds, maxStartSeconds) }
}

function limit(value: number, most: number): Record<string, Cell> {
  return { aim: `≤ ${most}`, verdict: value <= most ? 'met' : 'missed' }
}
