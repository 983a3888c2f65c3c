import { onTestFinished } from 'vitest'
import { depsFrom } from '../app.ts'
import type { Deps, RootDeps } from '../domain/deps.ts'
import { type Claimed, dispatch } from '../domain/jobs/dispatch.ts'
import { type AnyJobKind, enqueue, type JobKind, jobKind, type Postponed, type QueuedJob } from '../domain/jobs/job.ts'
import { freeCapacity } from '../domain/jobs/run-jobs.ts'
import { openMemoryStore } from '../platform/object-store/memory.ts'
import { readSettings } from '../platform/settings/settings.ts'
import { freshDatabase } from './databases/database.ts'

export const start = '2026-05-01T10:00:00.000Z'

export const later = (seconds: number): string => new Date(Date.parse(start) + seconds * 1000).toISOString()

/** Opens dependencies with a fresh database and a clock that tests can set. */
export async function openQueue({ clock }: { clock?: { now: string } } = {}) {
  const { db, openSecond, drop } = await freshDatabase()
  const settings = readSettings({ ALCOVE_LOG_LEVEL: 'silent' })
  const depsOn = (database: typeof db): RootDeps => ({
    ...depsFrom(settings, database, openMemoryStore()),
    ...(clock && { now: () => clock.now }),
  })
  onTestFinished(async () => {
    await db.close()
    await drop()
  })
  return { deps: depsOn(db), another: async () => depsOn(await openSecond()) }
}

type Note = { text: string }

type Work = Partial<Omit<JobKind<Note>, 'run'>> & { run?(...given: Parameters<JobKind<Note>['run']>): Promise<unknown> }

/** Returns a job kind that records its payloads and then runs the test's function. */
export function noting(work: Work = {}): { kind: AnyJobKind; notes: string[] } {
  const notes: string[] = []
  const kind = jobKind<Note>({
    kind: 'note',
    concurrency: 2,
    maxAttempts: 3,
    ...work,
    async run(deps, job) {
      notes.push(job.payload.text)
      return (await work.run?.(deps, job)) as Postponed | undefined // returned by the test
    },
  })
  return { kind, notes }
}

export const note = (deps: Deps, text: string, rest: Partial<QueuedJob> = {}): Promise<number> =>
  enqueue(deps, { kind: 'note', payload: { text }, ...rest })

/** Claims the ready jobs, as a process that is killed before it finishes them. */
export async function claimAndDie(deps: RootDeps, kinds: readonly AnyJobKind[]): Promise<Claimed[]> {
  const { claimed } = await dispatch(deps, kinds, { free: freeCapacity(kinds, []), isAbandoned: () => false })
  return claimed
}
