import { describe, expect, test } from 'vitest'
import { insertMadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import { token } from '../../../testing/stand-ins/tracker.ts'
import { startWithTracker, trackerSettings } from '../../../testing/trackers.ts'

describe('the issue tracker of a project', () => {
  test('can be set, read and removed, and its token is never returned', async () => {
    const { server, project, tracker, path, saved } = await startWithTracker('gitlab')
    expect(saved).toMatchObject({ kind: 'gitlab', url: tracker.url, project: 'acme/shop', group_id: null, labels: [] })
    const developer = await server.as('developer', project)
    const read = await developer.get(path)
    expect(read).toMatchObject({ status: 200, body: { own: { id: saved.id }, effective: { id: saved.id } } })
    expect(read.text).not.toContain(token)
    expect((await developer.put(path, trackerSettings('gitlab', tracker.url))).status).toBe(403)
    expect((await developer.post(`${path}/test`)).status).toBe(403)
    expect((await server.admin.delete(path)).status).toBe(204)
    expect((await server.admin.get(path)).body).toMatchObject({ own: null, effective: null })
    expect((await server.admin.delete(path)).status).toBe(404)
  })

  test('keeps its token on updates, but not for another place', async () => {
    const { server, tracker, path, saved } = await startWithTracker('gitlab')
    const { token: _, ...settings } = trackerSettings('gitlab', tracker.url)
    const updated = await server.admin.put(path, { ...settings, labels: 'security, bug' })
    expect(updated.body).toMatchObject({ id: saved.id, labels: ['security', 'bug'] })
    expect(await server.admin.put(path, { ...settings, project: 'acme/other' })).toMatchObject({
      status: 400,
      body: { message: { token: ['must be given for a new tracker or another project'] } },
    })
    const moved = await server.admin.put(path, { ...settings, project: 'acme/other', token })
    expect(moved.body.id).not.toBe(saved.id)
  })

  test.each([
    ['url', { url: 'ftp://x.example' }],
    ['url', { url: 'https://user:password@x.example' }],
    ['project', { project: '../admin' }],
    ['project', { project: 'acme/shop/issues', kind: 'github' }],
    ['project', { project: 'SHOP" OR project = "X', kind: 'jira' }],
    ['token', { token: 'a b' }],
    ['labels', { labels: 'two words', kind: 'jira', project: 'SHOP' }],
    ['title_template', { title_template: '{{titel}}' }],
  ])('rejects a wrong %s: %j', async (field, change) => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const path = `/projects/${project.id}/issue_tracker`
    const refused = await server.admin.put(path, { ...trackerSettings('gitlab', 'https://gitlab.example'), ...change })
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.body.message)).toEqual([field])
  })

  test('shows the issue that its templates make, and names unknown placeholders', async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const path = `/projects/${project.id}/issue_tracker`
    const { defaults } = (await server.admin.get(path)).body
    const templates = { ...defaults, title_template: '[{{severity}}] {{title}}' }
    const shown = await server.admin.post(`${path}/preview`, { kind: 'gitlab', ...templates })
    expect(shown.body.title).toBe('[high] SQL injection in the search for orders')
    expect(shown.body.description).toContain('**Location:** src/orders/search.ts:42')
    const wrong = { kind: 'gitlab', title_template: '{{titel}}' }
    expect(await server.admin.post(`${path}/preview`, wrong)).toMatchObject({
      status: 400,
      body: { message: { title_template: [expect.stringContaining('unknown placeholder titel')] } },
    })
    const developer = await server.as('developer', project)
    expect((await developer.post(`${path}/preview`, { kind: 'gitlab' })).status).toBe(403)
    expect((await server.admin.get(path)).body.own).toBeNull()
  })

  test('explains in plain language why a test fails', async () => {
    const { server, tracker, path, clock } = await startWithTracker('gitlab')
    const result = async () => {
      clock.now = new Date(Date.parse(clock.now) + 60_000).toISOString()
      return (await server.admin.post(`${path}/test`)).body
    }
    expect(await result()).toEqual({ ok: true, message: 'Connected. The token can read acme/shop.' })
    expect((await server.admin.post(`${path}/test`)).status).toBe(429)
    tracker.hasIssues = false
    expect(await result()).toEqual({ ok: false, message: 'Issues are turned off in the project acme/shop.' })
    const host = new URL(tracker.url).host
    for (const [status, message] of [
      [401, `${host} does not accept the token. It is wrong, has expired or was revoked.`],
      [403, `${host} accepts the token, but it may not read acme/shop. Check its scopes and its role.`],
      [404, `There is no project acme/shop on ${host}, or the token may not see it.`],
      [500, `${host} could not be reached: the tracker responded with 500: scripted.`],
    ] as const) {
      tracker.status = status
      expect(await result()).toEqual({ ok: false, message })
    }
  })

  test('is not contacted in a private network unless the operator allows it', async () => {
    const server = await startServer({ resolve: async () => ['10.0.0.1'] })
    const project = await server.project('acme/site')
    const path = `/projects/${project.id}/issue_tracker`
    await server.admin.put(path, trackerSettings('gitlab', 'https://gitlab.example'))
    const { body } = await server.admin.post(`${path}/test`)
    expect(body.message).toContain('private network, which is not allowed')
    const { id } = await server.vulnerability(project)
    await server.admin.post(`/vulnerabilities/${id}/issue`)
    await server.runJobs()
    expect((await server.admin.get(`/vulnerabilities/${id}/issue`)).body.issue).toMatchObject({ state: 'failed' })
  })
})

test('the issue tracker of a group serves the projects below it that have none', async () => {
  const { server, project, tracker, path } = await startWithTracker('gitlab')
  const group = `/groups/${project['namespace'].id}/issue_tracker`
  const { body: saved } = await server.admin.put(group, trackerSettings('github', tracker.url))
  expect(saved).toMatchObject({ kind: 'github', group_id: project['namespace'].id })
  expect((await server.admin.get(path)).body).toMatchObject({ effective: { kind: 'gitlab' } })
  await server.admin.delete(path)
  expect((await server.admin.get(path)).body).toMatchObject({ own: null, effective: { id: saved.id } })
  const { id } = await server.vulnerability(project)
  expect((await server.admin.get(`/vulnerabilities/${id}/issue`)).body).toEqual({
    issue: null,
    tracker: { kind: 'github', url: tracker.url, project: 'acme/shop' },
    synchronization: null,
  })
})

test('issues can be requested only by users who may triage, for vulnerabilities of the project', async () => {
  const { server, project, path } = await startWithTracker('gitlab')
  const { id } = await server.vulnerability(project)
  const reporter = await server.as('reporter', project)
  expect((await reporter.post(`/vulnerabilities/${id}/issue`)).status).toBe(403)
  const many = `/projects/${project.id}/vulnerabilities/issues`
  expect((await reporter.post(many, { vulnerability_ids: [id] })).status).toBe(403)
  expect((await server.admin.post(many, { vulnerability_ids: [id + 999] })).status).toBe(400)
  expect((await server.admin.post(many, { vulnerability_ids: [] })).status).toBe(400)
  await server.admin.delete(path)
  expect(await server.admin.post(`/vulnerabilities/${id}/issue`)).toMatchObject({
    status: 422,
    body: { message: 'The project has no issue tracker. A maintainer can add one in its settings.' },
  })
})

describe('issues of a selection', () => {
  async function startWithFlaws() {
    const started = await startWithTracker('gitlab')
    const { server, project } = started
    const ids: number[] = []
    for (const severity of ['High', 'High', 'Low']) {
      const line = ids.length + 1
      const flaw = { name: `flaw ${line}`, rule: `rule-${line}`, line, severity }
      ids.push((await server.vulnerability(project, flaw)).id)
    }
    const many = `/projects/${project.id}/vulnerabilities/issues`
    return { ...started, ids, many }
  }

  test('are created once for each vulnerability, by ids or by a filter', async () => {
    const { server, tracker, ids, many } = await startWithFlaws()
    await server.admin.post(`/vulnerabilities/${ids[0]}/issue`)
    const filter = { severity: ['high'] }
    expect(await server.admin.post(many, { filter, expected_count: 2 })).toMatchObject({
      status: 202,
      body: { requested: 1, unchanged: 1, dry_run: false, tracker: { kind: 'gitlab', project: 'acme/shop' } },
    })
    await server.runJobs()
    expect(tracker.issues).toHaveLength(2)
    expect((await server.admin.post(many, { vulnerability_ids: ids })).body).toMatchObject({
      requested: 1,
      unchanged: 2,
    })
    await server.runJobs()
    expect(tracker.issues).toHaveLength(3)
    expect((await server.admin.post(many, { vulnerability_ids: ids })).body).toMatchObject({
      requested: 0,
      unchanged: 3,
    })
  })

  test('are counted by a dry run, which creates nothing', async () => {
    const { server, tracker, ids, many } = await startWithFlaws()
    await server.admin.post(`/vulnerabilities/${ids[0]}/issue`)
    await server.runJobs()
    expect(await server.admin.post(many, { vulnerability_ids: ids, dry_run: true })).toMatchObject({
      status: 200,
      body: { requested: 2, unchanged: 1, dry_run: true },
    })
    expect(await server.runJobs()).toBe(0)
    expect(tracker.issues).toHaveLength(1)
  })

  test('are refused as a whole when the selection is another one than expected', async () => {
    const { server, tracker, ids, many } = await startWithFlaws()
    expect(await server.admin.post(many, { filter: { severity: ['high'] }, expected_count: 3 })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('expected 3 vulnerabilities, but there are 2') },
    })
    expect((await server.admin.post(many, { vulnerability_ids: ids, filter: {} })).status).toBe(400)
    expect((await server.admin.post(many, {})).status).toBe(400)
    await server.runJobs()
    expect(tracker.issues).toEqual([])
  })

  test('are at most 100', async () => {
    const { server, project } = await startWithTracker('gitlab')
    const rows = Array.from({ length: 101 }, (_, index) => ({
      ...usual,
      ...({
        id: index + 1,
        projectId: project.id,
        title: `flaw ${index}`,
        severity: index === 0 ? 'low' : 'high',
      } as const),
    }))
    await insertMadeUp(server.deps.db, rows, server.deps.now())
    const many = `/projects/${project.id}/vulnerabilities/issues`
    const refused = { status: 400, body: { error: 'the selection has more than 100 vulnerabilities' } }
    expect(await server.admin.post(many, { filter: {} })).toMatchObject(refused)
    expect(await server.admin.post(many, { vulnerability_ids: rows.map(({ id }) => id) })).toMatchObject(refused)
    expect((await server.admin.post(many, { filter: { severity: ['high'] } })).body).toMatchObject({ requested: 100 })
  })
})
