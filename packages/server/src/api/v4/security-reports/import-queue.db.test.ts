import sql from 'sql-template-tag'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expireFailedReports } from '../../../domain/reports/imports/import-queue.ts'
import { openMemoryStore } from '../../../platform/object-store/memory.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestOptions, type TestProject } from '../../../testing/server.ts'
import { faultyStore, hang } from '../../../testing/stand-ins/faulty-store.ts'

const small = JSON.stringify(sastReport([entry()]))
const large = JSON.stringify({ ...sastReport([entry()]), padding: 'x'.repeat(300 * 1024) })

/** Starts a server whose first import blocks when it opens its report, until `release` or the end of the test. */
async function startBusy(options: TestOptions = {}) {
  const objects = faultyStore(openMemoryStore())
  const server = await startServer({ objects, ...options })
  const { act, reached, release } = hang()
  onTestFinished(release)
  let isFirst = true
  objects.at('open before', () => {
    const hangs = isFirst
    isFirst = false
    return hangs ? act() : undefined
  })
  const send = (client: Client, project: TestProject, report: string, fields: Record<string, string> = {}) =>
    client.post(`/projects/${project.id}/security_reports`, formWithFile('file', 'report.json', report, fields))
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of objects.list('files/')) found.push(key)
    return found
  }
  return { server, send, reached, release, keys }
}

describe('one user’s reports', () => {
  test('do not delay a small report of another user', async () => {
    const { server, send, reached } = await startBusy()
    const [busy, other] = [await server.user('busy'), await server.user('other')]
    for (const name of ['one', 'two', 'three']) {
      const project = (await busy.post('/projects', { name })).body
      expect((await send(busy, project, large, { async: 'true' })).status).toBe(202)
    }
    await reached
    const project = (await other.post('/projects', { name: 'small' })).body
    expect(await send(other, project, small)).toMatchObject({ status: 201, body: { findings: { new: 1 } } })
  })

  test('alternate with large reports of another user', async () => {
    const { server, send, reached, release } = await startBusy()
    const [busy, other] = [await server.user('busy'), await server.user('other')]
    const ids: number[] = []
    for (const name of ['one', 'two', 'three', 'four']) {
      const project = (await busy.post('/projects', { name })).body
      ids.push((await send(busy, project, large, { async: 'true' })).body.id)
      if (name === 'one') await reached
    }
    const project = (await other.post('/projects', { name: 'large' })).body
    const otherId = (await send(other, project, large, { async: 'true' })).body.id
    release()
    const order = async () => {
      const rows = await server.deps.db.all<{ id: number }>(sql`
        select id from imports where state = 'done' order by finished_at, id`)
      return rows.map(({ id }) => id)
    }
    await expect.poll(async () => (await order()).length).toBe(5)
    expect(await order()).toEqual([ids[0], ids[1], otherId, ids[2], ids[3]])
  })

  test('are limited per project and user by number and size; more are rejected with 429', async () => {
    const limits = { ofProject: 2, ofUser: 4, bytes: 700 * 1024 }
    const { server, send, reached, keys } = await startBusy({ settings: { maxWaitingReports: limits } })
    const [busy, other] = [await server.user('busy'), await server.user('other')]
    const create = async (name: string): Promise<TestProject> => (await busy.post('/projects', { name })).body
    const [one, two, three] = [await create('one'), await create('two'), await create('three')]
    const later = { async: 'true' }
    expect((await send(busy, one, large, later)).status).toBe(202)
    await reached
    expect((await send(busy, one, small, later)).status).toBe(202)
    const stored = await keys()
    expect(await send(busy, one, small, later)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '30' },
      body: { message: '2 reports of this project wait to be imported; the limit is 2. Try again later.' },
    })
    await expect.poll(keys).toEqual(stored)
    // A dry run queues nothing.
    expect((await send(busy, one, small, { dry_run: 'true' })).status).toBe(201)

    expect((await send(busy, two, large, later)).status).toBe(202)
    expect(await send(busy, three, large, later)).toMatchObject({
      status: 429,
      body: { message: expect.stringMatching(/^The reports of this user that wait to be imported would exceed/) },
    })
    const project = (await other.post('/projects', { name: 'other' })).body
    expect((await send(other, project, small)).status).toBe(201)
  })
})

describe('a report whose import failed because of a server error', () => {
  const failing = async (clock: { now: string }) => {
    const objects = faultyStore(openMemoryStore())
    const server = await startServer({ objects, clock })
    objects.at('open before', () => {
      throw new Error('a bug')
    })
    const project = await server.project('acme/site')
    const at = `/projects/${project.id}/security_reports`
    const sent = await server.admin.post(at, formWithFile('file', 'report.json', small, { async: 'true' }))
    const look = async () => (await server.admin.get(`${at}/${sent.body.id}`)).body
    while ((await look()).status !== 'failed') {
      clock.now = new Date(Date.parse(clock.now) + 3_600_000).toISOString()
      await server.runJobs()
    }
    const [job] = (await server.admin.get('/admin/jobs?kind=import&state=failed')).body
    const retry = () => server.admin.post(`/admin/jobs/${job.id}/retry`)
    return { server, objects, look, retry, job }
  }

  test('is kept, and imported when an administrator retries the job', async () => {
    const clock = { now: '2026-05-01T10:00:00.000Z' }
    const { server, objects, look, retry, job } = await failing(clock)
    expect(job).toMatchObject({ attempts: 3, last_error: 'a bug' })
    expect(await look()).toMatchObject({ status: 'failed', errors: [{ type: 'internal' }] })
    objects.heal()
    expect((await retry()).status).toBe(201)
    await server.runJobs()
    await expect.poll(look).toMatchObject({ status: 'done', errors: [], findings: { new: 1 } })
  })

  test('is deleted after a week, and a retry then reports that', async () => {
    const clock = { now: '2026-05-01T10:00:00.000Z' }
    const { server, objects, look, retry, job } = await failing(clock)
    objects.heal()
    const days = (count: number) => new Date(Date.parse(clock.now) + count * 86_400_000).toISOString()
    clock.now = days(6)
    await expireFailedReports(server.deps)
    const files = () => server.deps.db.all(sql`select id from imports where object_key is not null`)
    expect(await files()).toHaveLength(1)
    clock.now = days(2)
    await expireFailedReports(server.deps)
    expect(await files()).toEqual([])
    expect(await server.deps.db.all(sql`select id from pending_deletions`)).toHaveLength(1)
    await retry()
    await expect
      .poll(async () => (await server.admin.get(`/admin/jobs/${job.id}`)).body.last_error)
      .toBe('its report is no longer stored; it has to be sent again')
    expect(await look()).toMatchObject({ status: 'failed' })
  })
})
