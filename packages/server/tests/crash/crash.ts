import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { launch, type ServerProcess, startProcess } from '../process.ts'
import { type Api, openApi, UnexpectedResponse } from './api.ts'
import { examine } from './integrity.ts'
import { type Chance, nextOperation, type Operation, sharedTopics } from './operations.ts'
import { takeSnapshot } from './snapshot.ts'
import { describe, emptyState, type Ids, type State } from './state.ts'

export interface CrashOptions {
  folder: string
  kills: number
  seed: number
  /** Called after every kill. */
  onKill?: (summary: CrashSummary) => void
}

export interface CrashSummary {
  kills: number
  /** Number of kills during a start. */
  killsAtStart: number
  /** Number of stops by SIGTERM instead of kills, under the same load. */
  stops: number
  acknowledged: number
  /** Requests without a response when the server ended, and how many of them had been executed. */
  unanswered: number
  unansweredDone: number
  /** Unanswered requests that were repeated after the restart, each POST with its key. */
  repeated: number
  /** Number of topics, projects, uploads and findings compared with the acknowledged state, in all rounds. */
  verified: number
  files: number
  /** Orphaned and partial objects, which the orphan cleanup removes after a day. */
  orphans: number
  unfinished: number
  slowestStartMs: number
  slowestStopMs: number
}

/** Sends one write after the other until the server ends. */
interface Writer {
  name: string
  /** Acknowledged state. */
  state: State
  ids: Ids
  serial: number
  underWay: Attempt | undefined
}

interface Attempt {
  operation: Operation
  /** The `Idempotency-Key`. */
  key: string
}

const writerNames = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot']
const token = 'token-of-the-crash-test'

/**
 * Kills the server under load at random moments, restarts it on the same folder and compares its data with the
 * acknowledged writes. After half of the kills, the writers repeat unanswered requests, which must then have been executed
 * exactly once. Sometimes the server is stopped instead; then it must not have executed unanswered requests.
 * Throws when the data differs.
 */
export async function crash({ folder, kills, seed, onKill }: CrashOptions): Promise<CrashSummary> {
  const chance = openChance(seed)
  const env = { ALCOVE_DATA: folder, ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_LOG_LEVEL: 'error' }
  const writers = writerNames.map(
    (name): Writer => ({ name, state: emptyState(), ids: new Map(), serial: 0, underWay: undefined }),
  )
  const summary: CrashSummary = {
    ...{ kills: 0, killsAtStart: 0, stops: 0, acknowledged: 0, unanswered: 0, unansweredDone: 0, repeated: 0 },
    ...{ verified: 0, files: 0, orphans: 0, unfinished: 0, slowestStartMs: 0, slowestStopMs: 0 },
  }

  let server = await start()
  let api = openApi(server.url, token)
  for (const name of sharedTopics) await api.send('POST', '/topics', { name, title: name })
  while (summary.kills < kills) {
    const writing = writers.map((writer) => write(writer, server.url, chance, summary))
    await sleep(chance.whole(1200))
    const isStop = chance.whole(5) === 0
    await (isStop ? stop(server, summary) : server.kill())
    await Promise.all(writing)
    if (isStop) summary.stops++
    else summary.kills++
    if (chance.whole(10) === 0) await killAtStart()
    server = await start()
    api = openApi(server.url, token)
    const isRepeated = !isStop && chance.whole(2) === 0
    if (isRepeated) for (const writer of writers) await repeat(writer, server.url, summary)
    await importsEnd(api)
    for (const writer of writers) await verify(writer, api, summary, isStop)
    const { problems, ...counts } = await examine(folder)
    if (problems.length > 0) throw new Error(`after ${summary.kills} kills:\n${problems.join('\n')}`)
    Object.assign(summary, counts)
    onKill?.(summary)
  }
  const { stderr } = await server.stop()
  if (stderr !== '') throw new Error(stderr)
  return summary

  async function start(): Promise<ServerProcess> {
    const started = performance.now()
    const server = await startProcess({ env })
    summary.slowestStartMs = Math.max(summary.slowestStartMs, Math.round(performance.now() - started))
    return server
  }

  async function killAtStart(): Promise<void> {
    const { child, ended } = await launch({ env })
    await sleep(chance.whole(1500))
    child.kill('SIGKILL')
    await ended
    summary.killsAtStart++
  }
}

/** Asserts that a stop under load completes the running requests within its time limit. */
async function stop(server: ServerProcess, summary: CrashSummary): Promise<void> {
  const started = performance.now()
  const { code, stdout, stderr } = await server.stop()
  summary.slowestStopMs = Math.max(summary.slowestStopMs, Math.round(performance.now() - started))
  if (code !== 0 || stdout.includes('aborted')) throw new Error(`a stop ended with ${code}\n${stdout}${stderr}`)
}

async function write(writer: Writer, url: string, chance: Chance, summary: CrashSummary): Promise<void> {
  for (;;) {
    const operation = nextOperation(writer.name, ++writer.serial, writer.state, chance)
    const key = randomUUID()
    writer.underWay = { operation, key }
    try {
      await operation.send(openApi(url, token, key), writer.ids)
    } catch (error) {
      if (error instanceof UnexpectedResponse) throw new Error(`${operation.what}: ${error.message}`)
      return
    }
    operation.apply(writer.state)
    writer.underWay = undefined
    summary.acknowledged++
  }
}

/** Repeats an unanswered request like a client; afterwards it must have been executed once. */
async function repeat(writer: Writer, url: string, summary: CrashSummary): Promise<void> {
  if (!writer.underWay) return
  const { operation, key } = writer.underWay
  try {
    await operation.send(openApi(url, token, key), writer.ids)
  } catch (error) {
    // The first attempt was executed: its response is not stored, or its resource is already deleted.
    const isDone = error instanceof UnexpectedResponse && /: 409 .*made its change|^DELETE .*: 404/.test(error.message)
    if (!isDone) throw new Error(`${operation.what}, repeated`, { cause: error })
  }
  operation.apply(writer.state)
  writer.underWay = undefined
  summary.repeated++
}

/** Waits until stored reports are imported after the restart, because lists read during an import may disagree. */
async function importsEnd(api: Api): Promise<void> {
  while ((await api.list('/admin/jobs?kind=import&state=waiting,running')).length > 0) await sleep(20)
}

/**
 * Asserts that the data is the acknowledged one, with all or nothing of the unanswered request; nothing of it after a stop,
 * because a stopping server responds to every request that it executes.
 */
async function verify(writer: Writer, api: Api, summary: CrashSummary, isStop: boolean): Promise<void> {
  const found = await takeSnapshot(api, writer.name, writer.ids)
  const { state, underWay } = writer
  const done = structuredClone(state)
  underWay?.operation.apply(done)
  const isUnchanged = describe(found) === describe(state)
  const isDone = describe(found) === describe(done)
  if (!isUnchanged && (isStop || !isDone)) {
    throw new Error(
      `${writer.name} had under way: ${underWay?.operation.what ?? 'nothing'}\n` +
        [`acknowledged`, describe(state), `found`, describe(found)].join('\n'),
    )
  }
  if (underWay) summary.unanswered++
  if (underWay && isDone) summary.unansweredDone++
  for (const { uploads, findings } of Object.values(found.projects)) {
    summary.verified += 1 + Object.keys(uploads).length + Object.keys(findings).length
  }
  summary.verified += Object.keys(found.topics).length
  writer.state = found
  writer.underWay = undefined
}

export const anySeed = () => randomInt(2 ** 31)

/** Returns a deterministic generator of random numbers. The moments of the kills repeat only roughly. */
export function openChance(seed: number): Chance {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return {
    whole: (limit) => next() % limit,
    bytes(length) {
      const bytes = Buffer.alloc(length)
      for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(next(), at)
      return bytes
    },
  }
}
