import { beforeAll, expect, test } from 'vitest'
import { openApp } from '../../app.ts'
import { routes } from '../../routes.ts'
import { type Client, createClient, formWithFile, type Reply } from '../../testing/client.ts'
import { onSqlite } from '../../testing/databases/database.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../testing/server.ts'
import type { Route } from '../route.ts'

/*
 * Requests every route that uses a cache, by path and by id, before and after a resource changes or another one takes
 * over its path. Each response must be the one of a new server on the same database, whose caches are empty.
 */

/** Views of rows that are rendered once (`renderRows`), and of resources that are cached by id. */
const cachedViews = ['Project', 'Topic', 'Vulnerability', 'Finding', 'Organization']

const viewOf = ({ output }: Route): string => {
  const { title, items } = output as { title?: string; items?: { title?: string } } // of TypeBox
  return title ?? items?.title ?? ''
}

const cachedPaths = routes
  .filter((route) => route.method === 'GET' && (route.cacheTables || cachedViews.includes(viewOf(route))))
  .map(({ path }) => path)
  // Documents do not depend on resources.
  .filter((path) => !path.startsWith('/-/'))

let server: TestServer
let victim: Client
let mallory: Client

beforeAll(async () => {
  server = await startServer()
  const accounts = ['victim', 'mallory'] as const
  const [first, second] = await Promise.all(accounts.map((name) => server.user(name)))
  if (!first || !second) throw new Error('two users were created')
  victim = first
  mallory = second
})

test.runIf(onSqlite)('cached routes include every kind of resource', () => {
  expect(cachedPaths).toEqual(
    expect.arrayContaining([
      ...['/projects', '/projects/:id', '/projects/:id/uploads', '/groups/:id/projects', '/groups/:id/uploads'],
      ...['/projects/:id/vulnerabilities', '/projects/:id/vulnerability_findings', '/vulnerabilities/:id'],
      ...['/topics', '/topics/:id', '/organizations', '/organizations/:id', '/users/:id/projects'],
    ]),
  )
})

test('after a project is renamed, the new project at its old path gets its own responses', async () => {
  const group = await groupOf(victim, 'rename')
  const project = await filledProject(victim, 'site', group)
  await add(`/groups/${group}/members`, mallory)
  const references = ['rename/site', 'rename/shop', String(project)]
  await expectSame('projects', references)

  await done(victim.put(`/projects/${project}`, { name: 'shop', path: 'shop' }))
  await expectSame('projects', references)
  await done(mallory.post('/projects', { name: 'site', path: 'site', namespace_id: group }))
  await expectSame('projects', references)
})

test.runIf(onSqlite)('after a group is renamed, the new group at its old path gets its own responses', async () => {
  const group = await groupOf(victim, 'corp')
  await filledProject(victim, 'app', group)
  await done(victim.post(`/groups/${group}/uploads`, formWithFile('file', 'secret.txt', 'secret')))
  const compare = async () => {
    await expectSame('groups', ['corp', 'corp-old', String(group)])
    await expectSame('projects', ['corp/app', 'corp-old/app'])
  }
  await compare()

  await done(victim.put(`/groups/${group}`, { path: 'corp-old' }))
  await compare()
  const taken = await groupOf(mallory, 'corp')
  await done(mallory.post('/projects', { name: 'app', path: 'app', namespace_id: taken }))
  await compare()
  expect((await mallory.get('/groups/corp/uploads')).body).toEqual([])
})

test.runIf(onSqlite)(
  'after a project is transferred, the new project at its old path gets its own responses',
  async () => {
    const [from, to] = [await groupOf(victim, 'from'), await groupOf(victim, 'to')]
    const project = await filledProject(victim, 'app', from)
    await add(`/groups/${from}/members`, mallory)
    const references = ['from/app', 'to/app', String(project)]
    await expectSame('projects', references)

    await done(victim.put(`/projects/${project}/transfer`, { namespace: to }))
    await expectSame('projects', references)
    await done(mallory.post('/projects', { name: 'app', path: 'app', namespace_id: from }))
    await expectSame('projects', references)
  },
)

test.runIf(onSqlite)('after resources are deleted, new ones at their paths get their own responses', async () => {
  const group = await groupOf(victim, 'gone')
  const project = await filledProject(victim, 'app', group)
  const nested = await groupOf(victim, 'below', group)
  await done(victim.post(`/groups/${nested}/uploads`, formWithFile('file', 'secret.txt', 'secret')))
  await add(`/groups/${group}/members`, mallory)
  const compare = async () => {
    await expectSame('projects', ['gone/app', String(project)])
    await expectSame('groups', ['gone', 'gone/below', String(nested)])
  }
  await compare()

  await done(victim.delete(`/projects/${project}`))
  await done(victim.delete(`/groups/${nested}`))
  await compare()
  await done(mallory.post('/projects', { name: 'app', path: 'app', namespace_id: group }))
  await groupOf(mallory, 'below', group)
  await compare()
  await done(victim.delete(`/groups/${group}`))
  await groupOf(mallory, 'gone')
  await compare()
})

test.runIf(onSqlite)('after a user is renamed, the new user with the old name gets their own responses', async () => {
  const user = await server.user('walker')
  const newcomer = await server.user('newcomer')
  const project = await filledProject(user, 'notes')
  await add(`/projects/${project}/members`, victim)
  const references = ['walker/notes', 'walker-two/notes', String(project)]
  await expectSame('projects', references)

  await done(server.admin.put(`/users/${user.user?.id}`, { username: 'walker-two' }))
  await expectSame('projects', references)
  await done(server.admin.put(`/users/${newcomer.user?.id}`, { username: 'walker' }))
  const taken = await done(newcomer.post('/projects', { name: 'notes', path: 'notes' }))
  await add(`/projects/${taken.body.id}/members`, mallory)
  await expectSame('projects', references)
})

test.runIf(onSqlite)('a response shows the path that the resource has now', async () => {
  const group = await groupOf(victim, 'shown')
  const project = await filledProject(victim, 'app', group)
  await expectSame('projects', [String(project)])

  await done(victim.put(`/projects/${project}`, { name: 'Renamed', path: 'renamed' }))
  await expectSame('projects', [String(project), 'shown/renamed'])
  await done(victim.put(`/groups/${group}`, { name: 'Moved', path: 'moved' }))
  await expectSame('projects', [String(project), 'moved/renamed'])
})

test.runIf(onSqlite)('a vulnerability and its findings show the project as it is now', async () => {
  const group = await groupOf(victim, 'triaged')
  const project = await filledProject(victim, 'app', group)
  const { body } = await victim.get(`/projects/${project}/vulnerabilities`)
  const [first, second] = body.map(({ id }: { id: number }) => String(id))
  const compare = async () => {
    await expectSame('vulnerabilities', [first, second])
    await expectSame('projects', [String(project)])
    await expectSame('groups', [String(group)])
  }
  await compare()

  await done(victim.put(`/projects/${project}`, { name: 'Renamed', path: 'renamed', description: 'Another' }))
  await compare()
  await done(victim.put(`/groups/${group}`, { name: 'Moved', path: 'triaged-moved' }))
  await compare()
  await done(victim.post(`/vulnerabilities/${first}/dismiss`, { comment: 'no' }))
  await done(server.admin.put(`/users/${victim.user?.id}`, { name: 'Another name' }))
  await compare()
  await server.report({ id: project }, [entry({ name: 'Renamed flaw', line: 1 })])
  await compare()
  await done(victim.put(`/projects/${project}/transfer`, { namespace: await groupOf(victim, 'triaged-elsewhere') }))
  await compare()
  await done(victim.delete(`/projects/${project}`))
  await compare()
})

test('lists of projects show each project as it is now, to those who may read it', async () => {
  const group = await groupOf(victim, 'listed')
  const project = await filledProject(victim, 'app', group)
  const queries = ['', 'membership=true', 'search=app', 'topic=quay', 'simple=true', 'order_by=name']
  const users = [victim, mallory].map(({ user }) => String(user?.id))
  const compare = async () => {
    await expectSame('projects', [String(project)], queries)
    await expectSame('groups', [String(group)])
    await expectSame('users', users)
  }
  await compare()

  await done(victim.put(`/projects/${project}`, { name: 'Renamed', path: 'renamed', topics: ['quay'] }))
  await compare()
  await done(victim.put(`/projects/${project}`, { visibility: 'private' }))
  await add(`/projects/${project}/members`, mallory)
  await compare()
  await done(server.admin.delete(`/projects/${project}/members/${mallory.user?.id}`))
  await compare()
  await done(victim.put(`/groups/${group}`, { name: 'Moved', path: 'listed-moved' }))
  await compare()
  await done(victim.post(`/projects/${project}/star`))
  await compare()
})

test.runIf(onSqlite)('topics show their names, counts and merges as they are now', async () => {
  const create = async (name: string) =>
    String((await done(server.admin.post('/topics', { name, title: `The ${name}` }))).body.id)
  const [harbour, port] = [await create('harbour'), await create('port')]
  const project = await filledProject(victim, 'dockyard')
  const names = ['harbour', 'port', 'dock']
  const compare = async () => {
    await expectSame('topics', [harbour, port], ['', ...names.flatMap((name) => [`name=${name}`, `search=${name}`])])
    await expectSame(
      'projects',
      [String(project)],
      names.map((name) => `topic=${name}`),
    )
  }
  await compare()

  await done(victim.put(`/projects/${project}`, { topics: ['harbour'] }))
  await compare()
  await done(server.admin.put(`/topics/${harbour}`, { name: 'dock', title: 'The dock' }))
  await compare()
  await create('harbour')
  await compare()
  await done(server.admin.post('/topics/merge', { source_topic_id: harbour, target_topic_id: port }))
  await compare()
  const [merge] = (await server.admin.get('/topics/merges')).body
  await done(server.admin.post(`/topics/merges/${merge.id}/undo`))
  await compare()
  await done(server.admin.delete(`/topics/${harbour}`))
  await create('dock')
  await compare()
})

test.runIf(onSqlite)('organizations are shown to those who may see them now', async () => {
  const { body } = await done(
    server.admin.post('/organizations', { name: 'Docks', path: 'docks', visibility: 'private' }),
  )
  const id = String(body.id)
  const topics = [`organization_id=${id}`, `organization_id=${id}&name=crane`]
  const compare = async () => {
    await expectSame('organizations', [id, '1'])
    await expectSame('topics', [], topics)
  }
  await compare()
  await done(server.admin.post('/topics', { name: 'crane', title: 'Crane', organization_id: body.id }))
  await compare()
  const group = { name: 'Cranes', path: 'cranes', organization_id: body.id }
  const created = await done(server.admin.post('/groups', group))
  await compare()
  await add(`/groups/${created.body.id}/members`, mallory)
  await compare()
  await done(server.admin.delete(`/groups/${created.body.id}`))
  await compare()
})

type Noun = 'projects' | 'groups' | 'users' | 'vulnerabilities' | 'topics' | 'organizations'

/**
 * Sends each request twice, so that the second response can come from a cache, and compares each with the response of a
 * new server. Lists without an id are requested with these queries.
 */
async function expectSame(noun: Noun, references: readonly string[], queries: readonly string[] = ['']): Promise<void> {
  const paths = cachedPaths.filter((path) => path.split('/')[1] === noun)
  expect(paths).not.toEqual([])
  const addresses = paths.flatMap((path) => {
    if (!path.includes(':id')) return queries.map((query) => `${path}?per_page=50&${query}`)
    return references.map((id) => `${path.replace(':id', encodeURIComponent(id))}?with_details=true&per_page=1`)
  })
  await withNewServer(async (fresh) => {
    for (const address of addresses) {
      for (const client of [victim, mallory, victim]) {
        const expected = comparable(await createClient(fresh, client).get(address))
        expect(comparable(await client.get(address)), address).toEqual(expected)
      }
    }
  })
}

async function withNewServer(work: (app: App) => Promise<void>): Promise<void> {
  const { deps } = server
  // Caches belong to this object. Without versions they keep nothing either.
  const changes = { ...deps.db.changes, version: () => undefined }
  const { server: app } = await openApp({ ...deps, db: { ...deps.db, changes } })
  try {
    await work(app)
  } finally {
    await app.close()
  }
}

type App = Awaited<ReturnType<typeof openApp>>['server']

const changing = ['date', 'x-request-id', 'x-gitlab-meta', 'x-runtime']

function comparable({ status, text, headers }: Reply) {
  return { status, text, headers: Object.entries(headers).filter(([name]) => !changing.includes(name)) }
}

async function groupOf(client: Client, path: string, parent?: number): Promise<number> {
  const group = { name: path, path, visibility: 'private', ...(parent !== undefined && { parent_id: parent }) }
  return (await done(client.post('/groups', group))).body.id
}

async function filledProject(client: Client, path: string, namespace?: number): Promise<number> {
  const place = namespace === undefined ? {} : { namespace_id: namespace }
  const { id } = (await done(client.post('/projects', { name: path, path, ...place }))).body
  for (const name of ['one.txt', 'two.txt']) {
    await done(client.post(`/projects/${id}/uploads`, formWithFile('file', name, 'secret')))
  }
  await server.report({ id }, [entry({ name: 'Secret flaw', line: 1 }), entry({ name: 'Another flaw', line: 2 })])
  return id
}

async function add(members: string, { user }: Client): Promise<void> {
  await done(server.admin.post(members, { user_id: user?.id, access_level: 50 }))
}

async function done(sent: Promise<Reply>): Promise<Reply> {
  const reply = await sent
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply
}
