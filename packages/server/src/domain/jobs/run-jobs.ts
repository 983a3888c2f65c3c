import { isUniqueViolation } from '../../db/violations.ts'
import { type RootDeps, transaction } from '../deps.ts'
import type { AnyJobKind, RunningJob } from './job.ts'
import {
  claimJob,
  deleteHeldJob,
  deleteWaitingJobs,
  endAllLeases,
  failJob,
  findDueJob,
  finishJob,
  type Job,
  postponeJob,
  renewLease,
  updateProgress,
} from './queries.ts'

/** A process that says nothing for so long is dead, or as good as dead. */
const leaseMs = 60_000
/** For retries whose time has come, and for words that were missed. */
const lookEveryMs = 2_000
const progressEveryMs = 500
const patienceMs = 8_000

export interface JobRunner {
  /** Lets what runs come to an end, or puts it back. */
  stop(): Promise<void>
}

/** Runs what is queued for these kinds: at once when something is queued in any process, and when its time has come. */
export function runJobs(deps: RootDeps, kinds: readonly AnyJobKind[]): JobRunner {
  const stopping = new AbortController()
  const running = new Map<Promise<void>, string>()
  let looking: Promise<void> | undefined
  let lookAgain = false

  const unwatch = deps.db.changes.watch('jobs', look)
  const timer = setInterval(look, lookEveryMs).unref()
  if (deps.db.dialect.engine === 'sqlite') looking = release().finally(lookOn)
  else look()

  return {
    async stop() {
      clearInterval(timer)
      unwatch()
      stopping.abort(new Error('the process stops'))
      const patience = new Promise<void>((resolve) => setTimeout(resolve, patienceMs).unref())
      await Promise.race([Promise.allSettled([looking, ...running.keys()]), patience])
    },
  }

  function look(): void {
    lookAgain = true
    looking ??= takeWhatIsDue().finally(lookOn)
  }

  function lookOn(): void {
    looking = undefined
    if (lookAgain && !stopping.signal.aborted) look()
  }

  async function release(): Promise<void> {
    await endAllLeases(deps.db, deps.now()).catch(logFailure)
    lookAgain = true
  }

  async function takeWhatIsDue(): Promise<void> {
    lookAgain = false
    while (!stopping.signal.aborted) {
      const free = kinds.filter(({ kind, concurrency }) => countRunning(kind) < concurrency)
      const claimed = await claimNext(deps, free).catch(logFailure)
      if (!claimed) return
      const run = runClaimed(deps, claimed, stopping.signal)
        .catch(logFailure)
        .finally(() => {
          running.delete(run)
          look()
        })
      running.set(run, claimed.job.kind)
    }
  }

  function countRunning(kind: string): number {
    let count = 0
    for (const other of running.values()) if (other === kind) count++
    return count
  }

  function logFailure(error: unknown): undefined {
    deps.log.error({ err: error }, 'the queue of jobs has trouble')
  }
}

/** Runs everything that is due, one after the other, and tells how many that were. */
export async function runDueJobs(deps: RootDeps, kinds: readonly AnyJobKind[]): Promise<number> {
  for (let ran = 0; ; ran++) {
    const claimed = await claimNext(deps, kinds)
    if (!claimed) return ran
    await runClaimed(deps, claimed, new AbortController().signal)
  }
}

interface Claimed {
  job: Job
  kind: AnyJobKind
  token: string
}

async function claimNext(deps: RootDeps, kinds: readonly AnyJobKind[]): Promise<Claimed | undefined> {
  if (kinds.length === 0) return undefined
  const names = kinds.map(({ kind }) => kind)
  for (;;) {
    const now = deps.now()
    // Looked for before it is taken: taking is a write, and every write is told to all processes, who look again.
    const id = await findDueJob(deps.db, names, now)
    if (id === undefined) return undefined
    const token = deps.random(12).toString('hex')
    const job = await claim(deps, kinds, id, token)
    const kind = kinds.find((one) => one.kind === job?.kind)
    if (job && kind) return { job, kind, token }
  }
}

async function claim(
  deps: RootDeps,
  kinds: readonly AnyJobKind[],
  id: number,
  token: string,
): Promise<Job | undefined> {
  try {
    return await transaction(deps, async (deps) => {
      const job = await claimJob(deps.db, id, { token, expiresAt: later(deps, leaseMs) }, deps.now())
      const absorbs = kinds.some(({ kind, absorbs }) => kind === job?.kind && absorbs)
      // What they were queued for was committed before this run begins, so it sees all of it.
      if (job?.key && absorbs) await deleteWaitingJobs(deps.db, job.key)
      return job
    })
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}

async function runClaimed(deps: RootDeps, { job, kind, token }: Claimed, stopping: AbortSignal): Promise<void> {
  if (job.attempts > kind.mostAttempts) return giveUp('the process ended while it ran')

  const lost = new AbortController()
  const renew = async () => {
    const isOurs = await renewLease(deps.db, job.id, { token, expiresAt: later(deps, leaseMs) })
    if (!isOurs) lost.abort(new Error('another process has taken the job over'))
  }
  const timer = setInterval(() => void renew().catch(logFailure), leaseMs / 3).unref()
  const signal = AbortSignal.any([stopping, lost.signal])
  try {
    const running: RunningJob<object> = {
      id: job.id,
      payload: job.payload,
      attempt: job.attempts,
      signal,
      progress: openProgress(),
      forget: ({ db }) => deleteHeldJob(db, job.id, token),
    }
    const outcome = await kind.run(deps, running as RunningJob<never>) // what was queued under the kind's name
    if (outcome) await postpone(outcome.againAt, 0, null)
    else if (kind.absorbs) await deleteHeldJob(deps.db, job.id, token)
    else await finishJob(deps.db, job.id, token, deps.now())
  } catch (error) {
    const text = describe(error)
    if (stopping.aborted) return await postpone(deps.now(), job.attempts - 1, job.lastError)
    deps.log.warn({ err: error, job: job.id, kind: job.kind, attempt: job.attempts }, 'job failed')
    if (job.attempts >= kind.mostAttempts) await giveUp(text)
    else await postpone(later(deps, backOffMs(deps, job.attempts)), job.attempts, text)
  } finally {
    clearInterval(timer)
  }

  async function giveUp(error: string): Promise<void> {
    await transaction(deps, async (deps) => {
      const isOurs = await failJob(deps.db, job.id, token, error, deps.now())
      if (isOurs) await kind.giveUp?.(deps, job.payload as never, error) // what was queued under the kind's name
    })
  }

  function postpone(runAt: string, attempts: number, error: string | null): Promise<void> {
    return postponeJob(deps.db, job.id, token, { runAt, attempts, error })
  }

  /** Written now and then, since every write is told to all processes; the end of it always. */
  function openProgress(): RunningJob<never>['progress'] {
    let writtenAt = 0
    return async (done, total) => {
      if (done < total && performance.now() - writtenAt < progressEveryMs) return
      writtenAt = performance.now()
      await updateProgress(deps.db, job.id, token, done, total)
    }
  }

  function logFailure(error: unknown): void {
    deps.log.error({ err: error, job: job.id }, 'the lease of a job could not be renewed')
  }
}

const firstBackOffMs = 5_000
const mostBackOffMs = 30 * 60_000

/** Doubles with every attempt; up to half of it is left to chance, so that what failed together does not come together. */
function backOffMs({ random }: Pick<RootDeps, 'random'>, attempts: number): number {
  const full = Math.min(mostBackOffMs, firstBackOffMs * 2 ** (attempts - 1))
  return Math.round(full * (0.5 + random(2).readUInt16BE() / 131_072))
}

function later({ now }: Pick<RootDeps, 'now'>, ms: number): string {
  return new Date(Date.parse(now()) + ms).toISOString()
}

const mostErrorCharacters = 500

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, mostErrorCharacters)
}
