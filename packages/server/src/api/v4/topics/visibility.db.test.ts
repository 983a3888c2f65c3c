import { beforeAll, describe, expect, test } from 'vitest'
import type { Visibility } from '../../../domain/access/roles.ts'
import { type Client, formWithFile, type Reply } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const names = (reply: Reply): string[] => reply.body.map((topic: { name: string }) => topic.name).sort()
const list = async (client: Client, query = '') => names(await client.get(`/topics?per_page=100&${query}`))
const counts = async (client: Client, query = '') =>
  Object.fromEntries(
    (await client.get(`/topics?per_page=100&${query}`)).body.map(
      (topic: { name: string; total_projects_count: number }) => [topic.name, topic.total_projects_count],
    ),
  )

async function startWithTopics(settings: { topicCreation?: 'admins' } = {}) {
  const server = await startServer({ settings: { hidesTopicsOfHiddenProjects: true, ...settings } })
  const assign = async (path: string, visibility: Visibility, topics: string[]) => {
    const project = await server.project(path, { visibility })
    await server.admin.put(`/projects/${project.id}`, { topics })
    return project
  }
  const createSubgroup = async (parent: TestProject) => {
    const draft = { name: 'Deep', path: 'deep', parent_id: parent['namespace'].id }
    return (await server.admin.post('/groups', draft)).body.id
  }
  const secret = await assign('vault/secret', 'private', ['maps', 'topic-secret'])
  const other = await server.admin.post('/projects', {
    name: 'other',
    namespace_id: await createSubgroup(secret),
    topics: ['maps', 'topic-secret', 'topic-other'],
  })
  const projects = {
    open: await assign('acme/open', 'public', ['maps', 'topic-open']),
    inside: await assign('acme/inside', 'internal', ['maps', 'topic-inside']),
    secret,
    other: other.body,
  }
  await server.admin.post('/topics', { name: 'topic-free', title: 'Free' })
  const ids: Record<string, number> = Object.fromEntries(
    (await server.admin.get('/topics')).body.map((topic: { name: string; id: number }) => [topic.name, topic.id]),
  )
  return { server, projects, ids }
}

describe('with ALCOVE_HIDE_TOPICS_OF_HIDDEN_PROJECTS', () => {
  let server: TestServer
  let projects: { open: TestProject; inside: TestProject; secret: TestProject; other: TestProject }
  let ids: Record<string, number>
  let callers: { anonymous: Client; user: Client; external: Client; outside: Client; member: Client; group: Client }
  const seen = {
    anonymous: { maps: 1, 'topic-free': 0, 'topic-open': 1 },
    external: { maps: 1, 'topic-free': 0, 'topic-open': 1 },
    user: { maps: 2, 'topic-free': 0, 'topic-inside': 1, 'topic-open': 1 },
    /** External, but a member of the private project. */
    outside: { maps: 2, 'topic-free': 0, 'topic-open': 1, 'topic-secret': 1 },
    member: { maps: 3, 'topic-free': 0, 'topic-inside': 1, 'topic-open': 1, 'topic-secret': 1 },
    /** Member of the group of both private projects, one of them in a subgroup. */
    group: { maps: 4, 'topic-free': 0, 'topic-inside': 1, 'topic-open': 1, 'topic-other': 1, 'topic-secret': 2 },
  } as const
  const kinds = ['anonymous', 'external', 'user', 'outside', 'member', 'group'] as const

  beforeAll(async () => {
    ;({ server, projects, ids } = await startWithTopics())
    const external = await server.user('external', { external: true })
    const outside = await server.user('outside', { external: true })
    const group = await server.user('group-member')
    const { id } = projects.secret
    await server.admin.post(`/projects/${id}/members`, { user_id: outside.user?.id, access_level: 10 })
    const vault = projects.secret['namespace'].id
    await server.admin.post(`/groups/${vault}/members`, { user_id: group.user?.id, access_level: 10 })
    const [user, member] = [await server.user('user'), await server.as('guest', projects.secret)]
    callers = { anonymous: server.anonymous, user, external, outside, member, group }
  })

  test.each(kinds)('lists and counts for %s only topics of projects that they can read', async (kind) => {
    const reply = await callers[kind].get('/topics?per_page=2')
    expect(reply.headers['x-total']).toBe(String(Object.keys(seen[kind]).length))
    expect(reply.body).toHaveLength(2)
    expect(await counts(callers[kind])).toEqual(seen[kind])
    // Cached answers of others are not used.
    expect(await counts(server.admin)).toEqual({ ...seen.group })
    expect(await counts(callers[kind])).toEqual(seen[kind])
  })

  test.each(kinds)('finds for %s only these topics by search and by name', async (kind) => {
    const found = Object.keys(seen[kind]).filter((name) => name.startsWith('topic-'))
    const search = await callers[kind].get('/topics?search=topic')
    expect(names(search)).toEqual(found)
    expect(search.headers['x-total']).toBe(String(found.length))
    expect(await list(callers[kind], 'search=secret')).toEqual(found.filter((name) => name === 'topic-secret'))
    for (const name of ['topic-inside', 'topic-secret', 'topic-other', 'topic-open']) {
      expect(await list(callers[kind], `name=${name}`)).toEqual(found.filter((one) => one === name))
    }
    expect(await list(callers[kind], 'without_projects=true')).toEqual(['topic-free'])
  })

  test.runIf(onSqlite).each(kinds)('returns 404 to %s for every route of a hidden topic', async (kind) => {
    const missing = await callers[kind].get('/topics/4711')
    expect(missing.status).toBe(404)
    for (const [name, id] of Object.entries(ids)) {
      const count = (seen[kind] as Record<string, number>)[name]
      const status = count === undefined ? 404 : 200
      for (const part of ['', '/aliases', '/related', '/feed']) {
        const reply = await callers[kind].get(`/topics/${id}${part}`)
        expect([name, part, reply.status]).toEqual([name, part, status])
        if (status === 404) expect(reply.body).toEqual(missing.body)
        if (status === 200 && part === '') expect(reply.body.total_projects_count).toBe(count)
      }
    }
  })

  test.runIf(onSqlite)('related topics have the counts of the caller, too', async () => {
    const related = async (client: Client) =>
      (await client.get(`/topics/${ids['topic-open']}/related`)).body.map(
        (topic: { name: string; total_projects_count: number }) => [topic.name, topic.total_projects_count],
      )
    expect(await related(callers.anonymous)).toEqual([['maps', 1]])
    expect(await related(callers.group)).toEqual([['maps', 4]])
  })

  test.each(['external', 'user', 'outside', 'member', 'group'] as const)(
    'exports for %s only topics of projects that they can read',
    async (kind) => {
      const { topics } = JSON.parse((await callers[kind].get('/topics/export?format=json')).text)
      expect(topics.map(({ name }: { name: string }) => name)).toEqual(Object.keys(seen[kind]))
    },
  )

  test.runIf(onSqlite)('shows all topics and counts to administrators', async () => {
    expect(await counts(server.admin)).toEqual(seen.group)
    expect((await server.admin.get(`/topics/${ids['topic-other']}/feed`)).status).toBe(200)
    expect((await server.admin.get('/topics/export')).text).toContain('topic-other')
  })

  test.runIf(onSqlite)('avatars are hidden with their topics, and not stored by shared caches', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    for (const name of ['topic-secret', 'topic-open']) {
      const form = formWithFile('avatar', 'a.png', png)
      expect((await server.admin.put(`/topics/${ids[name]}`, form)).status).toBe(200)
    }
    const avatar = (client: Client, name: string) =>
      client.get(`//uploads/-/system/projects/topic/avatar/${ids[name]}/a.png`)
    expect((await avatar(callers.anonymous, 'topic-secret')).status).toBe(404)
    const shown = await avatar(callers.anonymous, 'topic-open')
    expect(shown.status).toBe(200)
    expect(String(shown.headers['cache-control'])).not.toContain('public')
  })
})

test.runIf(onSqlite)(
  'a topic is hidden again after a membership ends and after its project becomes private',
  async () => {
    const { server, projects, ids } = await startWithTopics()
    const nadia = await server.user('nadia')
    const path = `/topics/${ids['topic-secret']}`
    const sees = async () => [(await list(nadia)).includes('topic-secret'), (await nadia.get(path)).status]
    expect(await sees()).toEqual([false, 404])
    const members = `/projects/${projects.secret.id}/members`
    const add = { user_id: nadia.user?.id, access_level: 20 }
    expect((await server.admin.post(members, add)).status).toBe(201)
    expect(await sees()).toEqual([true, 200])
    expect((await server.admin.delete(`${members}/${nadia.user?.id}`)).status).toBe(204)
    expect(await sees()).toEqual([false, 404])

    const open = `/topics/${ids['topic-open']}`
    expect((await server.anonymous.get(open)).status).toBe(200)
    expect(await list(server.anonymous)).toContain('topic-open')
    await server.admin.put(`/projects/${projects.open.id}`, { visibility: 'internal' })
    expect((await server.anonymous.get(open)).status).toBe(404)
    expect(await list(server.anonymous)).toEqual(['topic-free'])
    expect((await nadia.get(open)).status).toBe(200)
    await server.admin.put(`/projects/${projects.open.id}`, { visibility: 'private' })
    expect((await nadia.get(open)).status).toBe(404)
    expect(await list(nadia)).toEqual(['maps', 'topic-free', 'topic-inside'])
    expect(await counts(nadia, 'name=maps')).toEqual({ maps: 1 })

    await server.admin.put(`/projects/${projects.open.id}`, { topics: ['maps'] })
    expect(await list(server.anonymous)).toEqual(['topic-free', 'topic-open'])
  },
)

test.runIf(onSqlite)('a topic is hidden on the day on which the membership expires', async () => {
  const clock = { now: '2030-05-01T12:00:00.000Z' }
  const server = await startServer({ settings: { hidesTopicsOfHiddenProjects: true }, clock })
  const project = await server.project('vault/secret', { visibility: 'private' })
  await server.admin.put(`/projects/${project.id}`, { topics: ['plans'] })
  const nadia = await server.user('nadia')
  const member = { user_id: nadia.user?.id, access_level: 20, expires_at: '2030-05-02' }
  expect((await server.admin.post(`/projects/${project.id}/members`, member)).status).toBe(201)
  expect(await list(nadia)).toEqual(['plans'])
  clock.now = '2030-05-02T00:00:01.000Z'
  expect(await list(nadia)).toEqual([])
})

test('far pages contain only topics that the caller can read', async () => {
  const { server, projects } = await startWithTopics()
  const topics = Array.from({ length: 450 }, (_, index) => `far-${String(index).padStart(4, '0')}`)
  await server.admin.put(`/projects/${projects.inside.id}`, { topics: topics.slice(0, 225) })
  await server.admin.put(`/projects/${projects.secret.id}`, { topics: topics.slice(225) })
  await server.admin.put(`/projects/${projects.other.id}`, { topics: topics.map((name) => `deep-${name}`) })
  const user = await server.user('user')
  const group = await server.user('group-member')
  const vault = projects.secret['namespace'].id
  await server.admin.post(`/groups/${vault}/members`, { user_id: group.user?.id, access_level: 10 })
  const pages = async (client: Client) => {
    const found: string[] = []
    for (let page = 1; page <= 12; page++) found.push(...names(await client.get(`/topics?per_page=100&page=${page}`)))
    return found
  }
  const all = await pages(server.admin)
  expect(await pages(group)).toEqual(all)
  expect(all.filter((name) => name.includes('far-'))).toHaveLength(900)
  expect((await pages(user)).filter((name) => name.includes('far-'))).toHaveLength(225)
})

test('the error for unknown topics suggests no hidden ones', async () => {
  const { server, projects } = await startWithTopics({ topicCreation: 'admins' })
  const maintainer = await server.as('maintainer', projects.open)
  const assign = () => maintainer.put(`/projects/${projects.open.id}`, { topics: ['topic-secre'] })
  const first = await assign()
  expect(first.status).toBe(400)
  expect(first.text).toContain('topic-inside')
  expect(first.text).not.toContain('topic-secret')
  const bulk = await maintainer.post('/topics/bulk', { project_ids: [projects.open.id], add: ['topic-secre'] })
  expect(bulk.status).toBe(400)
  expect(bulk.text).not.toContain('topic-secret')

  const member = { user_id: maintainer.user?.id, access_level: 10 }
  expect((await server.admin.post(`/projects/${projects.secret.id}/members`, member)).status).toBe(201)
  expect((await assign()).text).toContain('topic-secret')
})

test.runIf(onSqlite)('without the setting everyone sees all topics with all projects', async () => {
  const server = await startServer()
  const project = await server.project('vault/secret', { visibility: 'private' })
  await server.admin.put(`/projects/${project.id}`, { topics: ['plans'] })
  expect(await counts(server.anonymous)).toEqual({ plans: 1 })
  expect(await counts(await server.user('nadia'))).toEqual({ plans: 1 })
})
