import { beforeAll, describe, expect, test } from 'vitest'
import { newestEvents } from '../../../testing/audit-events.ts'
import type { Client } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
async function freshProject(): Promise<{ project: TestProject; path: string }> {
  const project = await server.project(`views-${++projects}/site`)
  return { project, path: `/projects/${project.id}/vulnerability_views` }
}

const namesIn = async (client: Client, path: string): Promise<string[]> => {
  const reply = await client.get(path)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.map(({ name }: { name: string }) => name)
}

describe('a saved view of a project', () => {
  test('is private by default, and stores filter and order as they were sent', async () => {
    const { project, path } = await freshProject()
    const [ada, bob] = [await server.as('developer', project), await server.as('maintainer', project)]
    const filter = { severity: 'critical,high', assignee_id: ['me', 'none'] }
    const created = await ada.post(path, { name: ' Urgent ', filter, sort: 'detected_desc' })
    expect(created).toMatchObject({
      status: 201,
      body: {
        ...{ name: 'Urgent', filter, sort: 'detected_desc', shared: false, project_id: project.id, group_id: null },
        author: { id: ada.user?.id },
      },
    })
    const one = `${path}/${created.body.id}`
    expect((await ada.get(one)).body).toEqual(created.body)
    expect(await namesIn(ada, path)).toEqual(['Urgent'])
    expect(await namesIn(bob, path)).toEqual([])
    for (const reply of [await bob.get(one), await bob.put(one, { name: 'x' }), await bob.delete(one)]) {
      expect(reply.status).toBe(404)
    }
    expect((await ada.put(one, { name: 'Most urgent' })).body).toMatchObject({ name: 'Most urgent', filter })
    expect((await ada.delete(one)).status).toBe(204)
    expect(await namesIn(ada, path)).toEqual([])
  })

  test('is shared by maintainers with everyone who may read the list, with audit events', async () => {
    const { project, path } = await freshProject()
    const [developer, maintainer] = [await server.as('developer', project), await server.as('maintainer', project)]
    expect((await developer.post(path, { name: 'Mine', shared: true })).status).toBe(403)
    const { body } = await maintainer.post(path, { name: 'Ours', filter: { state: 'confirmed' }, shared: true })
    const [shared] = await newestEvents(server)
    expect(shared).toMatchObject({ name: 'saved_view_created', entityId: project.id, details: { target_id: body.id } })
    expect(await namesIn(developer, path)).toEqual(['Ours'])
    expect((await developer.put(`${path}/${body.id}`, { name: 'Theirs' })).status).toBe(403)
    expect((await developer.delete(`${path}/${body.id}`)).status).toBe(403)
    const other = await server.as('maintainer', project)
    expect((await other.put(`${path}/${body.id}`, { name: 'Everyone’s' })).body.name).toBe('Everyone’s')
    expect((await other.put(`${path}/${body.id}`, { shared: false })).status).toBe(403)
    const [event] = await newestEvents(server)
    expect(event).toMatchObject({ name: 'saved_view_updated', details: { from: 'Ours', to: 'Everyone’s' } })
    expect((await other.delete(`${path}/${body.id}`)).status).toBe(204)
    expect((await newestEvents(server))[0]).toMatchObject({ name: 'saved_view_destroyed' })
  })

  test('is refused with unknown filters, invalid values and blank or long names', async () => {
    const { project, path } = await freshProject()
    const ada = await server.as('developer', project)
    const refused = async (body: object) => {
      const reply = await ada.post(path, body)
      expect(reply.status, reply.text).toBe(400)
      return reply.text
    }
    expect(await refused({ name: 'x', filter: { colour: 'red' } })).toContain('filter[colour] is not a filter')
    expect(await refused({ name: 'x', filter: { severity: 'worst' } })).toContain(
      'severity does not have a valid value',
    )
    expect(await refused({ name: 'x', filter: { assignee_id: 'you' } })).toContain('assignee_id')
    expect(await refused({ name: 'x', filter: { project_id: 1 } })).toContain('filter[project_id] is not a filter')
    expect(await refused({ name: 'x', filter: { search: 'x'.repeat(4_001) } })).toContain('is too long')
    expect(await refused({ name: ' ' })).toContain('name is empty')
    expect(await refused({ name: 'x'.repeat(256) })).toContain('is too long')
    expect(await refused({ filter: {} })).toContain('name is missing')
    expect(await namesIn(ada, path)).toEqual([])
  })

  test('is hidden from those who may not read the list', async () => {
    const { project, path } = await freshProject()
    await server.admin.post(path, { name: 'Ours', shared: true })
    for (const [role, status] of [
      ['reporter', 403],
      ['outsider', 404],
    ] as const) {
      const client = await server.as(role, project)
      expect((await client.get(path)).status).toBe(status)
      expect((await client.post(path, { name: 'x' })).status).toBe(status)
    }
    const reader = await server.client(await server.as('developer', project), { scopes: ['read_api'] })
    expect(await namesIn(reader, path)).toEqual(['Ours'])
    expect((await reader.post(path, { name: 'x' })).status).toBe(403)
  })

  test('is the default of each user who chooses it, one in each list, until they choose another or none', async () => {
    const { project, path } = await freshProject()
    const [ada, bob] = [await server.as('developer', project), await server.as('developer', project)]
    const views = await Promise.all(
      ['A', 'B'].map(async (name) => (await server.admin.post(path, { name, shared: true })).body.id),
    )
    const { body: hidden } = await server.admin.post(path, { name: 'Hidden' })
    const elsewhere = await ada.post('/vulnerability_views', { name: 'Everywhere' })
    const defaultsOf = async (client: Client) =>
      (await client.get(path)).body
        .filter((view: { default: boolean }) => view.default)
        .map(({ id }: { id: number }) => id)
    const choose = async (client: Client, id: number) => (await client.post(`${path}/${id}/default`)).status
    expect((await ada.post(`/vulnerability_views/${elsewhere.body.id}/default`)).status).toBe(204)
    expect(await choose(ada, views[0])).toBe(204)
    expect(await choose(ada, views[1])).toBe(204)
    expect(await choose(ada, views[1])).toBe(204)
    expect(await choose(ada, hidden.id)).toBe(404)
    expect([await defaultsOf(ada), await defaultsOf(bob)]).toEqual([[views[1]], []])
    expect((await ada.delete(`${path}/${views[0]}/default`)).status).toBe(204)
    expect(await defaultsOf(ada)).toEqual([views[1]])
    expect((await ada.delete(`${path}/${views[1]}/default`)).status).toBe(204)
    expect(await defaultsOf(ada)).toEqual([])
    expect((await ada.get('/vulnerability_views')).body).toMatchObject([{ name: 'Everywhere', default: true }])
  })

  test('is one of at most 100 of its user', async () => {
    const { project, path } = await freshProject()
    const ada = await server.as('developer', project)
    for (let number = 1; number <= 100; number++) {
      expect((await ada.post(path, { name: `View ${number}` })).status).toBe(201)
    }
    const reply = await ada.post(path, { name: 'One more' })
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('up to 100 views')])
  })
})

test('views of groups and of the instance are separate, and shared by owners and administrators', async () => {
  const { project, path } = await freshProject()
  const owner = await server.as('owner', project)
  const groupPath = `/groups/${project['namespace'].id}/vulnerability_views`
  const filter = { project_id: [project.id] }
  expect((await owner.post(groupPath, { name: 'Group', shared: true })).status).toBe(403)
  expect((await owner.post(groupPath, { name: 'Own', filter })).status).toBe(201)
  expect((await server.admin.post(groupPath, { name: 'Group', filter, shared: true })).status).toBe(201)
  expect((await owner.post('/vulnerability_views', { name: 'All', shared: true })).status).toBe(403)
  const everywhere = { topic: 'web', assignee_id: 'me' }
  expect(
    (await server.admin.post('/vulnerability_views', { name: 'All', filter: everywhere, shared: true })).status,
  ).toBe(201)
  expect(await namesIn(owner, groupPath)).toEqual(['Group', 'Own'])
  expect(await namesIn(owner, '/vulnerability_views')).toEqual(['All'])
  expect(await namesIn(owner, path)).toEqual([])
})

test('shared views of a public group are for those who may read vulnerabilities in it', async () => {
  const { project } = await freshProject()
  const path = `/groups/${project['namespace'].id}/vulnerability_views`
  const { body: view } = await server.admin.post(path, { name: 'Ours', shared: true })
  const stranger = await server.user('view-stranger')
  expect((await stranger.get(`/groups/${project['namespace'].id}`)).status).toBe(200)
  for (const client of [stranger, await server.as('reporter', project)]) {
    expect(await namesIn(client, path)).toEqual([])
    const one = `${path}/${view.id}`
    for (const reply of [await client.get(one), await client.put(one, { name: 'X' }), await client.delete(one)]) {
      expect(reply.status).toBe(404)
    }
    expect((await client.post(path, { name: 'Own' })).status).toBe(201)
    expect(await namesIn(client, path)).toEqual(['Own'])
  }
  const developer = await server.as('developer', project)
  expect(await namesIn(developer, path)).toEqual(['Ours'])
  expect((await developer.get(`${path}/${view.id}`)).status).toBe(200)
})
