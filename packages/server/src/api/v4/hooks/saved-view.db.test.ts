import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { startReceiver } from '../../../testing/stand-ins/receiver.ts'

const start = () => startServer({ settings: { webhooksReachPrivate: true } })

async function saveView(client: Client, place: string, filter: object): Promise<number> {
  const reply = await client.post(`${place}/vulnerability_views`, { name: 'Watched', filter, shared: true })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.id
}

/** Creates a shared view and a webhook that it filters. Returns a function that reads the new events. */
async function watch(server: TestServer, place: string, filter: object) {
  const receiver = await startReceiver()
  const viewId = await saveView(server.admin, place, filter)
  const hook = await server.admin.post(`${place}/hooks`, {
    ...{ url: receiver.url, vulnerability_events: true, member_events: false, saved_view_id: viewId },
  })
  expect(hook, hook.text).toMatchObject({ status: 201, body: { saved_view_id: viewId } })
  const received = async () => {
    await server.runJobs()
    return receiver.received.splice(0).map(({ body }) => body.object_attributes)
  }
  return {
    viewId,
    hookPath: `${place}/hooks/${hook.body.id}`,
    viewPath: `${place}/vulnerability_views/${viewId}`,
    received,
  }
}

const pathOf = ({ id }: { id: number }) => `/projects/${id}`

describe('a webhook with a saved view receives', () => {
  test.runIf(onSqlite)('the transitions after which a vulnerability is in the view, and no others', async () => {
    const server = await start()
    const project = await server.project('acme/site')
    const { id } = await server.vulnerability(project, { severity: 'High' })
    const filter = { severity: 'critical,high', state: 'detected,confirmed' }
    const { received } = await watch(server, pathOf(project), filter)
    const one = `/vulnerabilities/${id}`
    const after = async (step: () => Promise<{ status: number; text: string }>) => {
      const reply = await step()
      expect(reply.status, reply.text).toBeLessThan(300)
      return (await received()).map(({ state, severity }) => `${state} ${severity}`)
    }
    const bulk = (body: object) =>
      server.admin.post(`${pathOf(project)}/vulnerabilities/bulk`, { vulnerability_ids: [id], ...body })
    expect(await after(() => server.admin.post(`${one}/confirm`))).toEqual(['confirmed high'])
    expect(await after(() => server.admin.post(`${one}/dismiss`))).toEqual([])
    expect(await after(() => server.admin.post(`${one}/revert`))).toEqual(['detected high'])
    expect(await after(() => server.admin.post(`${one}/resolve`))).toEqual([])
    expect(await after(() => bulk({ action: 'confirm' }))).toEqual(['confirmed high'])
    expect(await after(() => bulk({ action: 'resolve' }))).toEqual([])
    expect(await after(() => bulk({ action: 'revert' }))).toEqual(['detected high'])
    expect(await after(() => server.admin.put(`${one}/severity`, { severity: 'low' }))).toEqual([])
    expect(await after(() => server.admin.post(`${one}/confirm`))).toEqual([])
    // An override of the severity is no event, but the next transition is one of a vulnerability in the view.
    expect(await after(() => server.admin.put(`${one}/severity`, { severity: 'critical' }))).toEqual([])
    const links = `${one}/issue_links`
    expect(await after(() => server.admin.post(links, { url: 'https://tracker.example/1', title: 'One' }))).toEqual([
      'confirmed critical',
    ])
  })

  test('new vulnerabilities of a report, and those that an import resolves, by facets, branch and identifier', async () => {
    const server = await start()
    const project = await server.project('acme/site')
    const onMain = await watch(server, pathOf(project), { identifier: 'CWE-79', state: 'detected', ref: 'main' })
    const resolved = await watch(server, pathOf(project), { has_resolution: true })
    await server.admin.put(pathOf(project), { auto_resolve_vulnerabilities: true })
    const cwe = (name: string) => ({ type: 'cwe', name, value: name.slice(4) })
    const [first, second] = [
      entry({ name: 'Scripting', rule: 'xss', others: [cwe('CWE-79')] }),
      entry({ name: 'Injection', rule: 'sql', others: [cwe('CWE-89')] }),
    ]
    await server.report(project, [first, second])
    expect((await onMain.received()).map(({ title }) => title)).toEqual(['Scripting'])
    expect(await resolved.received()).toEqual([])
    await server.report(project, [second])
    expect(await onMain.received()).toEqual([])
    expect((await resolved.received()).map(({ title, state }) => [title, state])).toEqual([['Scripting', 'resolved']])
    await server.report(project, [first, second])
    expect((await onMain.received()).map(({ title, state }) => [title, state])).toEqual([['Scripting', 'detected']])
    expect(await resolved.received()).toEqual([])
  })

  test.runIf(onSqlite)('assignments, by the assignee', async () => {
    const server = await start()
    const project = await server.project('acme/site')
    const { id } = await server.vulnerability(project)
    const ada = await server.as('maintainer', project)
    const { received } = await watch(server, pathOf(project), { assignee_id: String(ada.user?.id) })
    const assignees = async ({ status, text }: { status: number; text: string }) => {
      expect(status, text).toBeLessThan(300)
      return (await received()).map(({ assignee }) => assignee.id)
    }
    const path = `/vulnerabilities/${id}/assignee`
    expect(await assignees(await server.admin.put(path, { assignee_id: ada.user?.id }))).toEqual([ada.user?.id])
    expect(await assignees(await server.admin.delete(path))).toEqual([])
  })

  test('transitions by the state on the ref of the view, where dismissals on a ref count', async () => {
    const server = await start()
    const project = await server.project('acme/site')
    const { id } = await server.vulnerability(project)
    const ada = await server.as('maintainer', project)
    const open = await watch(server, pathOf(project), { ref: 'main', state: 'detected,confirmed' })
    const dismissed = await watch(server, pathOf(project), { ref: 'main', state: 'dismissed' })
    const received = async () => [(await open.received()).length, (await dismissed.received()).length]
    await server.admin.put(`/vulnerabilities/${id}/assignee`, { assignee_id: ada.user?.id })
    expect(await received()).toEqual([1, 0])
    const reply = await server.admin.post(`/vulnerabilities/${id}/dismiss`, { scope: 'ref', ref: 'main' })
    expect(reply.status, reply.text).toBe(201)
    await received()
    await server.admin.delete(`/vulnerabilities/${id}/assignee`)
    expect(await received()).toEqual([0, 1])
    await server.admin.post(`/vulnerabilities/${id}/confirm`)
    expect(await received()).toEqual([0, 1])
  })

  test('events of the projects that the view of a group or of the instance selects', async () => {
    const server = await start()
    const [site, app, other] = [
      await server.project('acme/site'),
      await server.project('acme/app'),
      await server.project('other/app'),
    ]
    await server.admin.put(pathOf(app), { topics: ['web'] })
    await server.admin.put(pathOf(other), { topics: ['web'] })
    const { body: group } = await server.admin.get('/groups/acme')
    const places = [
      [await watch(server, `/groups/${group.id}`, { project_id: [site.id] }), [site]],
      [await watch(server, '', { group_id: group.id, topic: 'web' }), [app]],
      [await watch(server, '', { topic: ['web'] }), [app, other]],
      [await watch(server, '', { topic: ['unknown'] }), []],
    ] as const
    for (const project of [site, app, other]) await server.report(project, [entry({ name: 'Flaw' })])
    for (const [{ received }, expected] of places) {
      const ids = (await received()).map(({ project_id }) => project_id)
      expect(ids).toEqual(expected.map(({ id }) => id))
    }
  })

  test.runIf(onSqlite)('what a changed view selects, and nothing when the view has no conditions', async () => {
    const server = await start()
    const project = await server.project('acme/site')
    const { id } = await server.vulnerability(project, { severity: 'Low' })
    const { received, viewId, viewPath } = await watch(server, pathOf(project), { severity: 'critical' })
    const confirmAndRevert = async () => {
      await server.admin.post(`/vulnerabilities/${id}/confirm`)
      await server.admin.post(`/vulnerabilities/${id}/revert`)
      return (await received()).length
    }
    expect(await confirmAndRevert()).toBe(0)
    expect((await server.admin.put(viewPath, { filter: { severity: 'low' } })).status).toBe(200)
    expect(await confirmAndRevert()).toBe(2)
    await server.deps.db.run(sql`update saved_views set conditions = null where id = ${viewId}`)
    expect(await confirmAndRevert()).toBe(0)
  })
})

describe('the saved view of a webhook', () => {
  const world = async () => {
    const server = await start()
    const project = await server.project('acme/site')
    return { server, project, ...(await watch(server, pathOf(project), { severity: 'critical' })) }
  }

  test.runIf(onSqlite)('cannot be deleted, made private or made personal while it filters a webhook', async () => {
    const { server, hookPath, viewPath } = await world()
    for (const reply of [
      await server.admin.delete(viewPath),
      await server.admin.put(viewPath, { shared: false }),
      await server.admin.put(viewPath, { filter: { assignee_id: 'me' } }),
    ]) {
      expect(reply.status, reply.text).toBe(409)
      expect(reply.text).toContain(`This view filters the webhook ${hookPath.split('/').at(-1)}.`)
    }
    expect((await server.admin.put(viewPath, { name: 'Other' })).status).toBe(200)
    expect((await server.admin.put(hookPath, { saved_view_id: null })).body.saved_view_id).toBeNull()
    expect((await server.admin.delete(viewPath)).status).toBe(204)
  })

  test.runIf(onSqlite)('is a shared view of the same place that does not depend on its reader', async () => {
    const { server, project, hookPath } = await world()
    const other = await server.project('acme/other')
    const views = `${pathOf(project)}/vulnerability_views`
    const { body: own } = await server.admin.post(views, { name: 'Own' })
    const personal = await saveView(server.admin, pathOf(project), { assignee_id: 'me' })
    const elsewhere = await saveView(server.admin, pathOf(other), {})
    for (const [id, message] of [
      [own.id, 'is not a shared view of this list'],
      [elsewhere, 'is not a shared view of this list'],
      [999_999, 'is not a shared view of this list'],
      [personal, 'must not filter by `me`'],
    ]) {
      const reply = await server.admin.put(hookPath, { saved_view_id: id })
      expect([reply.status, reply.body.message], reply.text).toEqual([400, { saved_view_id: [message] }])
    }
  })

  test('gets its conditions when a webhook uses it, if it was saved without them', async () => {
    const { server, project, hookPath } = await world()
    const old = await saveView(server.admin, pathOf(project), { severity: 'low' })
    await server.deps.db.run(sql`update saved_views set conditions = null where id = ${old}`)
    expect((await server.admin.put(hookPath, { saved_view_id: old })).status).toBe(200)
    const row = await server.deps.db.one<{ conditions: object }>(
      sql`select conditions from saved_views where id = ${old}`,
    )
    expect(row?.conditions).toMatchObject({ filter: { severities: ['low'] } })
  })

  test('is deleted with its project or group together with the webhook', async () => {
    const { server, project } = await world()
    const { body: group } = await server.admin.post('/groups', { name: 'Gone', path: 'gone' })
    await watch(server, `/groups/${group.id}`, {})
    const removed: TestProject = project
    expect((await server.admin.delete(pathOf(removed))).status).toBe(202)
    expect((await server.admin.delete(`/groups/${group.id}`)).status).toBe(202)
    await server.runJobs()
    for (const table of [sql`saved_views`, sql`hooks`]) {
      expect(await server.deps.db.all(sql`select id from ${table}`)).toEqual([])
    }
  })

  test.runIf(onSqlite)('outlives its author, with the ghost user in their place; private views do not', async () => {
    const server = await start()
    const project = await server.project('acme/site')
    const author = await server.as('maintainer', project)
    const views = `${pathOf(project)}/vulnerability_views`
    const viewId = await saveView(author, pathOf(project), { severity: 'critical' })
    await author.post(views, { name: 'Own' })
    await server.admin.post(`${pathOf(project)}/hooks`, { url: 'https://receiver.example', saved_view_id: viewId })
    expect((await server.admin.delete(`/users/${author.user?.id}?hard_delete=true`)).status).toBe(204)
    await server.runJobs()
    expect((await server.admin.get(views)).body).toMatchObject([{ id: viewId, author: { username: 'ghost' } }])
    expect(await server.deps.db.all(sql`select id from saved_views`)).toEqual([{ id: viewId }])
  })
})
