import Type from 'typebox'
import { findJobs, getJob, type Job, jobStates, runJobAgain } from '../../../domain/jobs/jobs.ts'
import { integer, listOf, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { freeObject, nullableString, nullableTimestamp, timestamp } from '../views.ts'

const jobView = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.String(),
    key: nullableString,
    state: Type.Unsafe<(typeof jobStates)[number]>({ type: 'string', enum: jobStates }),
    attempts: Type.Integer({ description: 'Number of failed runs, including the current run' }),
    interruptions: Type.Integer({ description: 'Number of runs that ended because the process ended' }),
    outages: Type.Integer({ description: 'Number of consecutive runs in which a dependency was unavailable' }),
    lane: nullableString,
    owner: { ...nullableString, description: 'Jobs of different owners are scheduled in turn' },
    progress: Type.Unsafe<{ done: number; total: number } | null>({
      type: ['object', 'null'],
      properties: { done: { type: 'integer' }, total: { type: 'integer' } },
      required: ['done', 'total'],
    }),
    last_error: nullableString,
    payload: freeObject,
    run_at: timestamp,
    created_at: timestamp,
    started_at: nullableTimestamp,
    finished_at: nullableTimestamp,
  },
  { title: 'Job' },
)

function viewJob(job: Job) {
  const { done, total } = job
  return {
    id: job.id,
    kind: job.kind,
    key: job.key,
    state: job.state,
    attempts: job.attempts,
    interruptions: job.interruptions,
    outages: job.outages,
    lane: job.lane,
    owner: job.owner,
    progress: done === null || total === null ? null : { done, total },
    last_error: job.lastError,
    payload: job.payload,
    run_at: job.runAt,
    created_at: job.createdAt,
    started_at: job.startedAt,
    finished_at: job.finishedAt,
  }
}

export const jobRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/admin/jobs',
    summary: 'List background jobs, newest first',
    permission: 'job.read',
    input: Type.Object({
      state: optional(listOf(jobStates, { commaSeparated: true })),
      kind: optional(text({ allowBlank: false })),
    }),
    status: 200,
    output: Type.Array(jobView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, input, page }) {
      const found = await findJobs(deps, { states: input.state, kind: input.kind }, page)
      return { ...found, rows: found.rows.map(viewJob) }
    },
  }),
  route({
    method: 'GET',
    path: '/admin/jobs/:id',
    summary: 'Get a job',
    permission: 'job.read',
    input: Type.Object({ id: integer() }),
    status: 200,
    output: jobView,
    handle: async ({ deps, input }) => viewJob(await getJob(deps, input.id)),
  }),
  route({
    method: 'POST',
    path: '/admin/jobs/:id/retry',
    summary: 'Retry a failed job, or run a waiting job immediately',
    permission: 'job.manage',
    input: Type.Object({ id: integer() }),
    status: 201,
    output: jobView,
    handle: async ({ deps, input }) => viewJob(await runJobAgain(deps, input.id)),
  }),
]
