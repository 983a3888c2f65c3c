import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { launch, type ServerProcess, startProcess } from '../process.ts'
import { type Api, openApi, WrongAnswer } from './api.ts'
import { examine } from './integrity.ts'
import { type Chance, nextOperation, type Operation, sharedTopics } from './operations.ts'
import { takeSnapshot } from './snapshot.ts'
import { describe, emptyState, type Ids, type State } from './state.ts'

export interface CrashOptions {
  folder: string
  kills: number
  seed: number
  /** Told after every kill. */
  onKill?: (summary: CrashSummary) => void
}

export interface CrashSummary {
  kills: number
  /** Kills while the server was still starting. */
  killsAtStart: number
  acknowledged: number
  /** Requests that were under way when the server died, and how many of them turned out to have happened. */
  unanswered: number
  unansweredDone: number
  /** Topics, projects, uploads and findings compared with what was acknowledged, all rounds together. */
  verified: number
  files: number
  /** Objects without a row, and parts of some: what the sweep takes after a day. */
  orphans: number
  unfinished: number
  slowestStartMs: number
}

/** Sends writes at its own pace, one at a time, until the server is gone. */
interface Writer {
  name: string
  /** As acknowledged. */
  state: State
  ids: Ids
  serial: number
  underWay: Operation | undefined
}

const writerNames = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot']
const token = 'token-of-the-crash-test'

/**
 * Lets several writers write, kills the server at any moment, starts it again on the same folder and compares what is
 * there with what was acknowledged; so many times. Throws what does not fit.
 */
export async function crash({ folder, kills, seed, onKill }: CrashOptions): Promise<CrashSummary> {
  const chance = openChance(seed)
  const env = { ALCOVE_DATA: folder, ALCOVE_BOOTSTRAP_TOKEN: token, ALCOVE_LOG_LEVEL: 'error' }
  const writers = writerNames.map(
    (name): Writer => ({ name, state: emptyState(), ids: new Map(), serial: 0, underWay: undefined }),
  )
  const summary: CrashSummary = {
    ...{ kills: 0, killsAtStart: 0, acknowledged: 0, unanswered: 0, unansweredDone: 0, verified: 0 },
    ...{ files: 0, orphans: 0, unfinished: 0, slowestStartMs: 0 },
  }

  let server = await start()
  let api = openApi(server.url, token)
  for (const name of sharedTopics) await api.send('POST', '/topics', { name, title: name })
  while (summary.kills < kills) {
    const writing = writers.map((writer) => write(writer, api, chance, summary))
    await sleep(chance.whole(1200))
    await server.kill()
    await Promise.all(writing)
    summary.kills++
    if (chance.whole(10) === 0) await killAtStart()
    server = await start()
    api = openApi(server.url, token)
    await importsEnd(api)
    for (const writer of writers) await verify(writer, api, summary)
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

async function write(writer: Writer, api: Api, chance: Chance, summary: CrashSummary): Promise<void> {
  for (;;) {
    const operation = nextOperation(writer.name, ++writer.serial, writer.state, chance)
    writer.underWay = operation
    try {
      await operation.send(api, writer.ids)
    } catch (error) {
      if (error instanceof WrongAnswer) throw new Error(`${operation.what}: ${error.message}`)
      return
    }
    operation.apply(writer.state)
    writer.underWay = undefined
    summary.acknowledged++
  }
}

/** A report that was kept is taken in after the restart: before or after that is fine, and two lists read while it happens are neither. */
async function importsEnd(api: Api): Promise<void> {
  while ((await api.list('/admin/jobs?kind=import&state=waiting,running')).length > 0) await sleep(20)
}

/** What is there must be what was acknowledged, with all or nothing of the request that was under way. */
async function verify(writer: Writer, api: Api, summary: CrashSummary): Promise<void> {
  const found = await takeSnapshot(api, writer.name, writer.ids)
  const { state, underWay } = writer
  const done = structuredClone(state)
  underWay?.apply(done)
  const isDone = describe(found) === describe(done)
  if (!isDone && describe(found) !== describe(state)) {
    throw new Error(
      `${writer.name} had under way: ${underWay?.what ?? 'nothing'}\n` +
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

/** A small generator, so that a seed repeats the choices (the moments of the kills repeat only roughly). */
function openChance(seed: number): Chance {
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
