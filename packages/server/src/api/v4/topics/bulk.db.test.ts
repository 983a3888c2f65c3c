import { expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { startServer } from '../../../testing/server.ts'

async function startWithProjects() {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const one = await server.project('acme/one', { visibility: 'public' })
  const [group] = (await server.admin.get('/groups?search=acme')).body
  const sub = (await server.admin.post('/groups', { name: 'sub', path: 'sub', parent_id: group.id })).body
  const two = (await server.admin.post('/projects', { name: 'two', namespace_id: sub.id })).body
  const other = await server.project('else/other', { visibility: 'public' })
  await server.admin.post(`/groups/${group.id}/members`, { user_id: nadia.user?.id, access_level: 40 })
  await server.admin.put(`/projects/${one.id}`, { topics: ['maps', 'old'] })
  await server.admin.put(`/projects/${two.id}`, { topics: ['Maps'] })
  const topicsOf = async ({ id }: { id: number }) => (await server.admin.get(`/projects/${id}`)).body.topics
  const countOf = async (name: string, client: Client = server.admin) =>
    (await client.get(`/topics?name=${name}`)).body[0]?.total_projects_count
  return { server, nadia, one, two, other, group, topicsOf, countOf }
}

test('topics are added to and removed from several projects after a dry run that changes nothing', async () => {
  const { nadia, one, two, group, topicsOf, countOf } = await startWithProjects()
  const body = { project_ids: [two.id, one.id, one.id], add: ['new', 'MAPS'], remove: ['old', 'unknown'] }
  const expected = {
    changed: 2,
    unchanged: 0,
    skipped: 0,
    created_topics: ['new'],
    changes: [
      { project: { id: one.id, path_with_namespace: 'acme/one' }, added: ['new'], removed: ['old'] },
      { project: { id: two.id, path_with_namespace: 'acme/sub/two' }, added: ['new'], removed: [] },
    ],
  }
  const dry = await nadia.post('/topics/bulk', { ...body, dry_run: true })
  expect(dry).toMatchObject({ status: 201, body: { dry_run: true, ...expected } })
  expect(await countOf('new')).toBeUndefined()
  expect(await topicsOf(one)).toEqual(['maps', 'old'])

  expect(await nadia.post('/topics/bulk', body)).toMatchObject({ status: 201, body: { dry_run: false, ...expected } })
  expect(await topicsOf(one)).toEqual(['maps', 'new'])
  expect(await topicsOf(two)).toEqual(['maps', 'new'])
  for (const [name, count] of Object.entries({ maps: 2, new: 2, old: 0 })) expect(await countOf(name)).toBe(count)
  const [event] = (await nadia.get(`/projects/${one.id}/audit_events`)).body
  expect(event.details).toMatchObject({ event_name: 'project_updated', added_topics: ['new'], removed_topics: ['old'] })
  const again = await nadia.post(`/groups/${group.id}/topics/bulk`, { add: 'new' })
  expect(again.body).toMatchObject({ changed: 0, unchanged: 2, skipped: 0, created_topics: [], changes: [] })
})

test('a bulk assignment to a group skips archived projects, and needs a maintainer of the group', async () => {
  const { server, nadia, one, two, other, group, topicsOf } = await startWithProjects()
  await server.admin.post(`/projects/${two.id}/archive`)
  const reply = await nadia.post(`/groups/${group.id}/topics/bulk`, { add: ['new'] })
  expect(reply.body).toMatchObject({ changed: 1, skipped: 1 })
  expect(await topicsOf(one)).toEqual(['maps', 'new', 'old'])
  expect(await topicsOf(other)).toEqual([])
  const guest = await server.user('guest')
  expect((await guest.post(`/groups/${group.id}/topics/bulk`, { add: ['more'] })).status).toBe(403)
})

test('a bulk assignment is refused as a whole', async () => {
  const { server, nadia, one, other, topicsOf } = await startWithProjects()
  const refuse = async (body: object, error: unknown, client: Client = nadia) => {
    const reply = await client.post('/topics/bulk', body)
    expect([reply.status, reply.body.error ?? reply.body.message]).toEqual([400, error])
    expect(await topicsOf(one)).toEqual(['maps', 'old'])
  }
  await refuse(
    { project_ids: [one.id, other.id, 4711], add: ['new'] },
    `project_ids contains projects that you may not update: ${other.id}, 4711`,
  )
  await refuse({ project_ids: [one.id], add: ['new', 'é'] }, { topics: ['é must only include ASCII characters'] })
  await refuse({ project_ids: [one.id] }, 'add, remove are missing, at least one parameter must be provided')
  await refuse({ add: ['new'] }, 'project_ids is missing')
  await refuse(
    { project_ids: Array.from({ length: 1001 }, (_, index) => index + 1), add: ['new'] },
    'there are more than 1000 projects',
  )
  const many = Array.from({ length: 499 }, (_, index) => `topic ${index}`)
  await refuse({ project_ids: [one.id], add: many }, { topics: ['are too many (maximum is 500)'] })
  expect((await server.anonymous.post('/topics/bulk', { project_ids: [one.id], add: ['new'] })).status).toBe(401)
})

test('a bulk assignment creates no topics where only administrators create them', async () => {
  const server = await startServer({ settings: { topicCreation: 'admins' } })
  const nadia = await server.user('nadia')
  const own = (await nadia.post('/projects', { name: 'own' })).body
  for (const dry_run of [true, false]) {
    const reply = await nadia.post('/topics/bulk', { project_ids: [own.id], add: ['new'], dry_run })
    expect(reply.status).toBe(400)
    expect(reply.body.message.topics[0]).toContain('new does not exist, and only administrators create topics')
  }
})
