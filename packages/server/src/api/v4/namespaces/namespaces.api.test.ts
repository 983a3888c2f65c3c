import { expect, test } from 'vitest'
import { startServer as start } from '../../../testing/server.ts'

const startServer = () => start({ settings: { externalUrl: 'https://alcove.test' } })
const hidden = { status: 404, body: { message: '404 Namespace Not Found' } }
const paths = (reply: { body: { full_path: string }[] }) => reply.body.map((namespace) => namespace.full_path)

test('users see their own namespace and the groups they belong to, administrators see all', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const acme = (await nadia.post('/groups', { name: 'Acme', path: 'acme' })).body
  const sub = (await nadia.post('/groups', { name: 'Web', path: 'web', parent_id: acme.id })).body
  const other = (await server.admin.post('/groups', { name: 'Other', path: 'other', visibility: 'public' })).body
  await server.admin.post(`/groups/${other.id}/members`, { user_id: nadia.user?.id, access_level: 10 })
  await server.admin.post('/groups', { name: 'Strange', path: 'strange', visibility: 'public' })

  const list = await nadia.get('/namespaces')
  expect(paths(list)).toEqual(['nadia', 'acme', 'acme/web', 'other'])
  expect(list.body[0]).toEqual({
    id: expect.any(Number),
    name: 'nadia',
    path: 'nadia',
    kind: 'user',
    full_path: 'nadia',
    parent_id: null,
    avatar_url: null,
    web_url: 'https://alcove.test/nadia',
  })
  expect(list.body[1]).toMatchObject({ kind: 'group', members_count_with_descendants: 1 })
  expect(list.body[2]).toMatchObject({ id: sub.id, parent_id: acme.id, web_url: 'https://alcove.test/groups/acme/web' })
  expect(list.body[3]).not.toHaveProperty('members_count_with_descendants')
  expect(list.headers['x-total']).toBe('4')

  expect(paths(await nadia.get('/namespaces?owned_only=true'))).toEqual(['nadia', 'acme', 'acme/web'])
  expect(paths(await nadia.get('/namespaces?top_level_only=true'))).toEqual(['nadia', 'acme', 'other'])
  expect(paths(await nadia.get('/namespaces?search=WEB'))).toEqual(['acme/web'])
  expect(paths(await nadia.get('/namespaces?search=acme/w'))).toEqual([])
  expect(paths(await nadia.get('/namespaces?search=acme/w&full_path_search=true'))).toEqual(['acme/web'])
  expect(paths(await server.admin.get('/namespaces'))).toEqual([
    'root',
    'nadia',
    'acme',
    'acme/web',
    'other',
    'strange',
  ])
  expect((await server.anonymous.get('/namespaces')).status).toBe(401)
})

test('a namespace is found by id and path, by its members only', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const acme = (await nadia.post('/groups', { name: 'Acme', path: 'acme', visibility: 'public' })).body
  const stranger = await server.user('stranger')

  expect(await nadia.get('/namespaces/ACME')).toMatchObject({ status: 200, body: { id: acme.id, kind: 'group' } })
  expect(await nadia.get(`/namespaces/${acme.id}`)).toMatchObject({ status: 200, body: { full_path: 'acme' } })
  expect(await nadia.get('/namespaces/nadia')).toMatchObject({ status: 200, body: { kind: 'user' } })
  expect(await stranger.get('/namespaces/acme')).toMatchObject(hidden)
  expect(await stranger.get('/namespaces/nadia')).toMatchObject(hidden)
  expect(await nadia.get('/namespaces/nowhere')).toMatchObject(hidden)
  expect((await server.anonymous.get('/namespaces/acme')).status).toBe(401)
  expect((await server.admin.get('/namespaces/nadia')).status).toBe(200)
})

test('GET /namespaces/:id/exists reports taken paths and suggests a free one', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const acme = (await nadia.post('/groups', { name: 'Acme', path: 'acme' })).body
  await nadia.post('/groups', { name: 'Acme', path: 'acme1' })
  await nadia.post('/groups', { name: 'Web', path: 'web', parent_id: acme.id })

  expect((await nadia.get('/namespaces/Acme/exists')).body).toEqual({ exists: true, suggests: ['Acme2'] })
  expect((await nadia.get('/namespaces/free/exists')).body).toEqual({ exists: false, suggests: [] })
  expect((await nadia.get('/namespaces/web/exists')).body).toEqual({ exists: false, suggests: [] })
  expect((await nadia.get(`/namespaces/web/exists?parent_id=${acme.id}`)).body).toEqual({
    exists: true,
    suggests: ['web1'],
  })
  expect((await server.anonymous.get('/namespaces/acme/exists')).status).toBe(401)
})
