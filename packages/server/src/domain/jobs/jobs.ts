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
  type Job,
  type JobFilter,
  listOldestDue,
  makeJobsDue,
  newestJobs,
  retryJob,
} from './job-queries.ts'

export { type Job, jobStates } from './job-queries.ts'

/** Returns a page of jobs, newest first. */
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

/** Makes a failed job, or one that waits for its next attempt, run now. */
export function runJobAgain(deps: Deps, id: number): Promise<Job> {
  return transaction(deps, async (deps) => {
    const isPutBack = await retryJob(deps.db, id, deps.now())
    const job = await getJob(deps, id)
    if (!isPutBack && job.state !== 'waiting') throw unprocessable(`a job that is ${job.state} cannot be run again`)
    return job
  })
}

/** Returns the progress of the newest job of this key. */
export function findProgress({ db }: Deps, key: string): Promise<Pick<Job, 'state' | 'done' | 'total'> | undefined> {
  return findNewestJob(db, key)
}

/** Makes the waiting jobs of this key run now, before their next attempt was due. */
export async function runJobsNow(deps: Deps, key: string): Promise<void> {
  await makeJobsDue(deps.db, key, deps.now())
}

/** Returns the number of unfinished jobs by kind and state, and how long the oldest of each kind has been due. */
export async function measureQueue({ db, now }: Deps): Promise<QueueMetrics> {
  const [counts, oldest] = await Promise.all([countOpenJobs(db), listOldestDue(db)])
  const at = Date.parse(now())
  const ages = oldest.map(({ kind, runAt }) => ({ kind, seconds: Math.max(0, (at - Date.parse(runAt)) / 1000) }))
  return { counts, ages }
}

/**
 * Places all waiting jobs again. This is only needed after rows were deleted by hand or by an older version that does
 * not know stages; without it, jobs would wait for deleted ones forever.
 */
export async function replaceWaitingJobs({ db }: Deps): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) after = await replaceJobs(db, after, batchSize)
}

const dayMs = 24 * 60 * 60 * 1000
const batchSize = 1000

/** Deletes finished jobs after a day and failed jobs after a month. */
export async function removeOldJobs(deps: Deps): Promise<void> {
  for (const [state, days] of [
    ['finished', 1],
    ['failed', 30],
  ] as const) {
    const before = new Date(Date.parse(deps.now()) - days * dayMs).toISOString()
    for (let gone = batchSize; gone === batchSize; ) gone = await deleteOldJobs(deps.db, state, before, batchSize)
  }
}
