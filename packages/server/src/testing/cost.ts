import { existsSync, openSync, readSync } from 'node:fs'

/** A parser of untrusted input, and inputs of about `size` characters or bytes. */
export interface Subject<Input> {
  run(input: Input): unknown
  /** Ordinary input, as the baseline of the comparison. */
  plain(size: number): Input
  /** Generated worst cases by name. */
  hostile: Readonly<Record<string, (size: number) => Input>>
}

interface Limits {
  /** Length of the shorter input; the longer one is twice as long. */
  size?: number
  /** Maximum ratio of CPU time to plain text of the same length. */
  maxRatio?: number
  /** Maximum ratio of CPU time when the length doubles: 2 is linear, 4 quadratic. */
  maxGrowth?: number
}

/** CPU times below this limit are too short to compare. */
const floorMs = 1

/** Maximum cost of the doubled input that counts as harmless, in which growth cannot be distinguished from noise. */
const negligibleMs = 10

/**
 * Measures CPU for plain and hostile input of one length and of twice that length. Returns a sentence for each hostile
 * input that takes too many times as much as plain text, or that grows faster than its length; tests expect none.
 * Errors that `run` throws count as its result, because a refusal must be cheap as well.
 */
export async function findExpensive<Input>(subject: Subject<Input>, limits: Limits = {}): Promise<string[]> {
  const { size = 64 * 1024, maxRatio = 30, maxGrowth = 3 } = limits
  const plainMs = await cpuOf(subject, subject.plain(size))
  const problems: string[] = []
  for (const [name, generate] of Object.entries(subject.hostile)) {
    // Most inputs are so cheap at twice the length that neither limit can be exceeded.
    const firstMs = await cpuOf(subject, generate(2 * size), 1)
    if (firstMs <= Math.min(negligibleMs, maxRatio * plainMs)) continue
    // Measures suspects again beside what they are compared with, because other processes distort measurements, and not
    // equally at all times.
    const ratio = await leastOf(
      async () => {
        const plainNowMs = await cpuOf(subject, subject.plain(size))
        return (await cpuOf(subject, generate(size))) / plainNowMs
      },
      (ratio) => ratio <= maxRatio,
    )
    const growth = async () => {
      const doubledMs = await cpuOf(subject, generate(2 * size))
      return doubledMs <= negligibleMs ? 0 : doubledMs / (await cpuOf(subject, generate(size)))
    }
    const grown = await leastOf(growth, (growth) => growth <= maxGrowth)
    if (ratio > maxRatio) problems.push(`${name}: ${ratio.toFixed(1)} times as much as plain input of ${size}`)
    if (grown > maxGrowth) problems.push(`${name}: ${grown.toFixed(1)} times as much for twice the length`)
  }
  return problems
}

async function leastOf(measure: () => Promise<number>, isEnough: (value: number) => boolean): Promise<number> {
  let least = await measure()
  for (let tries = 0; tries < 5 && !isEnough(least); tries++) least = Math.min(least, await measure())
  return least
}

/** Maximum CPU time of one turn of the event loop on the machine for which `referenceMs` was measured. */
const maxTurnMs = 20

/**
 * Measures the longest turn of the event loop for plain and hostile input of one length. Returns a sentence for each
 * input that blocks other requests for longer than 20 ms, in proportion to the speed of this machine.
 */
export async function findBlocking<Input>(subject: Subject<Input>, size = 64 * 1024): Promise<string[]> {
  const limitMs = maxTurnMs * slowness()
  const problems: string[] = []
  for (const [name, generate] of Object.entries({ 'plain input': subject.plain, ...subject.hostile })) {
    const input = generate(size)
    if ((await longestTurnOf(subject, input)) <= limitMs) continue
    // The machine may have become slower since the limit was computed.
    const ms = await leastOf(
      async () => (await longestTurnOf(subject, input)) / slowness(),
      (ms) => ms <= maxTurnMs,
    )
    if (ms > maxTurnMs) problems.push(`${name}: blocks the event loop for ${ms.toFixed(1)} ms with ${size}`)
  }
  return problems
}

async function longestTurnOf<Input>({ run }: Subject<Input>, input: Input): Promise<number> {
  let longest = 0
  let read = startClock()
  // A timer leaves the processor to worker threads while this thread waits for them. Its millisecond counts as part of the turn.
  const timer = setInterval(() => {
    longest = Math.max(longest, read())
    read = startClock()
  }, 1)
  try {
    await run(input)
  } catch {
    // errors count as a result
  }
  clearInterval(timer)
  return Math.max(longest, read())
}

/** Time of the loop in `slowness` on the machine for which `maxTurnMs` is meant. */
const referenceMs = 12

/** Returns how many times slower this machine is at the moment; at least 1. */
function slowness(): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 5; run++) {
    const read = startClock()
    JSON.parse(JSON.stringify(Array.from({ length: 10_000 }, (_, index) => ({ index, text: `entry ${index}` }))))
    least = Math.min(least, read())
  }
  return Math.max(1, least / referenceMs)
}

/**
 * Returns a function that returns the time since this call in milliseconds. Wall time without the time in which this
 * thread waited for a processor, and CPU time of the process, are both upper bounds of the CPU time of this thread: one
 * includes waiting for other threads, the other their work.
 */
function startClock(): () => number {
  const startedAt = performance.now()
  const waitedBefore = waitedMs()
  const cpuBefore = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(cpuBefore)
    return Math.min(performance.now() - startedAt - (waitedMs() - waitedBefore), (user + system) / 1000)
  }
}

/** Scheduler statistics of this thread. Only Linux has them. */
const statistics = existsSync('/proc/thread-self/schedstat') ? openSync('/proc/thread-self/schedstat', 'r') : undefined
const statisticsText = Buffer.alloc(100)

/** Returns how long this thread was ready to run while other processes had the processors; 0 if that is unknown. */
function waitedMs(): number {
  if (statistics === undefined) return 0
  const length = readSync(statistics, statisticsText, 0, statisticsText.length, 0)
  const [, waitedNs] = statisticsText.toString('latin1', 0, length).split(' ')
  return Number(waitedNs) / 1e6
}

/** Returns the minimum CPU time of several runs in milliseconds. */
async function cpuOf<Input>({ run }: Subject<Input>, input: Input, runs = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < runs; count++) {
    const read = startClock()
    try {
      await run(input)
    } catch {
      // errors count as a result
    }
    least = Math.min(least, read())
  }
  return Math.max(least, floorMs)
}
