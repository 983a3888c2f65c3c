import { type Deps, provisionally, type RootDeps } from '../deps.ts'
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
  passOn,
  placeJobs,
  preferIndexes,
  returnJob,
  takeTicket,
} from './claim-queries.ts'
import type { AnyJobKind } from './job.ts'
import type { Job } from './job-queries.ts'
import { type Lane, laneAlone } from './lanes.ts'

export const leaseMs = 15_000

/** Bounds the work of one dispatch, however many jobs were queued. */
const batchSize = 200

export interface Claimed {
  job: Job
  kind: AnyJobKind
  token: string
}

export interface Dispatch {
  /** Free places by lane. */
  free: ReadonlyMap<string, number>
  /** Whether the process that runs this job has ended. */
  isAbandoned(job: LeasedJob): boolean
}

/** The lanes of these kinds by name. */
export function lanesOf(kinds: readonly AnyJobKind[]): Map<string, Lane> {
  return new Map(
    kinds.flatMap(({ kind, concurrency, perOwner = defaultPerOwner, lanes = {} }) => [
      [kind, { concurrency, perOwner }] as const,
      ...Object.entries(lanes),
    ]),
  )
}

/** Of lanes whose kinds this process does not know, too. */
const defaultPerOwner = 4

/**
 * Places what is to be placed, at most a batch, and claims what is ready in the free lanes. Its cost does not depend on how
 * many jobs wait. `isDone` is false when there was more to place.
 */
export function dispatch(
  deps: RootDeps,
  kinds: readonly AnyJobKind[],
  { free, isAbandoned }: Dispatch,
): Promise<{ claimed: Claimed[]; isDone: boolean }> {
  const placesIn = (lane: string) => free.get(lane) ?? 0
  // A claim that a power cut takes back is made again.
  return provisionally(deps, async (deps) => {
    await preferIndexes(deps.db)
    const abandoned = (await listRunning(deps.db)).filter(isAbandoned)
    const clock = { now: deps.now(), tomorrow: later(deps, maxClockSkewMs) }
    const unplaced = await listUnplaced(deps.db, clock, batchSize)
    const open = [...free.keys()].filter((lane) => placesIn(lane) > 0)
    const ready = await listReadyLanes(deps.db, open)
    // Looking changes nothing: every change is sent to all processes, which look again.
    if (abandoned.length + unplaced.length + ready.length === 0) return { claimed: [], isDone: true }

    const ticket = await takeTicket(deps.db)
    for (const job of abandoned) await takeBack(deps, kinds, job)
    if (unplaced.length > 0) {
      await placeJobs(deps.db, unplaced, ticket, clock)
      await admit(deps, kinds, unplaced)
    }
    const claimed: Claimed[] = []
    const isReady = new Set(await listReadyLanes(deps.db, open))
    // In the order of the places, in which a lane comes before that of its jobs that run alone.
    for (const lane of open.filter((lane) => isReady.has(lane))) {
      const isTaken = claimed.some(({ job }) => laneAlone(job.lane ?? job.kind) === lane)
      if (!isTaken) claimed.push(...(await claim(deps, kinds, lane, placesIn(lane))))
    }
    return { claimed, isDone: abandoned.length === 0 && unplaced.length < batchSize }
  })
}

/** Gives turns to queued jobs of owners that may have more of them ready. Owners in a lane take turns. */
async function admit(deps: Deps, kinds: readonly AnyJobKind[], ids: readonly number[]): Promise<void> {
  const lanes = lanesOf(kinds)
  const limitOf = (lane: string) => lanes.get(lane)?.perOwner ?? defaultPerOwner
  const most = Math.max(defaultPerOwner, ...[...lanes.values()].map(({ perOwner }) => perOwner))
  const turnOfLane = new Map<string, number>()
  const turnOfOwner = new Map<string, number>()
  const turns: { id: number; turn: number }[] = []
  for (const { id, lane, owner, ahead, ownerTurn } of await listQueued(deps.db, ids, most)) {
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
    const [job] = await claimReady(deps.db, lane, 1, lease, deps.now())
    const kind = kinds.find(({ kind }) => kind === job?.kind)
    if (!job || !kind) return claimed
    // What they were queued for was committed before this run begins, so it sees all of it.
    if (job.key !== null && kind.absorbs) await deleteWaitingJobs(deps.db, job.key)
    claimed.push({ job, kind, token: lease.token })
  }
  return claimed
}

/** Puts back a job whose process ended. One that ends its process again and again waits, and runs alone. */
async function takeBack(deps: Deps, kinds: readonly AnyJobKind[], job: LeasedJob): Promise<void> {
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
  await kinds.find(({ kind }) => kind === job.kind)?.interrupted?.(deps, job.payload as never, interruptions) // queued under that kind
  await passOn(deps.db, place)
}

/** Ends a run in the transaction of `deps`: `end` changes the row, and others get their turn. */
export async function endRun(deps: Deps, end: () => ReturnType<typeof returnJob>): Promise<boolean> {
  await preferIndexes(deps.db)
  await lockQueue(deps.db)
  const place = await end()
  if (place) await passOn(deps.db, place)
  return place !== undefined
}
