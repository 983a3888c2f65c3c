import { notFound, unprocessable } from '../../platform/failure.ts'
import type { QueueMetrics } from '../../platform/metrics.ts'
import { type Deps, transaction } from '../deps.ts'
import { maxCountedRows, type Page, type PageRequest, pageOf } from '../page.ts'
import { replaceJobs } from './claim-queries.ts'
import {
  countJobs,
  countOpenJobs,
  deleteOldJobs,
  findJob,
  findNewestJob,
  hurryJobs,
  type Job,
  type JobFilter,
  listOldestDue,
  newestJobs,
  retryJob,
} from './job-queries.ts'

export { type Job, jobStates } from './job-queries.ts'

/** Newest first. */
export async function findJobs({ db }: Deps, filter: JobFilter, page: PageRequest): Promise<Page<Job>> {
  const [rows, total] = await Promise.all([
    newestJobs(db, filter, page.offset, page.perPage),
    countJobs(db, filter, maxCountedRows),
  ])
  return pageOf(page, rows, total)
}

export async function getJob({ db }: Deps, id: number): Promise<Job> {
  const job = await findJob(db, id)
  if (!job) throw notFound()
  return job
}

/** Lets a job that failed, or that waits for its next attempt, run now. */
export function runJobAgain(deps: Deps, id: number): Promise<Job> {
  return transaction(deps, async (deps) => {
    const isPutBack = await retryJob(deps.db, id, deps.now())
    const job = await getJob(deps, id)
    if (!isPutBack && job.state !== 'waiting') throw unprocessable(`a job that is ${job.state} cannot be run again`)
    return job
  })
}

/** How far the work is that was queued under this key. */
export function findProgress({ db }: Deps, key: string): Promise<Pick<Job, 'done' | 'total'> | undefined> {
  return findNewestJob(db, key)
}

/** Lets what waits for this key run now, whenever its next attempt was to be. */
export async function hurry(deps: Deps, key: string): Promise<void> {
  await hurryJobs(deps.db, key, deps.now())
}

/** For the metrics: unfinished jobs by kind and state, and for how long the oldest waiting job of each kind has been due. */
export async function measureQueue({ db, now }: Deps): Promise<QueueMetrics> {
  const [counts, oldest] = await Promise.all([countOpenJobs(db), listOldestDue(db)])
  const at = Date.parse(now())
  const ages = oldest.map(({ kind, runAt }) => ({ kind, seconds: Math.max(0, (at - Date.parse(runAt)) / 1000) }))
  return { counts, ages }
}

/**
 * Places waiting jobs again. Nothing depends on it, unless rows were deleted by hand or by a program that does not know of
 * stages: then jobs would wait for others that are gone.
 */
export async function replaceWaitingJobs({ db }: Deps): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) after = await replaceJobs(db, after, batchSize)
}

const dayMs = 24 * 60 * 60 * 1000
const batchSize = 1000

/** What is done is kept for a day, what failed for a month, for whoever looks at the list. */
export async function forgetOldJobs(deps: Deps): Promise<void> {
  for (const [state, days] of [
    ['finished', 1],
    ['failed', 30],
  ] as const) {
    const before = new Date(Date.parse(deps.now()) - days * dayMs).toISOString()
    for (let gone = batchSize; gone === batchSize; ) gone = await deleteOldJobs(deps.db, state, before, batchSize)
  }
}
