import sql, { type Sql } from 'sql-template-tag'
import { expect, test } from 'vitest'
import type { Client, Reply } from '../../../testing/client.ts'
import { planOf } from '../../../testing/plans-of-ids.ts'
import { startServer as start, type TestServer } from '../../../testing/server.ts'

const startServer = () => start({ settings: { externalUrl: 'https://alcove.test' } })
const names = (reply: Reply): string[] => reply.body.map((project: { path: string }) => project.path)
const id = (client: Client) => client.user?.id

/** Creates the projects `open` (public), `inside` (internal), `closed` (private, in a group) and nadia's `own`. */
async function startWithProjects() {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const open = await server.project('acme/open', { visibility: 'public' })
  const inside = await server.project('acme/inside', { visibility: 'internal' })
  const closed = await server.project('acme/closed')
  const own = (await nadia.post('/projects', { name: 'own' })).body
  return { server, nadia, open, inside, closed, own }
}

test('callers list and count only the projects they can read', async () => {
  const { server, nadia, closed } = await startWithProjects()
  const external = await server.user('external', { external: true })
  const list = async (client: Client) => {
    const reply = await client.get('/projects')
    expect(reply.headers['x-total']).toBe(String(reply.body.length))
    return names(reply)
  }

  expect(await list(server.anonymous)).toEqual(['open'])
  expect(await list(nadia)).toEqual(['own', 'inside', 'open'])
  expect(await list(external)).toEqual(['open'])
  expect(await list(server.admin)).toEqual(['own', 'closed', 'inside', 'open'])
  await server.admin.post(`/projects/${closed.id}/members`, { user_id: id(external), access_level: 10 })
  expect(await list(external)).toEqual(['closed', 'open'])
  await server.admin.post(`/groups/acme/members`, { user_id: id(nadia), access_level: 10 })
  expect(await list(nadia)).toEqual(['own', 'closed', 'inside', 'open'])
})

test('lists and single projects apply the same visibility', async () => {
  const server = await startServer()
  const groups: { id: number; visibility: string }[] = []
  for (let n = 0; n < 8; n++) {
    const parent = n > 1 ? groups[n % 3] : undefined
    const group = { name: `g${n}`, path: `g${n}`, visibility: parent?.visibility ?? 'public', parent_id: parent?.id }
    groups.push((await server.admin.post('/groups', group)).body)
  }
  const clients = [await server.user('a'), await server.user('b'), await server.user('c', { external: true })]
  const projects: { id: number }[] = []
  for (let n = 0; n < 30; n++) {
    const visibility = ['private', 'internal', 'public'][n % 3]
    const project = { name: `p${n}`, namespace_id: groups[(n * 5) % 8]?.id, visibility }
    projects.push((await server.admin.post('/projects', project)).body)
  }
  for (const [n, client] of clients.entries()) {
    const level = [5, 10, 50][n]
    const add = { user_id: id(client), access_level: level }
    expect((await server.admin.post(`/groups/${groups[n * 2 + 1]?.id}/members`, add)).status).toBe(201)
    for (const at of [n, n + 9]) {
      await server.admin.post(`/projects/${projects[at]?.id}/members`, { ...add, access_level: 10 + 10 * n })
    }
  }

  for (const client of [...clients, server.admin, server.anonymous]) {
    const readable: number[] = []
    for (const project of projects) {
      if ((await client.get(`/projects/${project.id}`)).status === 200) readable.push(project.id)
    }
    const list = await client.get('/projects?per_page=100&sort=asc')
    expect(list.body.map((project: { id: number }) => project.id)).toEqual(readable)
    expect(list.headers['x-total']).toBe(String(readable.length))
    const some: number[] = []
    for (const group of groups) {
      const inGroup = await client.get(`/groups/${group.id}/projects?per_page=100`)
      some.push(...inGroup.body.map((project: { id: number }) => project.id))
    }
    expect(some.sort((a, b) => a - b)).toEqual(readable)
  }
})

test('the topic filter of projects requires all listed topics and matches exact names', async () => {
  const { server, nadia, open, inside, closed } = await startWithProjects()
  await server.admin.put(`/projects/${open.id}`, { topics: ['maps', 'Atlas'] })
  await server.admin.put(`/projects/${inside.id}`, { topics: ['maps'] })
  await server.admin.put(`/projects/${closed.id}`, { topics: ['maps', 'atlas'] })
  const list = async (query: string, client: Client = nadia) => names(await client.get(`/projects?${query}`))
  const [topic] = (await nadia.get('/topics?search=maps')).body

  expect(await list('topic=maps')).toEqual(['inside', 'open'])
  expect(await list('topic=maps', server.anonymous)).toEqual(['open'])
  expect(await list('topic=maps', server.admin)).toEqual(['closed', 'inside', 'open'])
  expect(await list('topic=maps,Atlas')).toEqual(['open'])
  expect(await list('topic=%20maps%20,,Atlas,maps')).toEqual(['open'])
  expect(await list('topic[]=maps&topic[]=Atlas')).toEqual(['open'])
  expect(await list('topic=Maps')).toEqual([])
  expect(await list('topic=atlas')).toEqual([])
  expect(await list('topic=maps,unknown')).toEqual([])
  for (const none of ['topic=', 'topic=,', '']) expect(await list(none)).toEqual(['own', 'inside', 'open'])
  expect(await list('topic=%20')).toEqual([])
  expect(await list(`topic_id=${topic.id}`)).toEqual(['inside', 'open'])
  expect(await list(`topic_id=${topic.id}&topic=Atlas`)).toEqual(['open'])
  expect(await list('topic_id=4711')).toEqual([])
  expect(await list('topic_id=')).toEqual(['own', 'inside', 'open'])
  expect(names(await nadia.get('/groups/acme/projects?topic=maps,Atlas'))).toEqual(['open'])
  expect(await nadia.get('/projects?topic_id=maps')).toMatchObject({
    status: 400,
    body: { error: 'topic_id is invalid' },
  })
  const counted = await nadia.get('/projects?topic=maps&per_page=1')
  expect(counted.headers).toMatchObject({ 'x-total': '2', 'x-next-page': '2' })
  expect(counted.body[0].topics).toEqual(['maps'])
})

test('projects can be filtered by any of several topics, and without topics', async () => {
  const { server, nadia, open, inside, closed } = await startWithProjects()
  await server.admin.put(`/projects/${open.id}`, { topics: ['maps', 'Atlas'] })
  await server.admin.put(`/projects/${inside.id}`, { topics: ['charts'] })
  await server.admin.put(`/projects/${closed.id}`, { topics: ['maps'] })
  const list = async (query: string, client = nadia) => names(await client.get(`/projects?${query}`))
  expect(await list('topic_any=maps,charts')).toEqual(['inside', 'open'])
  expect(await list('topic_any=maps,charts', server.admin)).toEqual(['closed', 'inside', 'open'])
  expect(await list('topic_any[]=Atlas&topic_any[]=unknown')).toEqual(['open'])
  for (const none of ['unknown', 'MAPS', '%20']) expect(await list(`topic_any=${none}`)).toEqual([])
  expect(await list('topic_not=maps')).toEqual(['own', 'inside'])
  expect(await list('topic_not=maps,%20charts')).toEqual(['own'])
  expect(await list('topic_any=maps,charts&topic_not=Atlas')).toEqual(['inside'])
  expect(await list('topic=maps&topic_not=Atlas', server.admin)).toEqual(['closed'])
  for (const all of ['topic_any=', 'topic_not=', 'topic_not=unknown']) {
    expect(await list(all)).toEqual(['own', 'inside', 'open'])
  }
  const [topic] = (await nadia.get('/topics?search=maps')).body
  await server.admin.post(`/topics/${topic.id}/aliases`, { name: 'cartography' })
  expect(await list('topic_any=cartography')).toEqual(['open'])
  const counted = await nadia.get('/projects?topic_any=maps,charts&per_page=1')
  expect(counted.headers['x-total']).toBe('2')
  expect(names(await nadia.get('/groups/acme/projects?topic_any=maps,charts&topic_not=charts'))).toEqual(['open'])
})

test('the topic filter of projects accepts 100 topics', async () => {
  const { server, open, inside } = await startWithProjects()
  const topics = Array.from({ length: 100 }, (_, number) => `topic ${number}`)
  await server.admin.put(`/projects/${open.id}`, { topics })
  await server.admin.put(`/projects/${inside.id}`, { topics: topics.slice(1) })
  const list = async (query: string) => names(await server.admin.get(`/projects?topic=${topics.join(',')}${query}`))
  const [last] = (await server.admin.get('/topics?search=topic%2099')).body

  expect(await list('')).toEqual(['open'])
  expect(await list(`&topic_id=${last.id}`)).toEqual(['open'])
  expect(await list(',unknown')).toEqual([])
})

test('lists of projects can be filtered by ownership, membership and stars', async () => {
  const { server, nadia, open, closed } = await startWithProjects()
  await server.admin.post(`/projects/${closed.id}/members`, { user_id: id(nadia), access_level: 30 })
  await nadia.post(`/projects/${open.id}/star`)
  const list = async (query: string, client: Client = nadia) => names(await client.get(`/projects?${query}`))

  expect(await list('owned=true')).toEqual(['own'])
  expect(await list('membership=yes')).toEqual(['own', 'closed'])
  expect(await list('min_access_level=30')).toEqual(['own', 'closed'])
  expect(await list('min_access_level=40')).toEqual(['own'])
  expect(await list('starred=1')).toEqual(['open'])
  expect(await list('membership=true&visibility=private')).toEqual(['own', 'closed'])
  expect(await list('membership=true&visibility=public')).toEqual([])
  expect(await list('visibility=internal')).toEqual(['inside'])
  expect(await list('visibility=private', server.anonymous)).toEqual([])
  expect(await list('owned=true', server.anonymous)).toEqual([])
  expect(await list('membership=true', server.anonymous)).toEqual([])
  expect(await list('owned=true', server.admin)).toEqual(['closed', 'inside', 'open'])
  await server.admin.post(`/projects/${open.id}/archive`)
  expect(await list('archived=true')).toEqual(['open'])
  expect(await list('active=true')).toEqual(['own', 'closed', 'inside'])
  expect(await list('archived=false&visibility=internal')).toEqual(['inside'])
})

test('the search for projects matches name, path and description', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const create = (input: object) => nadia.post('/projects', { visibility: 'public', ...input })
  await create({ name: 'Harbour charts', path: 'charts' })
  await create({ name: 'Tides', description: 'Charts of the 100% tide' })
  await create({ name: 'ab' })
  await create({ name: 'secret charts', visibility: 'private' })
  const list = async (query: string) => names(await server.anonymous.get(`/projects?${query}`))

  expect(await list('search=CHART')).toEqual(['Tides', 'charts'])
  expect(await list('search=harb%20charts')).toEqual(['charts'])
  expect(await list('search=100%25')).toEqual(['Tides'])
  expect(await list('search=1_0')).toEqual([])
  expect(await list('search=AB')).toEqual(['ab'])
  expect(await list('search=nadia')).toEqual([])
  expect(await list('search=nadia&search_namespaces=true')).toEqual(['ab', 'Tides', 'charts'])
  expect(await list('search=%22quoted')).toEqual([])
  expect(await list('search=charts&order_by=similarity')).toEqual(['charts', 'Tides'])
  expect(await list('order_by=similarity')).toEqual(['ab', 'Tides', 'charts'])
  await nadia.put('/projects/nadia%2FTides', { description: null })
  expect(await list('search=CHART')).toEqual(['charts'])
})

test('lists of projects can be sorted and limited by dates and ids', async () => {
  const clock = { now: '2026-01-01T00:00:00.000Z' }
  const server = await start({ clock })
  const created: number[] = []
  for (const [day, name] of ['beta', 'Alpha', 'gamma'].entries()) {
    clock.now = `2026-01-0${day + 1}T00:00:00.000Z`
    created.push((await server.admin.post('/projects', { name, visibility: 'public' })).body.id)
  }
  clock.now = '2026-02-01T00:00:00.000Z'
  await server.admin.put(`/projects/${created[0]}`, { description: 'x' })
  await server.admin.post(`/projects/${created[1]}/star`)
  const list = async (query: string) => names(await server.anonymous.get(`/projects?${query}`))

  expect(await list('')).toEqual(['gamma', 'Alpha', 'beta'])
  expect(await list('order_by=name&sort=asc')).toEqual(['Alpha', 'beta', 'gamma'])
  expect(await list('order_by=path')).toEqual(['gamma', 'beta', 'Alpha'])
  expect(await list('order_by=updated_at')).toEqual(['beta', 'gamma', 'Alpha'])
  expect(await list('order_by=star_count')).toEqual(['Alpha', 'gamma', 'beta'])
  expect(await list('order_by=star_count&sort=asc')).toEqual(['beta', 'gamma', 'Alpha'])
  expect(await list('order_by=last_activity_at&sort=asc')).toEqual(['beta', 'Alpha', 'gamma'])
  expect(await list(`id_after=${created[0]}`)).toEqual(['gamma', 'Alpha'])
  expect(await list(`id_before=${created[1]}`)).toEqual(['beta'])
  expect(await list('last_activity_after=2026-01-02')).toEqual(['gamma', 'Alpha'])
  expect(await list('last_activity_before=2026-01-02T00:00:00Z')).toEqual(['Alpha', 'beta'])
  expect(await list('updated_after=2026-01-15&order_by=updated_at')).toEqual(['beta'])
  expect(await list('updated_before=2026-01-15&order_by=updated_at')).toEqual(['gamma', 'Alpha'])
})

test('GET /projects rejects invalid parameters', async () => {
  const server = await startServer()
  const refusals = [
    ['order_by=size', 'order_by does not have a valid value'],
    ['sort=up', 'sort does not have a valid value'],
    ['visibility=secret', 'visibility does not have a valid value'],
    ['min_access_level=7', 'min_access_level does not have a valid value'],
    ['owned=maybe', 'owned is invalid'],
    ['simple=x', 'simple is invalid'],
    ['statistics=x', 'statistics is invalid'],
    ['id_after=x', 'id_after is invalid'],
    ['last_activity_after=x', 'last_activity_after is invalid'],
    ['pagination=x', 'pagination does not have a valid value'],
    ['per_page=0', 'per_page has a value not allowed'],
  ]
  for (const [query, error] of refusals) {
    expect(await server.anonymous.get(`/projects?${query}`)).toMatchObject({ status: 400, body: { error } })
  }
  expect(await server.anonymous.get('/projects?updated_after=2026-01-01')).toMatchObject({
    status: 400,
    body: { message: '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired' },
  })
})

test('anonymous callers, and simple=true, get the basic fields of projects', async () => {
  const { server, nadia } = await startWithProjects()

  const [basic] = (await server.anonymous.get('/projects')).body
  const [simple] = (await nadia.get('/projects?simple=true&search=open')).body
  const [full] = (await nadia.get('/projects?search=own')).body
  expect(Object.keys(simple)).toEqual(Object.keys(basic))
  expect(basic).not.toHaveProperty('_links')
  expect(full).toMatchObject({
    owner: { username: 'nadia' },
    permissions: { project_access: { access_level: 50, notification_level: 3 }, group_access: null },
  })
})

test('users and groups have project lists', async () => {
  const { server, nadia, own } = await startWithProjects()
  const acme = (await server.admin.get('/groups/acme')).body
  await server.admin.post('/groups', { name: 'Web', path: 'web', parent_id: acme.id, visibility: 'public' })
  await server.project('acme/web/deep', { visibility: 'public' })

  expect(names(await nadia.get('/users/nadia/projects'))).toEqual(['own'])
  expect(names(await server.anonymous.get(`/users/${id(nadia)}/projects`))).toEqual([])
  await nadia.put(`/projects/${own.id}`, { visibility: 'public' })
  expect(names(await server.anonymous.get(`/users/${id(nadia)}/projects`))).toEqual(['own'])
  expect(await nadia.get('/users/nobody/projects')).toMatchObject({
    status: 404,
    body: { message: '404 User Not Found' },
  })

  expect(names(await server.anonymous.get('/groups/acme/projects'))).toEqual(['open'])
  expect(names(await nadia.get('/groups/acme/projects?order_by=name&sort=asc'))).toEqual(['inside', 'open'])
  expect(names(await nadia.get('/groups/acme/projects?include_subgroups=true'))).toEqual(['deep', 'inside', 'open'])
  expect(names(await nadia.get(`/groups/${acme.id}/projects?search=ope`))).toEqual(['open'])
})

test('filters for features that projects lack return no projects, and ordering by size is by id', async () => {
  const { nadia } = await startWithProjects()
  const list = async (query: string) => names(await nadia.get(`/projects?${query}`))

  for (const vain of [
    'with_issues_enabled=true',
    'with_merge_requests_enabled=1',
    'with_programming_language=ruby',
    'marked_for_deletion_on=2026-01-01',
  ]) {
    expect([vain, await list(vain)]).toEqual([vain, []])
  }
  for (const same of ['with_issues_enabled=false', 'with_programming_language=', 'include_hidden=true']) {
    expect([same, await list(same)]).toEqual([same, ['own', 'inside', 'open']])
  }
  expect(await list('order_by=storage_size&sort=asc')).toEqual(['open', 'inside', 'own'])
  expect(await nadia.get('/projects?with_issues_enabled=maybe&marked_for_deletion_on=soon')).toMatchObject({
    status: 400,
    body: { error: 'with_issues_enabled is invalid, marked_for_deletion_on is invalid' },
  })
})

test('keyset pagination of projects follows the links to the end', async () => {
  const { server, nadia } = await startWithProjects()
  const first = await nadia.get('/projects?pagination=keyset&order_by=id&per_page=2')

  expect(names(first)).toEqual(['own', 'inside'])
  expect(first.headers).not.toHaveProperty('x-total')
  const link = /^<https:\/\/alcove\.test\/api\/v4(\/projects\?[^>]+)>; rel="next"$/.exec(first.headers['link'] ?? '')
  expect(link?.[1]).toContain(`id_before=${first.body[1].id}`)
  const second = await nadia.get(link?.[1] ?? '')
  expect(names(second)).toEqual(['open'])
  expect(second.headers).not.toHaveProperty('link')
  const ascending = await server.admin.get('/projects?pagination=keyset&order_by=id&sort=asc&per_page=3')
  expect(ascending.headers['link']).toContain(`id_after=${ascending.body[2].id}`)
  expect(await nadia.get('/projects?pagination=keyset')).toMatchObject({
    status: 405,
    body: { error: 'Keyset pagination is not yet available for this type of request' },
  })
})

test('a long list of projects has no total, and the same order in every request', async () => {
  const { server, nadia, open } = await startWithProjects()
  const [few, many] = [2_500, 10_050]
  await addProjects(server, open['namespace'].id, many)
  await server.admin.put(`/projects/${open.id}`, { topics: ['maps'] })
  await server.deps.db.run(sql`
    insert into project_topics (project_id, topic_id)
    select p.id, t.id from projects p join topics t on t.name = 'maps'
    where p.name like 'bulk%' and cast(substr(p.name, 5) as integer) <= ${few}`)

  for (const client of [server.anonymous, nadia, server.admin]) {
    const long = await client.get('/projects?per_page=2&page=3')
    expect(long.headers).not.toHaveProperty('x-total')
    expect(long.headers['x-next-page']).toBe('4')
    for (const order of ['id', 'name', 'updated_at', 'star_count']) {
      const of = async (page: number) =>
        names(await client.get(`/projects?order_by=${order}&sort=asc&search=&per_page=50&page=${page}`))
      const [once, twice] = [await of(2), await of(2)]
      expect(once).toEqual(twice)
      expect(new Set([...once, ...(await of(3))]).size).toBe(100)
    }
  }
  const tagged = await nadia.get('/projects?topic=maps&per_page=3')
  expect(tagged.headers['x-total']).toBe(String(few + 1))
  expect(names(tagged)).toEqual([`bulk${few}`, `bulk${few - 1}`, `bulk${few - 2}`])
  expect(names(await nadia.get('/projects?topic=maps&per_page=2&sort=asc'))).toEqual(['open', 'bulk1'])
  const last = await nadia.get('/projects?topic=maps&order_by=name&sort=asc&per_page=100&page=26')
  expect(names(last)).toEqual(['open'])
})

async function addProjects(server: TestServer, namespaceId: number, count: number): Promise<void> {
  const now = server.deps.now()
  const rows = Array.from({ length: count }, (_, index) => ({ name: `bulk${index + 1}` }))
  await server.deps.db.run(sql`
    insert into projects (organization_id, namespace_id, name, path, full_path, full_path_key, visibility,
      created_at, updated_at, last_activity_at)
    select 1, ${namespaceId}, r.name, r.name, 'acme/' || r.name, 'acme/' || r.name, 'public', ${now}, ${now}, ${now}
    from ${server.deps.db.dialect.records(rows, { name: 'text' })} as r`)
}

test('the topics of a project are found by its id, not by reading those of all projects', async () => {
  const statements: Sql[] = []
  const server = await start({ observe: (query) => statements.push(query) })
  const { db } = server.deps
  const project = await server.project('acme/site')
  await server.admin.put(`/projects/${project.id}`, { topics: ['maps', 'routes', 'tiles'] })
  await addProjects(server, project['namespace'].id, 2_000)
  await db.run(sql`
    insert into project_topics (project_id, topic_id) select p.id, t.id from projects p cross join topics t
    where p.name like 'bulk%'`)
  if (db.dialect.engine === 'postgres') await db.run(sql`analyze project_topics`)

  statements.length = 0
  expect((await server.admin.get(`/projects/${project.id}?fresh=1`)).body.topics).toEqual(['maps', 'routes', 'tiles'])
  const [read] = statements.filter(({ text }) => text.includes('from project_topics a join topics t'))
  expect(read && (await planOf(db, read))).toMatch(/index scan .*on project_topics|SEARCH a USING/i)
})

test('a list that was requested before shows what has changed since', async () => {
  const { server, nadia, open, closed } = await startWithProjects()
  const { admin } = server
  const isListed = async (query: string, change: () => Promise<Reply>, client = admin) => {
    const before = names(await client.get(`/projects?${query}`))
    expect((await change()).status, query).toBeLessThan(300)
    return [before, names(await client.get(`/projects?${query}`))]
  }
  const at = `/projects/${open.id}`
  const member = `/projects/${closed.id}/members`
  const added = { user_id: id(nadia), access_level: 10 }

  expect(await isListed('topic=web', () => admin.put(at, { topics: ['web'] }))).toEqual([[], ['open']])
  const [topic] = (await admin.get('/topics?search=web')).body
  expect(await isListed('topic=net', () => admin.put(`/topics/${topic.id}`, { name: 'net' }))).toEqual([[], ['open']])
  expect(await isListed('starred=true', () => admin.post(`${at}/star`))).toEqual([[], ['open']])
  const attribute = () => admin.put(`${at}/custom_attributes/team`, { value: 'red' })
  expect(await isListed('custom_attributes[team]=red', attribute)).toEqual([[], ['open']])
  expect(await isListed('membership=true', () => admin.post(member, added), nadia)).toEqual([
    ['own'],
    ['own', 'closed'],
  ])
  expect(await isListed('membership=true', () => admin.delete(`${member}/${id(nadia)}`), nadia)).toEqual([
    ['own', 'closed'],
    ['own'],
  ])
  expect(
    await isListed('visibility=private&search=clo', () => admin.put(`/projects/${closed.id}`, { name: 'clover' })),
  ).toEqual([['closed'], ['closed']])
  expect((await admin.get('/projects?visibility=private&search=clo')).body[0].name).toBe('clover')
})
