import { type Deps, type RootDeps, withRelaxedDurability } from '../deps.ts'
import { delayOfInterrupted, isPoisonous, later, maxClockSkewMs } from './back-off.ts'
import {
  claimReady,
  deleteWaitingJobs,
  findTurn,
  type LeasedJob,
  listQueued,
  listReadyLanes,
  listRunning,
  listUnplaced,
  lockQueue,
  makeReady,
  placeJobs,
  preferIndexes,
  releaseSuccessors,
  returnJob,
  takeTicket,
} from './claim-queries.ts'
import type { AnyJobKind } from './job.ts'
import type { Job } from './job-queries.ts'
import { type Lane, laneAlone } from './lanes.ts'

export const leaseMs = 15_000

/** Maximum number of jobs that one dispatch places, which bounds its cost. */
const batchSize = 200

export interface Claimed {
  job: Job
  kind: AnyJobKind
  token: string
}

export interface Dispatch {
  /** Number of free places by lane. */
  free: ReadonlyMap<string, number>
  /** Returns true when the process that runs this job has ended. */
  isAbandoned(job: LeasedJob): boolean
}

/** Returns the lanes of these kinds by name. */
export function lanesOf(kinds: readonly AnyJobKind[]): Map<string, Lane> {
  return new Map(
    kinds.flatMap(({ kind, concurrency, perOwner = defaultPerOwner, lanes = {} }) => [
      [kind, { concurrency, perOwner }] as const,
      ...Object.entries(lanes),
    ]),
  )
}

/** Default for kinds without a limit, and for lanes of kinds that this process does not know. */
const defaultPerOwner = 4

/**
 * Places up to one batch of jobs and claims ready jobs for the free lanes. The cost does not depend on the length of
 * the queue. `isDone` is false when more jobs remain to be placed.
 */
export function dispatch(
  deps: RootDeps,
  kinds: readonly AnyJobKind[],
  { free, isAbandoned }: Dispatch,
): Promise<{ claimed: Claimed[]; isDone: boolean }> {
  const placesIn = (lane: string) => free.get(lane) ?? 0
  // If a power failure loses a claim, the job is claimed again.
  return withRelaxedDurability(deps, async (deps) => {
    await preferIndexes(deps.db)
    const abandoned = (await listRunning(deps.db)).filter(isAbandoned)
    const clock = { now: deps.now(), tomorrow: later(deps, maxClockSkewMs) }
    const unplaced = await listUnplaced(deps.db, clock, batchSize)
    const open = [...free.keys()].filter((lane) => placesIn(lane) > 0)
    const ready = await listReadyLanes(deps.db, open)
    // Return before writing: every write notifies all processes, which would dispatch again.
    if (abandoned.length + unplaced.length + ready.length === 0) return { claimed: [], isDone: true }

    const ticket = await takeTicket(deps.db)
    for (const job of abandoned) await requeueAbandoned(deps, kinds, job)
    if (unplaced.length > 0) {
      await placeJobs(deps.db, unplaced, ticket, clock)
      await makeQueuedReady(deps, kinds, unplaced)
    }
    const claimed: Claimed[] = []
    const isReady = new Set(await listReadyLanes(deps.db, open))
    // `open` lists a lane before its lane of jobs that run alone.
    for (const lane of open.filter((lane) => isReady.has(lane))) {
      const isTaken = claimed.some(({ job }) => laneAlone(job.lane ?? job.kind) === lane)
      if (!isTaken) claimed.push(...(await claim(deps, kinds, lane, placesIn(lane))))
    }
    return { claimed, isDone: abandoned.length === 0 && unplaced.length < batchSize }
  })
}

/** Makes queued jobs ready, up to the limit of their owner. Owners in a lane take turns. */
async function makeQueuedReady(deps: Deps, kinds: readonly AnyJobKind[], ids: readonly number[]): Promise<void> {
  const lanes = lanesOf(kinds)
  const limitOf = (lane: string) => lanes.get(lane)?.perOwner ?? defaultPerOwner
  const max = Math.max(defaultPerOwner, ...[...lanes.values()].map(({ perOwner }) => perOwner))
  const turnOfLane = new Map<string, number>()
  const turnOfOwner = new Map<string, number>()
  const turns: { id: number; turn: number }[] = []
  for (const { id, lane, owner, ahead, ownerTurn } of await listQueued(deps.db, ids, max)) {
    if (owner !== null && ahead >= limitOf(lane)) continue
    const reached = turnOfLane.get(lane) ?? (await findTurn(deps.db, lane))
    turnOfLane.set(lane, reached)
    const name = `${lane} ${owner}`
    const last = turnOfOwner.get(name) ?? ownerTurn
    const turn = owner === null || last === null ? reached : Math.max(reached, last + 1)
    if (owner !== null) turnOfOwner.set(name, turn)
    turns.push({ id, turn })
  }
  if (turns.length > 0) await makeReady(deps.db, turns)
}

async function claim(deps: Deps, kinds: readonly AnyJobKind[], lane: string, places: number): Promise<Claimed[]> {
  if (places <= 0) return []
  const token = deps.random(12).toString('hex')
  const claimed: Claimed[] = []
  for (let place = 0; place < places; place++) {
    const lease = { token: `${token}${place}`, expiresAt: later(deps, leaseMs) }
    const [job] = await claimReady(deps.db, { lane, limit: 1, lease, now: deps.now() })
    const kind = kinds.find(({ kind }) => kind === job?.kind)
    if (!job || !kind) return claimed
    // The changes that these jobs were queued for are committed, so this run covers them.
    if (job.key !== null && kind.coalesces) await deleteWaitingJobs(deps.db, job.key)
    claimed.push({ job, kind, token: lease.token })
  }
  return claimed
}

/** Returns a job whose process ended to the queue. A job that was interrupted repeatedly waits and then runs alone. */
async function requeueAbandoned(deps: Deps, kinds: readonly AnyJobKind[], job: LeasedJob): Promise<void> {
  const interruptions = job.interruptions + 1
  const lane = job.lane ?? job.kind
  const place = await returnJob(deps.db, job, {
    lane: isPoisonous(interruptions) ? laneAlone(lane) : lane,
    runAt: later(deps, delayOfInterrupted(interruptions)),
    now: deps.now(),
    error: 'the process ended while it ran',
  })
  if (!place) return
  deps.log.warn({ job: job.id, kind: job.kind, interruptions }, 'a job was interrupted by the end of its process')
  await kinds.find(({ kind }) => kind === job.kind)?.interrupted?.(deps, job.payload, interruptions)
  await releaseSuccessors(deps.db, place)
}

/**
 * Ends a run in the transaction of `deps`: `end` changes the row, then the next jobs of its key and owner are placed.
 */
export async function endRun(deps: Deps, end: () => ReturnType<typeof returnJob>): Promise<boolean> {
  await preferIndexes(deps.db)
  await lockQueue(deps.db)
  const place = await end()
  if (place) await releaseSuccessors(deps.db, place)
  return place !== undefined
}
