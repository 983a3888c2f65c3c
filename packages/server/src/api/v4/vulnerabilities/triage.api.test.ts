import { beforeAll, describe, expect, test } from 'vitest'
import type { Client, Reply } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const freshProject = () => server.project(`acme/life-${++projects}`)

const vulnerabilityOf = async (project: TestProject): Promise<number> =>
  (await server.vulnerability(project, { name: 'SQL injection', severity: 'High' })).id

const actions = { confirm: 'confirmed', resolve: 'resolved', dismiss: 'dismissed', revert: 'detected' } as const

/** Returns the stored counts after comparing them with the rows. */
async function total(project: TestProject): Promise<string | undefined> {
  return (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).headers['x-total']
}

const history = async (id: number, client: Client = server.admin): Promise<Reply['body'][]> =>
  (await client.get(`/vulnerabilities/${id}/history?per_page=100`)).body

describe('a vulnerability', () => {
  test('can be read by id, with the fields of the list', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    const { body: listed } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    const developer = await server.as('developer', project)
    expect(await developer.get(`/vulnerabilities/${id}`)).toMatchObject({ status: 200, body: listed[0] })
  })

  test('can be dismissed with `reason`, an alias of `dismissal_reason`', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    const both = { reason: 'false_positive', dismissal_reason: 'used_in_tests' }
    expect(await server.admin.post(`/vulnerabilities/${id}/dismiss`, both)).toMatchObject({
      status: 400,
      body: { error: 'dismissal_reason, reason have different values' },
    })
    expect(await server.admin.post(`/vulnerabilities/${id}/dismiss`, { reason: 'lazy' })).toMatchObject({
      status: 400,
      body: { error: 'reason does not have a valid value' },
    })
    expect((await server.admin.get(`/vulnerabilities/${id}`)).body.state).toBe('detected')
    expect(await server.admin.post(`/vulnerabilities/${id}/dismiss`, { reason: 'false_positive' })).toMatchObject({
      status: 201,
      body: { state: 'dismissed', dismissal_reason: 'false_positive' },
    })
    const bulk = { action: 'dismiss', vulnerability_ids: [id] }
    const path = `/projects/${project.id}/vulnerabilities/bulk`
    expect((await server.admin.post(path, { ...bulk, ...both })).status).toBe(400)
    expect((await server.admin.post(path, { ...bulk, reason: 'mitigating_control' })).body.changed).toBe(1)
    expect((await server.admin.get(`/vulnerabilities/${id}`)).body.dismissal_reason).toBe('mitigating_control')
  })

  test('can change from every state to every other with date and user, and returns 304 for its own state', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    const maintainer = await server.as('maintainer', project)
    for (const first of Object.keys(actions) as (keyof typeof actions)[]) {
      for (const second of Object.keys(actions) as (keyof typeof actions)[]) {
        await maintainer.post(`/vulnerabilities/${id}/${first}`)
        const reply = await maintainer.post(`/vulnerabilities/${id}/${second}`)
        if (first === second) {
          expect(reply).toMatchObject({ status: 304, text: '' })
          expect([reply.headers['content-type'], reply.headers['content-length']]).toEqual([undefined, undefined])
          continue
        }
        expect(reply).toMatchObject({ status: 201, body: { id, state: actions[second] } })
        if (second === 'revert') {
          expect(reply.body).toMatchObject({
            ...{ confirmed_at: null, confirmed_by_id: null, resolved_at: null, resolved_by_id: null },
            ...{ dismissed_at: null, dismissed_by_id: null },
          })
        } else {
          expect(reply.body[`${actions[second]}_by_id`]).toBe(maintainer.user?.id)
          expect(reply.body[`${actions[second]}_at`]).toBe(reply.body.updated_at)
        }
        expect(await maintainer.get(`/vulnerabilities/${id}`)).toMatchObject({ body: reply.body })
      }
    }
    expect(await total(project)).toBe('1')
  })

  test('keeps the dates of its previous states until it is reverted', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    const { body: confirmed } = await server.admin.post(`/vulnerabilities/${id}/confirm`)
    const { body: resolved } = await server.admin.post(`/vulnerabilities/${id}/resolve`)
    expect(resolved).toMatchObject({ confirmed_at: confirmed.confirmed_at, confirmed_by_id: 1, dismissed_at: null })
  })

  test('can be dismissed with one of five reasons or without one', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    const dismiss = (fields: object = {}) => server.admin.post(`/vulnerabilities/${id}/dismiss`, fields)
    expect(await dismiss({ dismissal_reason: 'lazy' })).toMatchObject({
      status: 400,
      body: { error: 'dismissal_reason does not have a valid value' },
    })
    expect(await dismiss({ dismissal_reason: 'used_in_tests', comment: 'a fixture' })).toMatchObject({
      status: 201,
      body: { state: 'dismissed', dismissal_reason: 'used_in_tests' },
    })
    expect((await dismiss()).status).toBe(304)
    expect((await dismiss({ dismissal_reason: 'used_in_tests' })).status).toBe(304)
    expect(await dismiss({ dismissal_reason: 'false_positive' })).toMatchObject({
      status: 201,
      body: { dismissal_reason: 'false_positive' },
    })
    expect(await dismiss({ comment: 'looked again' })).toMatchObject({
      status: 201,
      body: { dismissal_reason: 'false_positive' },
    })
    expect(await server.admin.post(`/vulnerabilities/${id}/confirm`)).toMatchObject({
      body: { dismissal_reason: null },
    })
    expect(await history(id)).toMatchObject([
      { kind: 'created' },
      {
        kind: 'state',
        from: 'detected',
        to: 'dismissed',
        dismissal_reason: 'used_in_tests',
        comment: 'a fixture',
        text: 'changed vulnerability status from Detected to Dismissed: Used in tests with the following comment: "a fixture"',
      },
      { from: 'dismissed', to: 'dismissed', dismissal_reason: 'false_positive', comment: null },
      { from: 'dismissed', to: 'dismissed', dismissal_reason: 'false_positive', comment: 'looked again' },
      { from: 'dismissed', to: 'confirmed', dismissal_reason: null },
    ])
  })

  test('accepts a comment of 50,000 characters, and returns 304 before it checks the comment', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    const confirm = (comment: string) => server.admin.post(`/vulnerabilities/${id}/confirm`, { comment })
    expect(await confirm('ä'.repeat(50_001))).toMatchObject({
      status: 400,
      body: { message: { comment: ['is too long (maximum is 50000 characters)'] } },
    })
    expect((await confirm('🐞'.repeat(50_000))).status).toBe(201)
    expect((await confirm('ä'.repeat(50_001))).status).toBe(304)
    expect((await history(id)).at(-1)).toMatchObject({ comment: '🐞'.repeat(50_000) })
  })
})

describe('permissions for triage', () => {
  test('return 401 first, then 404, then 400 for invalid input, then 403', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    const [outsider, reporter, developer] = [
      await server.as('outsider', project),
      await server.as('reporter', project),
      await server.as('developer', project),
    ]
    const wrong = { dismissal_reason: 'lazy' }
    const notFound = { status: 404, body: { message: '404 Not found' } }
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    for (const path of ['/vulnerabilities/999999', '/vulnerabilities/x', `/vulnerabilities/${id}`]) {
      expect(await server.anonymous.post(`${path}/dismiss`, wrong)).toMatchObject({
        status: 401,
        body: { message: '401 Unauthorized' },
      })
      expect(await outsider.get(path)).toMatchObject(notFound)
      expect(await outsider.post(`${path}/dismiss`, wrong)).toMatchObject(notFound)
    }
    expect(await reporter.get(`/vulnerabilities/${id}`)).toMatchObject(forbidden)
    expect(await reporter.post(`/vulnerabilities/${id}/dismiss`, wrong)).toMatchObject(forbidden)
    expect((await developer.post(`/vulnerabilities/${id}/dismiss`, wrong)).status).toBe(400)
    expect(await developer.post(`/vulnerabilities/${id}/dismiss`)).toMatchObject(forbidden)
    // The state is unchanged, so a reader may send the request.
    expect((await developer.post(`/vulnerabilities/${id}/revert`)).status).toBe(304)
    expect(await reporter.post(`/vulnerabilities/${id}/revert`)).toMatchObject(forbidden)
    await server.admin.post(`/vulnerabilities/${id}/dismiss`)
    expect(
      (await developer.post(`/vulnerabilities/${id}/dismiss`, { dismissal_reason: 'false_positive' })).status,
    ).toBe(304)
    expect(await developer.post(`/vulnerabilities/${id}/revert`)).toMatchObject(forbidden)
    expect((await server.admin.get(`/vulnerabilities/${id}`)).body.state).toBe('dismissed')
  })

  test('reject a read-only token and name the required scope', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    const maintainer = await server.as('maintainer', project)
    const reading = await server.client(maintainer, { scopes: ['read_api'] })
    expect((await reading.get(`/vulnerabilities/${id}`)).status).toBe(200)
    expect(await reading.post(`/vulnerabilities/${id}/confirm`)).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api' },
    })
  })

  test('include developers when the operator allows it', async () => {
    const server = await startServer({ settings: { triageRole: 'developer' } })
    const project = await server.project('acme/site')
    const { id } = await server.vulnerability(project)
    const developer = await server.as('developer', project)
    expect((await developer.post(`/vulnerabilities/${id}/confirm`)).status).toBe(201)
  })
})

describe('a severity set by a user', () => {
  test('overrides reports and can be removed', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    const set = (severity: string) =>
      server.admin.put(`/vulnerabilities/${id}/severity`, { severity, comment: 'exposed' })
    expect(await set('critical')).toMatchObject({
      status: 200,
      body: { severity: 'critical', severity_overridden: true, finding: { severity: 'high' } },
    })
    expect((await set('critical')).status).toBe(304)
    await server.report(project, [entry({ name: 'SQL injection', severity: 'Low', line: 1 })])
    expect(await server.admin.get(`/vulnerabilities/${id}`)).toMatchObject({
      body: { severity: 'critical', finding: { severity: 'low' } },
    })
    expect(await server.admin.delete(`/vulnerabilities/${id}/severity`)).toMatchObject({
      status: 200,
      body: { severity: 'low', severity_overridden: false },
    })
    expect((await server.admin.delete(`/vulnerabilities/${id}/severity`)).status).toBe(304)
    await server.report(project, [entry({ name: 'SQL injection', severity: 'Medium', line: 1 })])
    expect((await server.admin.get(`/vulnerabilities/${id}`)).body.severity).toBe('medium')
    expect(await history(id)).toMatchObject([
      { kind: 'created' },
      { kind: 'severity', from: 'high', to: 'critical', comment: 'exposed', author: { id: 1 } },
      { kind: 'severity', from: 'critical', to: 'low', author: { id: 1 } },
      { kind: 'severity', from: 'low', to: 'medium', author: null, import: { ref: 'main' } },
    ])
    expect(await total(project)).toBe('1')
  })

  test('must be a valid severity', async () => {
    const project = await freshProject()
    const id = await vulnerabilityOf(project)
    for (const [severity, error] of [
      ['worst', 'severity does not have a valid value'],
      [undefined, 'severity is missing'],
    ]) {
      expect(await server.admin.put(`/vulnerabilities/${id}/severity`, { severity })).toMatchObject({
        status: 400,
        body: { error },
      })
    }
  })
})
