import type { RootDeps } from '../deps.ts'

/** Clocks of the machines may differ by so much. A time set further in the future was set while a clock was wrong. */
export const maxClockSkewMs = 60_000

const firstBackOffMs = 5_000
const maxBackOffMs = 30 * 60_000
const maxOutageMs = 2 * 60_000
const freeInterruptions = 2
const firstInterruptionMs = 30_000

/** Doubles with every failed attempt. */
export function backOffMs(deps: Pick<RootDeps, 'random'>, attempts: number): number {
  return jittered(deps, Math.min(maxBackOffMs, firstBackOffMs * 2 ** (attempts - 1)))
}

/** Doubles with every outage that follows another one, up to two minutes: outages end for all jobs at once. */
export function outageBackOffMs(deps: Pick<RootDeps, 'random'>, outages: number): number {
  return jittered(deps, Math.min(maxOutageMs, firstBackOffMs * 2 ** (outages - 1)))
}

/** Reduces by up to half at random, so that jobs that failed together do not return together. */
function jittered({ random }: Pick<RootDeps, 'random'>, ms: number): number {
  return Math.round(ms * (0.5 + random(2).readUInt16BE() / 131_072))
}

/** Whether a job ended its process so often that it may be the cause. */
export const isPoisonous = (interruptions: number): boolean => interruptions > freeInterruptions

/** Deployments and full disks interrupt a job once or twice; it then runs again at once. */
export function delayOfInterrupted(interruptions: number): number {
  if (!isPoisonous(interruptions)) return 0
  return Math.min(maxBackOffMs, firstInterruptionMs * 2 ** (interruptions - freeInterruptions - 1))
}

export function later({ now }: Pick<RootDeps, 'now'>, ms: number): string {
  return new Date(Date.parse(now()) + ms).toISOString()
}
