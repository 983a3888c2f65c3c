import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { jobKinds, startJobs } from '../../jobs.ts'
import { onSqlite } from '../../testing/databases/database.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer, type TestOptions, type TestServer } from '../../testing/server.ts'
import { type Receiver, startReceiver } from '../../testing/stand-ins/receiver.ts'
import { transaction } from '../deps.ts'
import { runDueJobs } from '../jobs/run-jobs.ts'
import { recordVulnerabilityChanges } from '../vulnerabilities/triage/history/vulnerability-events.ts'
import { deliveryJob, removeOldEvents } from './deliver.ts'

const start = '2026-05-01T10:00:00.000Z'
const later = (seconds: number) => new Date(Date.parse(start) + seconds * 1000).toISOString()

async function world(options: TestOptions & { hook?: object } = {}) {
  const clock = { now: start }
  const { hook = {}, settings, ...rest } = options
  const server = await startServer({ clock, settings: { webhooksReachPrivate: true, ...settings }, ...rest })
  const project = await server.project('acme/site')
  const receiver = await startReceiver()
  const addHook = async (of: Receiver) => {
    const added = await server.admin.post(`/projects/${project.id}/hooks`, {
      url: of.url,
      vulnerability_events: true,
      ...hook,
    })
    expect(added.status).toBe(201)
    return added.body.id as number
  }
  const hookId = await addHook(receiver)
  const path = `/projects/${project.id}/hooks/${hookId}`
  return {
    ...{ clock, server, project, receiver, hookId, addHook },
    hook: async () => (await server.admin.get(path)).body,
    log: async () => (await server.admin.get(`${path}/events`)).body,
    path,
  }
}

const flaws = (...names: string[]) => names.map((name, line) => entry({ name, line: line + 1, rule: name }))
const titles = (receiver: Receiver) => receiver.received.map(({ body }) => body.object_attributes.title)
const fail = (status: number) => (response: Parameters<Receiver['answer']>[0]) =>
  void response.writeHead(status).end('no')

/** Advances the clock and runs each job when it is due. */
async function passTime({ clock, server }: { clock: { now: string }; server: TestServer }, hours: number) {
  const end = Date.parse(clock.now) + hours * 60 * 60_000
  for (let now = Date.parse(clock.now); now <= end; ) {
    clock.now = new Date(now).toISOString()
    await server.runJobs()
    const next = await server.deps.db.one<{ at: string }>(
      sql`select run_at as at from jobs where state = 'waiting' order by run_at limit 1`,
    )
    now = Math.max(next ? Date.parse(next.at) : end, now + 60_000)
  }
  clock.now = new Date(end).toISOString()
}

describe('a webhook', () => {
  test.runIf(onSqlite)('receives a new vulnerability with GitLab’s headers and body', async () => {
    const { server, project, receiver, hookId } = await world({
      hook: { token: 'our secret' },
      settings: { externalUrl: 'https://alcove.test' },
    })
    await server.report(project, flaws('injection'))
    expect(receiver.received).toEqual([])
    await server.runJobs()
    const [vulnerability] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
    expect(receiver.received).toHaveLength(1)
    const [received] = receiver.received
    if (!received) throw new Error('nothing was received')
    const { headers, body, path } = received
    expect(path).toBe('/hook')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Alcove\/\d/),
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-gitlab-event': 'Vulnerability Hook',
      'x-gitlab-event-uuid': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-gitlab-webhook-uuid': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-gitlab-instance': 'https://alcove.test',
      'x-gitlab-token': 'our secret',
    })
    expect(body).toEqual({
      object_kind: 'vulnerability',
      object_attributes: {
        url: `https://alcove.test/acme/site/-/security/vulnerabilities/${vulnerability.id}`,
        title: 'injection',
        state: 'detected',
        project_id: project.id,
        location: { file: 'src/app.ts', start_line: 1, end_line: 1 },
        cvss: [],
        severity: 'medium',
        severity_overridden: false,
        identifiers: [{ name: 'Rule injection', external_id: 'injection', external_type: 'test_rule', url: null }],
        issues: [],
        report_type: 'sast',
        confirmed_at: null,
        confirmed_by_id: null,
        dismissed_at: null,
        dismissed_by_id: null,
        dismissal_request_id: null,
        resolved_at: null,
        resolved_by_id: null,
        auto_resolved: false,
        assignee: null,
        resolved_on_default_branch: false,
        created_at: vulnerability.created_at,
        updated_at: vulnerability.updated_at,
        tags: [],
        dismissed_on: [],
      },
    })
    expect(Object.keys(body.object_attributes)).toEqual([
      ...['url', 'title', 'state', 'project_id', 'location', 'cvss', 'severity', 'severity_overridden', 'identifiers'],
      ...['issues', 'report_type', 'confirmed_at', 'confirmed_by_id', 'dismissed_at', 'dismissed_by_id'],
      ...['dismissal_request_id', 'resolved_at', 'resolved_by_id', 'auto_resolved', 'assignee'],
      ...['resolved_on_default_branch', 'created_at', 'updated_at', 'tags', 'dismissed_on'],
    ])
    expect((await server.admin.get(`/projects/${project.id}/hooks/${hookId}`)).text).not.toContain('our secret')
  })

  test('receives a promotion, and nothing of a rolled back one', async () => {
    const { server, project, receiver } = await world()
    const imported = await server.report(project, flaws('one', 'two'), { promote: 'false' })
    expect(imported.findings.promoted).toBe(0)
    const findings = (await server.admin.get(`/projects/${project.id}/vulnerability_findings`)).body
    const promoted = await server.admin.post(`/projects/${project.id}/vulnerabilities`, { finding_id: findings[0].id })
    const rolledBack = transaction(server.deps, async (deps) => {
      await recordVulnerabilityChanges(deps, project.id, [promoted.body.id])
      throw new Error('no')
    })
    await expect(rolledBack).rejects.toThrow('no')
    await server.runJobs()
    expect(titles(receiver)).toEqual([promoted.body.title])
  })

  test.runIf(onSqlite)('receives every state change and issue link', async () => {
    const { server, project, receiver } = await world()
    await server.report(project, flaws('x'))
    const [{ id }] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
    await server.admin.post(`/vulnerabilities/${id}/confirm`)
    expect((await server.admin.post(`/vulnerabilities/${id}/confirm`)).status).toBe(304)
    await server.admin.post(`/vulnerabilities/${id}/dismiss`)
    await server.admin.post(`/vulnerabilities/${id}/issue_links`, { url: 'https://tracker.test/7' })
    await server.runJobs()
    const states = receiver.received.map(({ body: { object_attributes: sent } }) => [sent.state, sent.issues.length])
    expect(states).toEqual([
      ['detected', 0],
      ['confirmed', 0],
      ['dismissed', 0],
      ['dismissed', 1],
    ])
  })

  test.runIf(onSqlite)(
    'receives nothing without vulnerability_events, of other projects, or after its deletion',
    async () => {
      const { server, project, receiver, path } = await world({ hook: { vulnerability_events: false } })
      await server.report(project, flaws('unheard'))
      expect(await server.runJobs()).toBe(0)
      await server.admin.put(path, { vulnerability_events: true })
      const other = await server.project('acme/other')
      await server.report(other, flaws('elsewhere'))
      expect(await server.runJobs()).toBe(0)
      await server.report(project, flaws('unheard', 'heard', 'not any more'))
      expect((await server.admin.delete(path)).status).toBe(204)
      await server.runJobs()
      expect(receiver.received).toEqual([])
    },
  )

  test('receives all events in order, each once', async () => {
    const { server, project, receiver } = await world()
    const names = Array.from({ length: 30 }, (_, index) => `flaw ${index}`)
    await server.report(project, flaws(...names))
    await server.runJobs()
    await server.runJobs()
    expect(titles(receiver)).toEqual(names)
    const keys = receiver.received.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(30)
  })

  test.runIf(onSqlite)('receives the state at the time of the event, not of the delivery', async () => {
    const { server, project, receiver } = await world()
    await server.report(project, [entry({ name: 'old name', severity: 'Low' })])
    await server.report(project, [entry({ name: 'new name', severity: 'Critical' })])
    await server.runJobs()
    expect(receiver.received[0]?.body.object_attributes).toMatchObject({ title: 'old name', severity: 'low' })
  })

  test.runIf(onSqlite)('next to another one gets the same event id with its own idempotency key', async () => {
    const { server, project, receiver, addHook } = await world()
    const second = await startReceiver()
    await addHook(second)
    await server.report(project, flaws('x'))
    await server.runJobs()
    const [one, two] = [receiver, second].map(({ received }) => received[0]?.headers ?? {})
    expect(one?.['x-gitlab-event-uuid']).toBe(two?.['x-gitlab-event-uuid'])
    expect(one?.['idempotency-key']).not.toBe(two?.['idempotency-key'])
  })
})

describe('a failing receiver', () => {
  test.for([
    ['returns 500', fail(500)],
    ['closes the connection', (response) => void response.destroy()],
    ['redirects', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ] as [string, Receiver['answer']][])(
    'that %s is retried with increasing delays, and then receives all events in order',
    async ([, trouble]) => {
      const all = await world()
      const { clock, server, project, receiver, hook, log } = all
      receiver.answer = trouble
      await server.report(project, flaws('first', 'second'))
      await server.runJobs()
      await server.runJobs()
      expect(titles(receiver)).toEqual(['first'])
      expect(await hook()).toMatchObject({ alert_status: 'executable', disabled_until: null })

      clock.now = later(11)
      await server.runJobs()
      expect(titles(receiver)).toEqual(['first', 'first'])
      clock.now = later(12)
      await server.runJobs()
      expect(receiver.received).toHaveLength(2)
      clock.now = later(60)
      await server.runJobs()
      clock.now = later(300)
      await server.runJobs()
      expect(await hook()).toMatchObject({ alert_status: 'temporarily_disabled', disabled_until: expect.any(String) })

      receiver.answer = (response) => response.end()
      clock.now = later(3600)
      await server.runJobs()
      expect(titles(receiver)).toEqual(['first', 'first', 'first', 'first', 'first', 'second'])
      expect(await hook()).toMatchObject({ alert_status: 'executable', disabled_until: null })
      const keys = receiver.received.map(({ headers }) => headers['idempotency-key'])
      expect(new Set(keys.slice(0, 5)).size).toBe(1)
      expect(await log()).toHaveLength(6)
    },
  )

  test.runIf(onSqlite)('that rejects one event delays the others for three attempts only', async () => {
    const all = await world()
    const { server, project, receiver } = all
    receiver.answer = (response, { body }) => fail(body.object_attributes.title === 'unwanted' ? 422 : 200)(response)
    await server.report(project, flaws('unwanted', 'wanted'))
    await passTime(all, 1)
    expect(titles(receiver)).toEqual(['unwanted', 'unwanted', 'unwanted', 'wanted'])
  })

  test.runIf(onSqlite)('is disabled after days of failures, until a test succeeds', async () => {
    const all = await world()
    const { server, project, receiver, hook, path } = all
    receiver.answer = fail(503)
    await server.report(project, flaws('a', 'b', 'c', 'd'))
    await passTime(all, 24 * 4)
    expect(receiver.received).toHaveLength(40)
    expect(await hook()).toMatchObject({ alert_status: 'disabled', disabled_until: null })
    await server.report(project, flaws('a', 'b', 'c', 'd', 'while disabled'))
    await server.runJobs()
    expect(receiver.received).toHaveLength(40)

    expect(await server.admin.post(`${path}/test/vulnerability_events`)).toMatchObject({ status: 422 })
    receiver.answer = (response) => response.end()
    expect(await server.admin.post(`${path}/test/vulnerability_events`)).toMatchObject({ status: 201 })
    expect(await hook()).toMatchObject({ alert_status: 'executable' })
    receiver.received.length = 0
    await server.runJobs()
    // Events that had not been given up.
    expect(titles(receiver)).toEqual(['c', 'd'])
  })

  test.runIf(onSqlite)('does not delay other webhooks', async () => {
    const { server, project, receiver, addHook, hook, log } = await world()
    const quick = await startReceiver()
    await addHook(quick)
    receiver.answer = () => {} // hangs
    const jobs = startJobs({ ...server.deps, now: () => new Date().toISOString() })
    await server.report(project, flaws('a', 'b', 'c'))
    await expect.poll(() => titles(quick), { timeout: 5_000 }).toEqual(['a', 'b', 'c'])
    expect(receiver.received).toHaveLength(1)
    const stopping = performance.now()
    await jobs.stop()
    expect(performance.now() - stopping).toBeLessThan(2_000)
    expect((await hook()).alert_status).toBe('executable')
    expect(await log()).toEqual([])
  })

  test('can receive an event twice when a process is killed, but never misses it', async () => {
    const { clock, server, project, receiver } = await world()
    await server.report(project, flaws('x'))
    // Simulates a process that is killed after sending an event and before recording it.
    const dying = {
      ...server.deps,
      // Never resolves.
      db: { ...server.deps.db, transaction: () => Promise.reject(new Error('killed')) },
    }
    const job = {
      id: 0,
      attempt: 1,
      lane: 'webhook',
      signal: new AbortController().signal,
      progress: async () => {},
      forget: async () => {},
    }
    const [{ id: hookId } = { id: 0 }] = (await server.admin.get(`/projects/${project.id}/hooks`)).body
    // The payload type of a kind is erased; this is a delivery's.
    await expect(deliveryJob.run(dying, { ...job, payload: { hook_id: hookId } })).rejects.toThrow('killed')
    expect(receiver.received).toHaveLength(1)
    clock.now = later(100)
    await server.runJobs()
    expect(receiver.received).toHaveLength(2)
    const [first, second] = receiver.received.map(({ headers }) => headers['idempotency-key'])
    expect(first).toBe(second)
  })
})

describe('the delivery log', () => {
  test('lists every attempt, newest first, without the secret token', async () => {
    const { clock, server, project, receiver, log, path } = await world({ hook: { token: 'our secret' } })
    receiver.answer = (response) => response.writeHead(500, { 'X-Trouble': 'yes' }).end('try later')
    await server.report(project, flaws('x'))
    await server.runJobs()
    receiver.answer = (response) => response.destroy()
    clock.now = later(60)
    await server.runJobs()
    const attempts = await log()
    expect(JSON.stringify(attempts)).not.toContain('our secret')
    expect(attempts).toMatchObject([
      { response_status: 'internal error', response_body: '', error: expect.stringContaining('ECONNRESET') },
      {
        url: receiver.url,
        trigger: 'vulnerability_hooks',
        request_headers: { 'X-Gitlab-Event': 'Vulnerability Hook', 'X-Gitlab-Token': '[REDACTED]' },
        request_data: { object_kind: 'vulnerability', object_attributes: { title: 'x' } },
        response_headers: { 'x-trouble': 'yes' },
        response_body: 'try later',
        response_status: '500',
        created_at: start,
        error: null,
      },
    ])
    expect(attempts[1].execution_duration).toBeLessThan(10)
    const count = async (status: string) => (await server.admin.get(`${path}/events?status=${status}`)).body.length
    expect(await Promise.all(['500', 'server_failure', 'successful', '200,500', 'client_failure'].map(count))).toEqual([
      1, 1, 0, 1, 0,
    ])
    expect(await server.admin.get(`${path}/events?status=bad`)).toMatchObject({
      status: 400,
      body: { error: 'status does not have a valid value' },
    })
  })

  test.runIf(onSqlite)('is kept for a week', async () => {
    const { clock, server, project, log } = await world()
    await server.report(project, flaws('x'))
    await server.runJobs()
    clock.now = later(6.9 * 24 * 3600)
    await removeOldEvents(server.deps)
    expect(await log()).toHaveLength(1)
    clock.now = later(7 * 24 * 3600)
    await removeOldEvents(server.deps)
    expect(await log()).toEqual([])
  })

  test.runIf(onSqlite)('can resend an event', async () => {
    const { server, project, receiver, log, path } = await world()
    receiver.answer = fail(500)
    await server.report(project, flaws('x'))
    await server.runJobs()
    const [{ id }] = await log()
    expect(await server.admin.post(`${path}/events/${id}/resend`)).toMatchObject({
      status: 201,
      body: { response_status: 500 },
    })
    receiver.answer = fail(200)
    expect((await server.admin.post(`${path}/events/${id}/resend`)).body).toEqual({ response_status: 200 })
    expect(await log()).toHaveLength(3)
    const keys = receiver.received.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(1)
    expect(receiver.received[2]?.body).toEqual(receiver.received[0]?.body)
    receiver.answer = (response) => response.destroy()
    expect(await server.admin.post(`${path}/events/${id}/resend`)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('ECONNRESET') },
    })
    expect(await server.admin.post(`${path}/events/999999/resend`)).toMatchObject({ status: 404 })
    await server.admin.put(path, { url: `${receiver.url}/moved` })
    expect(await server.admin.post(`${path}/events/${id}/resend`)).toMatchObject({
      status: 422,
      body: { message: 'The hook URL has changed. This log entry cannot be retried.' },
    })
  })
})

describe.runIf(onSqlite)('without the setting for private networks', () => {
  test('webhooks cannot reach this machine or a private network by any name', async () => {
    const resolve = async (name: string) => [name === 'inside.test' ? '10.0.0.7' : '127.0.0.1']
    const { clock, server, project, receiver, path, log } = await world({ resolve })
    const strict = { ...server.deps, settings: { ...server.deps.settings, webhooksReachPrivate: false } }
    await server.report(project, flaws('x'))
    for (const [index, host] of ['127.0.0.1', 'rebound.test', 'inside.test', '[::ffff:127.0.0.1]'].entries()) {
      clock.now = later(index * 3600)
      await server.admin.put(path, { url: `http://${host}:${receiver.port}/hook` })
      await runDueJobs(strict, jobKinds)
      const [attempt] = await log()
      expect(attempt).toMatchObject({ response_status: 'internal error' })
      expect(attempt.error).toContain('which is not allowed')
    }
    expect(await log()).toHaveLength(4)
    expect(receiver.received).toEqual([])
  })
})
