import { beforeAll, expect, test } from 'vitest'
import { openApp } from '../../app.ts'
import { routes } from '../../routes.ts'
import { type Client, createClient, formWithFile, type Reply } from '../../testing/client.ts'
import { entry } from '../../testing/reports.ts'
import { startServer, type TestServer } from '../../testing/server.ts'

/*
 * Requests every cached route of a project or group by path and by id, before and after another resource takes over
 * that path. Each response must be the one of a server without caches on the same database.
 */

const cachedRoutes = routes.filter(({ cacheTables, path }) => cacheTables && /^\/(projects|groups)\/:id\b/.test(path))

let server: TestServer
let victim: Client
let mallory: Client
let uncached: { victim: Client; mallory: Client }

beforeAll(async () => {
  server = await startServer()
  const { deps } = server
  const changes = { ...deps.db.changes, version: () => undefined }
  const { server: app } = await openApp({ ...deps, db: { ...deps.db, changes } })
  const accounts = ['victim', 'mallory'] as const
  const [first, second] = await Promise.all(accounts.map((name) => server.user(name)))
  if (!first || !second) throw new Error('two users were created')
  victim = first
  mallory = second
  uncached = { victim: createClient(app, victim), mallory: createClient(app, mallory) }
  return () => app.close()
})

test('cached routes include projects and groups', () => {
  expect(cachedRoutes.map(({ path }) => path)).toContain('/projects/:id/uploads')
  expect(cachedRoutes.map(({ path }) => path)).toContain('/groups/:id/uploads')
  expect(cachedRoutes.length).toBeGreaterThan(5)
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

test('after a group is renamed, the new group at its old path gets its own responses', async () => {
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

test('after a project is transferred, the new project at its old path gets its own responses', async () => {
  const [from, to] = [await groupOf(victim, 'from'), await groupOf(victim, 'to')]
  const project = await filledProject(victim, 'app', from)
  await add(`/groups/${from}/members`, mallory)
  const references = ['from/app', 'to/app', String(project)]
  await expectSame('projects', references)

  await done(victim.put(`/projects/${project}/transfer`, { namespace: to }))
  await expectSame('projects', references)
  await done(mallory.post('/projects', { name: 'app', path: 'app', namespace_id: from }))
  await expectSame('projects', references)
})

test('after resources are deleted, new ones at their paths get their own responses', async () => {
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

test('after a user is renamed, the new user with the old name gets their own responses', async () => {
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

test('a response shows the path that the resource has now', async () => {
  const group = await groupOf(victim, 'shown')
  const project = await filledProject(victim, 'app', group)
  await expectSame('projects', [String(project)])

  await done(victim.put(`/projects/${project}`, { name: 'Renamed', path: 'renamed' }))
  await expectSame('projects', [String(project), 'shown/renamed'])
  await done(victim.put(`/groups/${group}`, { name: 'Moved', path: 'moved' }))
  await expectSame('projects', [String(project), 'moved/renamed'])
})

/** Sends the request twice, so that the second response can come from the cache, and compares each with the uncached one. */
async function expectSame(noun: 'projects' | 'groups', references: readonly string[]): Promise<void> {
  for (const { path } of cachedRoutes.filter(({ path }) => path.startsWith(`/${noun}/`))) {
    for (const reference of references) {
      const address = `${path.replace(':id', encodeURIComponent(reference))}?with_details=true&per_page=1`
      for (const [cached, fresh] of [
        [victim, uncached.victim],
        [mallory, uncached.mallory],
        [victim, uncached.victim],
      ] as const) {
        expect(comparable(await cached.get(address)), address).toEqual(comparable(await fresh.get(address)))
      }
    }
  }
}

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
