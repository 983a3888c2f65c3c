import type { RootDeps } from '../deps.ts'

/** Maximum assumed difference between the clocks of two machines. A later time was written by a wrong clock. */
export const maxClockSkewMs = 60_000

const firstBackOffMs = 5_000
const maxBackOffMs = 30 * 60_000
const maxOutageMs = 2 * 60_000
const freeInterruptions = 2
const firstInterruptionMs = 30_000

/** Returns a delay that doubles with every failed attempt. */
export function backOffMs(deps: Pick<RootDeps, 'random'>, attempts: number): number {
  return jittered(deps, Math.min(maxBackOffMs, firstBackOffMs * 2 ** (attempts - 1)))
}

/**
 * Returns a delay that doubles with every consecutive outage, up to two minutes. The limit is low, because an outage
 * ends for all jobs at the same time.
 */
export function outageBackOffMs(deps: Pick<RootDeps, 'random'>, outages: number): number {
  return jittered(deps, Math.min(maxOutageMs, firstBackOffMs * 2 ** (outages - 1)))
}

/** Subtracts up to half of the delay at random, so that jobs that failed together are not retried together. */
function jittered({ random }: Pick<RootDeps, 'random'>, ms: number): number {
  return Math.round(ms * (0.5 + random(2).readUInt16BE() / 131_072))
}

/** Returns true when a job's runs were interrupted so often that the job itself may end the process. */
export const isPoisonous = (interruptions: number): boolean => interruptions > freeInterruptions

/** Returns the delay of an interrupted job: 0 after the first interruptions, as by deployments and full disks. */
export function delayOfInterrupted(interruptions: number): number {
  if (!isPoisonous(interruptions)) return 0
  return Math.min(maxBackOffMs, firstInterruptionMs * 2 ** (interruptions - freeInterruptions - 1))
}

export function later({ now }: Pick<RootDeps, 'now'>, ms: number): string {
  return new Date(Date.parse(now()) + ms).toISOString()
}
