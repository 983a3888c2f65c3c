import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { examine } from '../../../domain/removal/doctor.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

/** A group `acme` with the project `one`, and a subgroup with the project `two`, whose own topic is `maps`. */
async function startWithGroups() {
  const server = await startServer()
  const one = await server.project('acme/one', { visibility: 'public' })
  const [group] = (await server.admin.get('/groups?search=acme')).body
  const sub = (await server.admin.post('/groups', { name: 'sub', path: 'sub', parent_id: group.id })).body
  const two = (await server.admin.post('/projects', { name: 'two', namespace_id: sub.id })).body
  await server.admin.put(`/projects/${two.id}`, { topics: ['maps'] })
  const put = (id: number, topics: string[], more: object = {}, client: Client = server.admin) =>
    client.put(`/groups/${id}/topics`, { topics, ...more })
  const topicsOf = async ({ id }: { id: number }) => {
    const { body } = await server.admin.get(`/projects/${id}`)
    return { own: body.topics, inherited: body.inherited_topics }
  }
  const countOf = async (name: string, client: Client = server.admin) =>
    (await client.get(`/topics?name=${name}`)).body[0]?.total_projects_count
  const projectsWith = async (query: string, client: Client = server.admin) =>
    (await client.get(`/projects?${query}&order_by=id&sort=asc`)).body.map(({ id }: { id: number }) => id)
  const stillCorrect = async () => expect((await examine(server.deps, { fix: false })).findings).toEqual([])
  return { server, group, sub, one, two, put, topicsOf, countOf, projectsWith, stillCorrect }
}

test('projects inherit the topics of their groups, after a dry run that changes nothing', async () => {
  const { group, sub, one, two, put, topicsOf, countOf, projectsWith, stillCorrect, server } = await startWithGroups()
  const expected = {
    topics: ['Cloud', 'maps'],
    created_topics: ['Cloud'],
    changed: 2,
    unchanged: 0,
    changes: [
      { project: { id: one.id, path_with_namespace: 'acme/one' }, added: ['Cloud', 'maps'], removed: [] },
      { project: { id: two.id, path_with_namespace: 'acme/sub/two' }, added: ['Cloud'], removed: [] },
    ],
  }
  const dry = await put(group.id, ['Cloud', 'MAPS'], { dry_run: true })
  expect(dry).toMatchObject({ status: 200, body: { dry_run: true, ...expected } })
  expect(await countOf('Cloud')).toBeUndefined()
  expect(await topicsOf(one)).toEqual({ own: [], inherited: [] })

  expect(await put(group.id, ['Cloud', 'MAPS'])).toMatchObject({ status: 200, body: { dry_run: false, ...expected } })
  expect(await topicsOf(one)).toEqual({ own: [], inherited: ['Cloud', 'maps'] })
  expect(await topicsOf(two)).toEqual({ own: ['maps'], inherited: ['Cloud', 'maps'] })
  expect([await countOf('cloud'), await countOf('maps')]).toEqual([2, 2])
  expect(await projectsWith('topic=Cloud')).toEqual([one.id, two.id])
  expect(await projectsWith('topic=Cloud,maps')).toEqual([one.id, two.id])
  expect(await projectsWith('topic=Cloud', server.anonymous)).toEqual([one.id])
  expect(await projectsWith('topic_not=Cloud')).toEqual([])
  expect((await server.admin.get(`/groups/${sub.id}/topics`)).body).toEqual({
    topics: [],
    inherited_topics: ['Cloud', 'maps'],
  })
  const [event] = (await server.admin.get(`/groups/${group.id}/audit_events`)).body
  expect(event.details).toMatchObject({
    event_name: 'group_updated',
    added_topics: ['Cloud', 'maps'],
    removed_topics: [],
  })
  await stillCorrect()

  expect((await put(group.id, ['maps'])).body).toMatchObject({ changed: 2, changes: [{ removed: ['Cloud'] }, {}] })
  expect((await put(group.id, [])).body).toMatchObject({ changed: 1, unchanged: 1, changes: [{ removed: ['maps'] }] })
  expect(await topicsOf(two)).toEqual({ own: ['maps'], inherited: [] })
  expect([await countOf('cloud'), await countOf('maps')]).toEqual([0, 1])
  await stillCorrect()
})

test.runIf(onSqlite)(
  'a project keeps its own topics apart, so that a client that writes them sees no others',
  async () => {
    const { server, group, two, put, topicsOf, countOf, stillCorrect } = await startWithGroups()
    await put(group.id, ['maps', 'cloud'])
    const write = async (topics: string[]) => (await server.admin.put(`/projects/${two.id}`, { topics })).body.topics
    expect(await write(['own'])).toEqual(['own'])
    expect(await topicsOf(two)).toEqual({ own: ['own'], inherited: ['cloud', 'maps'] })
    expect(await write(['cloud', 'own'])).toEqual(['cloud', 'own'])
    await stillCorrect()
    expect(await write([])).toEqual([])
    expect(await topicsOf(two)).toEqual({ own: [], inherited: ['cloud', 'maps'] })
    expect([await countOf('cloud'), await countOf('own')]).toEqual([2, 0])

    const bulk = { project_ids: [two.id], add: ['cloud'], remove: ['maps'] }
    expect((await server.admin.post('/topics/bulk', bulk)).body.changes).toMatchObject([
      { added: ['cloud'], removed: [] },
    ])
    await server.admin.post('/topics/bulk', { project_ids: [two.id], remove: ['cloud'] })
    expect(await topicsOf(two)).toEqual({ own: [], inherited: ['cloud', 'maps'] })
    await stillCorrect()
  },
)

describe.runIf(onSqlite)('a project that', () => {
  test('is created, also by a report, inherits from all groups above it', async () => {
    const { server, group, sub, put, topicsOf, countOf, stillCorrect } = await startWithGroups()
    await put(group.id, ['cloud'])
    await put(sub.id, ['deep', 'cloud'])
    const three = await server.admin.post('/projects', { name: 'three', namespace_id: sub.id, topics: ['deep', 'own'] })
    expect(three.body).toMatchObject({ topics: ['deep', 'own'], inherited_topics: ['cloud', 'deep'] })
    const path = encodeURIComponent('acme/fresh/four')
    const form = formWithFile('file', 'report.json', JSON.stringify(sastReport([entry()])), { create: 'true' })
    const sent = await server.admin.post(`/projects/${path}/security_reports`, form)
    expect(sent.status, sent.text).toBe(201)
    const four = (await server.admin.get(`/projects/${path}`)).body
    expect(await topicsOf(four)).toEqual({ own: [], inherited: ['cloud'] })
    expect([await countOf('cloud'), await countOf('deep')]).toEqual([4, 2])
    await server.admin.delete(`/groups/${sub.id}`)
    expect([await countOf('cloud'), await countOf('deep')]).toEqual([2, 0])
    await stillCorrect()
  })

  test('is transferred, alone or with its group, inherits from its new groups', async () => {
    const { server, group, sub, one, two, put, topicsOf, stillCorrect } = await startWithGroups()
    const other = (await server.admin.post('/groups', { name: 'other', path: 'other', visibility: 'public' })).body
    await put(group.id, ['cloud'])
    await put(sub.id, ['deep'])
    await put(other.id, ['else', 'maps'])
    await server.admin.put(`/projects/${one.id}/transfer`, { namespace: other.id })
    expect(await topicsOf(one)).toEqual({ own: [], inherited: ['else', 'maps'] })
    await server.admin.post(`/groups/${sub.id}/transfer`, { group_id: other.id })
    expect(await topicsOf(two)).toEqual({ own: ['maps'], inherited: ['deep', 'else', 'maps'] })
    await server.admin.post(`/groups/${sub.id}/transfer`)
    expect(await topicsOf(two)).toEqual({ own: ['maps'], inherited: ['deep'] })
    await stillCorrect()
  })
})

test.runIf(onSqlite)('a merge moves the topic of groups, and its undo restores it', async () => {
  const { server, group, sub, one, two, put, topicsOf, stillCorrect } = await startWithGroups()
  await put(group.id, ['Clouds'])
  await put(sub.id, ['Clouds', 'cloud'])
  const idOf = async (name: string) => (await server.admin.get(`/topics?name=${name}`)).body[0].id
  const [source, target] = [await idOf('Clouds'), await idOf('cloud')]
  const merged = await server.admin.post('/topics/merge', { source_topic_id: source, target_topic_id: target })
  expect(merged.body).toMatchObject({ name: 'cloud', total_projects_count: 2 })
  expect(await topicsOf(one)).toEqual({ own: [], inherited: ['cloud'] })
  await stillCorrect()

  const [{ id }] = (await server.admin.get('/topics/merges')).body
  await put(sub.id, [])
  const blocked = await server.admin.post(`/topics/merges/${id}/undo`)
  expect([blocked.status, blocked.text]).toEqual([
    409,
    expect.stringContaining(`group ${sub.id} does not carry \\"cloud\\" any more`),
  ])
  await put(sub.id, ['cloud'])
  expect((await server.admin.post(`/topics/merges/${id}/undo`)).status).toBe(201)
  expect(await topicsOf(one)).toEqual({ own: [], inherited: ['Clouds'] })
  expect(await topicsOf(two)).toEqual({ own: ['maps'], inherited: ['Clouds', 'cloud'] })
  expect((await server.admin.get(`/groups/${group.id}/topics`)).body.topics).toEqual(['Clouds'])
  await stillCorrect()
})

test.runIf(onSqlite)('only maintainers of the group replace its topics, with names that can be topics', async () => {
  const { server, group, put, projectsWith } = await startWithGroups()
  const nadia = await server.user('nadia')
  await server.admin.post(`/groups/${group.id}/members`, { user_id: nadia.user?.id, access_level: 30 })
  expect(await put(group.id, ['cloud'], {}, nadia)).toMatchObject({ status: 403 })
  expect(await put(group.id, ['cloud'], {}, server.anonymous)).toMatchObject({ status: 401 })
  expect(await put(group.id, ['é'])).toMatchObject({
    status: 400,
    body: { message: { topics: ['é must only include ASCII characters'] } },
  })
  const many = Array.from({ length: 101 }, (_, index) => `topic ${index}`)
  for (const dry_run of [true, false]) {
    expect(await put(group.id, many, { dry_run })).toMatchObject({
      status: 400,
      body: { message: { topics: ['are too many (maximum is 100)'] } },
    })
  }
  expect(await server.admin.put(`/groups/${group.id}/topics`, {})).toMatchObject({
    status: 400,
    body: { error: 'topics is missing' },
  })
  expect((await nadia.get(`/groups/${group.id}/topics`)).body).toEqual({ topics: [], inherited_topics: [] })
  expect(await projectsWith('topic=Cloud')).toEqual([])
  await server.admin.put(`/groups/${group.id}/members/${nadia.user?.id}`, { access_level: 40 })
  expect(await put(group.id, ['cloud'], {}, nadia)).toMatchObject({ status: 200 })
})

test('inherited topics count for related topics, and are hidden with their projects', async () => {
  const server = await startServer({ settings: { hidesTopicsOfHiddenProjects: true } })
  await server.project('secret/one', { visibility: 'private' })
  const open = await server.project('open/two', { visibility: 'public' })
  const groupId = async (path: string) => (await server.admin.get(`/groups/${path}`)).body.id
  await server.admin.put(`/groups/${await groupId('secret')}/topics`, { topics: ['hidden', 'shared'] })
  await server.admin.put(`/groups/${await groupId('open')}/topics`, { topics: ['shared'] })
  await server.admin.put(`/projects/${open.id}`, { topics: ['own'] })
  const { anonymous, admin } = server
  const namesIn = async (client: Client, path: string) =>
    (await client.get(path)).body.map(({ name }: { name: string }) => name).sort()
  expect(await namesIn(anonymous, '/topics')).toEqual(['own', 'shared'])
  expect((await anonymous.get('/topics?name=shared')).body).toMatchObject([{ total_projects_count: 1 }])
  expect((await admin.get('/topics?name=shared')).body).toMatchObject([{ total_projects_count: 2 }])
  // The group itself is public; its topic is not.
  expect((await anonymous.get(`/groups/${await groupId('secret')}/topics`)).body.topics).toEqual(['shared'])
  const [{ id }] = (await admin.get('/topics?name=own')).body
  expect(await namesIn(anonymous, `/topics/${id}/related`)).toEqual(['shared'])
})

test('the doctor repairs inherited topics', async () => {
  const { server, group, one, two, put, topicsOf, stillCorrect } = await startWithGroups()
  await put(group.id, ['cloud'])
  await server.deps.db.run(sql`delete from project_topics where project_id = ${one.id}`)
  await server.deps.db.run(sql`update project_topics set inherited = true where project_id = ${two.id}`)
  const { findings } = await examine(server.deps, { fix: true })
  expect(findings).toContainEqual({ kind: 'wrong inherited topics', what: `project ${one.id}, 1 row` })
  expect(findings).toContainEqual({ kind: 'wrong inherited topics', what: `project ${two.id}, 1 row` })
  expect(await topicsOf(one)).toEqual({ own: [], inherited: ['cloud'] })
  expect(await topicsOf(two)).toEqual({ own: ['maps'], inherited: ['cloud'] })
  await stillCorrect()
})
