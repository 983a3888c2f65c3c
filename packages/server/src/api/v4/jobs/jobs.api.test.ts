import { beforeAll, describe, expect, test } from 'vitest'
import { enqueue, jobKind } from '../../../domain/jobs/job.ts'
import { runDueJobs } from '../../../domain/jobs/run-jobs.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

const failing = jobKind<{ text: string }>({
  kind: 'failing',
  concurrency: 1,
  maxAttempts: 1,
  async run(_deps, job) {
    await job.progress(1, 4)
    throw new Error(`${job.payload.text} is broken`)
  },
})

const fail = async (text: string) => {
  const id = await enqueue(server.deps, { kind: 'failing', key: `failing:${text}`, payload: { text } })
  await runDueJobs(server.deps, [failing])
  return id
}

describe('jobs', () => {
  test('are listed newest first, with progress and last error', async () => {
    const id = await fail('it')
    const waiting = await enqueue(server.deps, { kind: 'other', payload: {}, runAt: '2999-01-01T00:00:00.000Z' })
    const { status, body, headers } = await server.admin.get('/admin/jobs')
    expect(status).toBe(200)
    expect(headers['x-total']).toBe('2')
    expect(body[0]).toMatchObject({ id: waiting, state: 'waiting', attempts: 0, progress: null, last_error: null })
    expect(body[1]).toEqual({
      id,
      kind: 'failing',
      key: 'failing:it',
      state: 'failed',
      attempts: 1,
      interruptions: 0,
      outages: 0,
      lane: 'failing',
      owner: null,
      progress: { done: 1, total: 4 },
      last_error: 'it is broken',
      payload: { text: 'it' },
      run_at: expect.any(String),
      created_at: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
    })
    expect((await server.admin.get(`/admin/jobs/${id}`)).body).toEqual(body[1])
    const ids = async (query: string) =>
      (await server.admin.get(`/admin/jobs${query}`)).body.map((job: { id: number }) => job.id)
    expect(await ids('?state=failed,running')).toEqual([id])
    expect(await ids('?kind=other')).toEqual([waiting])
    expect(await ids('?kind=other&state=failed')).toEqual([])
    expect(await server.admin.get('/admin/jobs?state=lost')).toMatchObject({
      status: 400,
      body: { error: 'state does not have a valid value' },
    })
  })

  test('can be retried after a failure, and run at once when they are scheduled for later', async () => {
    const id = await fail('again')
    const retried = await server.admin.post(`/admin/jobs/${id}/retry`)
    expect(retried).toMatchObject({ status: 201, body: { id, state: 'waiting', attempts: 0 } })
    const mended = jobKind({ ...failing, run: async () => undefined })
    await runDueJobs(server.deps, [mended])
    expect((await server.admin.get(`/admin/jobs/${id}`)).body).toMatchObject({ state: 'finished', last_error: null })
    expect(await server.admin.post(`/admin/jobs/${id}/retry`)).toMatchObject({
      status: 422,
      body: { message: 'a job that is finished cannot be run again' },
    })
    const later = await enqueue(server.deps, { kind: 'failing', payload: {}, runAt: '2999-01-01T00:00:00.000Z' })
    const { body } = await server.admin.post(`/admin/jobs/${later}/retry`)
    expect(Date.parse(body.run_at)).toBeLessThanOrEqual(Date.now())
    expect(await server.admin.post('/admin/jobs/999999/retry')).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  })

  test('require an administrator', async () => {
    const user = await server.user('curious')
    for (const path of ['/admin/jobs', '/admin/jobs/1']) {
      expect(await user.get(path)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
      expect(await server.anonymous.get(path)).toMatchObject({ status: 401 })
    }
    expect((await user.post('/admin/jobs/1/retry')).status).toBe(403)
  })

  test('are counted in the metrics by kind and state until they finish', async () => {
    await fail('counted')
    const { text } = await server.anonymous.get('//-/metrics')
    expect(text).toMatch(/^alcove_jobs\{kind="failing",state="failed"\} [1-9]\d*$/m)
    expect(text).toMatch(/^alcove_jobs_oldest_due_seconds\{kind="other"\} [\d.]+$/m)
    expect(text).toMatch(/^alcove_jobs\{kind="other",state="waiting"\} 1$/m)
  })
})
