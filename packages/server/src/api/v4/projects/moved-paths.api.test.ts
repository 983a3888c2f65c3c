import { expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer as start, type TestServer } from '../../../testing/server.ts'

const base = 'https://alcove.test/api/v4'
const startServer = () => start({ settings: { externalUrl: 'https://alcove.test' } })
const noProject = { status: 404, body: { message: '404 Project Not Found' } }
const noGroup = { status: 404, body: { message: '404 Group Not Found' } }
const refused = (reason: string) => ({
  status: 400,
  body: { message: `Failed to transfer project {:new_namespace=>["${reason}"]}` },
})

async function group(client: Client, path: string, rest: object = {}) {
  const { body } = await client.post('/groups', { name: path, path, visibility: 'public', ...rest })
  return body as { id: number; full_path: string }
}

async function follow(client: Client, path: string): Promise<number | string> {
  const { status, headers } = await client.get(path)
  return status === 301 ? (headers['location'] ?? '') : status
}

async function add(server: TestServer, place: string, client: Client, level: number): Promise<void> {
  const member = { user_id: client.user?.id, access_level: level }
  expect((await server.admin.post(`${place}/members`, member)).status).toBe(201)
}

test('the old path of a renamed project redirects to its id, in any case and with subpaths', async () => {
  const server = await startServer()
  const project = await server.project('acme/site', { visibility: 'public' })
  const address = `${base}/projects/${project.id}`
  await server.admin.put(`/projects/${project.id}`, { path: 'shop' })

  const moved = await server.anonymous.get('/projects/acme%2Fsite?statistics=true&x=%20a?b')
  expect(moved).toMatchObject({
    status: 301,
    text: `This resource has been moved permanently to ${address}?statistics=true&x=%20a?b`,
    headers: {
      location: `${address}?statistics=true&x=%20a?b`,
      'content-type': 'text/plain',
      'cache-control': 'no-store',
    },
  })
  expect(await server.admin.get('/projects/ACME%2fSITE/members/all/1')).toMatchObject({
    status: 301,
    headers: { location: `${address}/members/all/1` },
  })
  expect(await server.anonymous.head('/projects/acme%2Fsite/')).toMatchObject({
    status: 301,
    text: '',
    headers: { location: `${address}/` },
  })
  expect((await server.anonymous.get('/projects/acme%2Fshop')).status).toBe(200)
  // A renamed project can be renamed again and back.
  await server.admin.put(`/projects/${project.id}`, { path: 'store' })
  expect(await follow(server.anonymous, '/projects/acme%2Fsite')).toBe(address)
  expect(await follow(server.anonymous, '/projects/acme%2Fshop')).toBe(address)
  await server.admin.put(`/projects/${project.id}`, { path: 'Site' })
  expect(await follow(server.anonymous, '/projects/acme%2Fsite')).toBe(200)
  expect(await follow(server.anonymous, '/projects/acme%2Fstore')).toBe(address)
  await server.admin.put(`/projects/${project.id}`, { path: 'SITE' })
  expect(await follow(server.anonymous, '/projects/acme%2Fsite')).toBe(200)
})

test('writes at an old path return 405', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const developer = await server.as('developer', project)
  await server.admin.put(`/projects/${project.id}`, { path: 'shop' })
  const old = '/projects/acme%2Fsite'
  const message = 'Non GET methods are not allowed for moved projects'
  const refusal = { status: 405, body: { message } }

  expect(await server.admin.put(old, { description: 'x' })).toMatchObject(refusal)
  expect(await server.admin.delete(old)).toMatchObject(refusal)
  expect(await server.admin.post(`${old}/uploads`, formWithFile('file', 'a.txt', 'a'))).toMatchObject(refusal)
  // Checked before the role, like the redirect.
  expect(await developer.delete(old)).toMatchObject(refusal)
  expect(await developer.put(old, { visibility: 'none' })).toMatchObject({ status: 400 })
  expect(await server.anonymous.put(old, { description: 'x' })).toMatchObject({ status: 401 })
  expect((await server.admin.get(`/projects/${project.id}`)).body).toMatchObject({ description: null })
})

test('a new owner of an old path takes precedence over the redirect', async () => {
  const server = await startServer()
  const acme = await group(server.admin, 'acme')
  const first = await server.project('acme/site', { visibility: 'public' })
  await server.admin.put(`/projects/${first.id}`, { name: 'first', path: 'shop' })
  const second = await server.project('acme/site', { visibility: 'public' })

  expect((await server.anonymous.get('/projects/acme%2Fsite')).body.id).toBe(second.id)
  await server.admin.delete(`/projects/${second.id}`)
  expect(await server.admin.get('/projects/acme%2Fsite')).toMatchObject(noProject)

  await server.admin.put(`/projects/${first.id}`, { path: 'web' })
  await server.admin.put(`/groups/${acme.id}`, { path: 'apex' })
  expect(await follow(server.anonymous, '/projects/acme%2Fweb')).toBe(`${base}/projects/${first.id}`)
  expect(await follow(server.anonymous, '/projects/acme%2Fshop')).toBe(`${base}/projects/${first.id}`)
  await group(server.admin, 'Acme')
  expect(await server.anonymous.get('/projects/acme%2Fweb')).toMatchObject(noProject)
  expect(await server.anonymous.get('/projects/acme%2Fshop')).toMatchObject(noProject)
  // A subgroup takes the path of a project that moved.
  await group(server.admin, 'shop', { parent_id: acme.id })
  expect(await server.admin.get('/projects/apex%2Fshop')).toMatchObject(noProject)
  expect((await server.admin.get('/groups/apex%2Fshop')).status).toBe(200)
})

test('the old path of a renamed group redirects for the group and everything in it', async () => {
  const server = await startServer()
  const acme = await group(server.admin, 'acme')
  const sub = await group(server.admin, 'sub', { parent_id: acme.id })
  const site = await server.project('acme/site', { visibility: 'public' })
  const inner = (await server.admin.post('/projects', { name: 'in', namespace_id: sub.id, visibility: 'public' })).body
  await server.admin.put(`/groups/${acme.id}`, { path: 'zenith' })

  expect(await follow(server.anonymous, '/groups/acme?with_projects=false')).toBe(
    `${base}/groups/${acme.id}?with_projects=false`,
  )
  expect(await follow(server.anonymous, '/groups/Acme%2FSub/projects')).toBe(`${base}/groups/${sub.id}/projects`)
  expect(await follow(server.anonymous, '/projects/acme%2Fsite')).toBe(`${base}/projects/${site.id}`)
  expect(await follow(server.anonymous, '/projects/acme%2Fsub%2Fin')).toBe(`${base}/projects/${inner.id}`)
  expect(await server.admin.put('/groups/acme', { name: 'x' })).toMatchObject({
    status: 405,
    body: { message: 'Non GET methods are not allowed for moved groups' },
  })
  expect((await server.anonymous.get('/projects/zenith%2Fsub%2Fin')).body.id).toBe(inner.id)

  // After the deletion there is no redirect.
  await server.admin.delete(`/groups/${acme.id}`)
  expect(await server.admin.get('/groups/acme')).toMatchObject(noGroup)
  expect(await server.admin.get('/projects/acme%2Fsub%2Fin')).toMatchObject(noProject)
})

test('old paths of a renamed user redirect to the projects until another user takes the name', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const own = (await nadia.post('/projects', { name: 'own', visibility: 'public' })).body
  await server.admin.put(`/users/${nadia.user?.id}`, { username: 'nadja' })

  expect((await nadia.get('/projects/nadja%2Fown')).body.id).toBe(own.id)
  expect(await follow(nadia, '/projects/nadia%2Fown')).toBe(`${base}/projects/${own.id}`)
  await group(server.admin, 'nadia')
  expect(await nadia.get('/projects/nadia%2Fown')).toMatchObject(noProject)
})

test('an old path reveals nothing to callers without access', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const secret = await group(server.admin, 'secret', { visibility: 'private' })
  await server.admin.put(`/projects/${project.id}`, { path: 'shop' })
  await server.admin.put(`/groups/${secret.id}`, { path: 'hidden' })
  const outsider = await server.as('outsider', project)

  for (const client of [server.anonymous, outsider]) {
    expect(await client.get('/projects/acme%2Fsite')).toMatchObject(noProject)
    expect(await client.get('/groups/secret')).toMatchObject(noGroup)
  }
  expect(await outsider.put('/projects/acme%2Fsite', { description: 'x' })).toMatchObject(noProject)
  expect(await outsider.delete('/groups/secret')).toMatchObject(noGroup)
})

test('uploads and rendered Markdown keep their addresses when their project is renamed or transferred', async () => {
  const server = await startServer()
  const project = await server.project('acme/site', { visibility: 'public' })
  const upload = (await server.admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'a'))).body
  const apex = await group(server.admin, 'apex')
  await server.admin.put(`/projects/${project.id}/transfer`, { namespace: apex.id })

  expect((await server.anonymous.get(`/${upload.full_path}`)).text).toBe('a')
  const markdown = { text: upload.markdown, project: 'acme/site', gfm: true }
  const rendered = await server.admin.post('/markdown', markdown)
  expect(rendered).toMatchObject({ status: 201, body: { html: expect.stringContaining(upload.full_path) } })
})

test('owners can transfer a project to a group where they are Maintainers', async () => {
  const server = await startServer()
  const project = await server.project('acme/site', { visibility: 'public' })
  await server.admin.put(`/projects/${project.id}`, { topics: ['maps'] })
  const owner = await server.as('owner', project)
  const maintainer = await server.as('maintainer', project)
  const inner = await group(server.admin, 'inner', { visibility: 'internal' })
  const path = `/projects/${project.id}/transfer`

  expect(await server.anonymous.put(path, { namespace: inner.id })).toMatchObject({ status: 401 })
  expect(await maintainer.put(path, { namespace: inner.id })).toMatchObject({ status: 403 })
  expect(await owner.put(path, {})).toMatchObject({ status: 400, body: { error: 'namespace is missing' } })
  const noNamespace = { status: 404, body: { message: '404 Namespace Not Found' } }
  expect(await owner.put(path, { namespace: inner.id })).toMatchObject(noNamespace)
  expect(await owner.put(path, { namespace: 'nowhere' })).toMatchObject(noNamespace)
  await add(server, `/groups/${inner.id}`, owner, 30)
  expect(await owner.put(path, { namespace: 'inner' })).toMatchObject(
    refused("You don't have permission to transfer projects into that namespace."),
  )
  await server.admin.put(`/groups/${inner.id}/members/${owner.user?.id}`, { access_level: 40 })
  const twin = (await server.admin.post('/projects', { name: 'site', path: 'other', namespace_id: inner.id })).body
  expect(await owner.put(path, { namespace: 'inner' })).toMatchObject(
    refused('Project with same name or path in target namespace already exists'),
  )
  await server.admin.delete(`/projects/${twin.id}`)

  const transferred = await owner.put(path, { namespace: 'Inner' })
  // Not more visible than the group.
  expect(transferred).toMatchObject({
    status: 200,
    body: { id: project.id, path_with_namespace: 'inner/site', visibility: 'internal', namespace: { id: inner.id } },
  })
  expect(transferred.body).not.toHaveProperty('permissions')
  expect(await owner.put(path, { namespace: String(inner.id) })).toMatchObject(
    refused('Project is already in this namespace.'),
  )
  expect(await server.anonymous.get('/projects/acme%2Fsite')).toMatchObject(noProject)
  expect(await follow(owner, '/projects/acme%2Fsite')).toBe(`${base}/projects/${project.id}`)
  expect((await owner.get('/groups/inner/projects')).body).toMatchObject([{ id: project.id }])
  expect((await owner.get('/groups/acme/projects')).body).toEqual([])
  expect((await owner.get(`/projects/${project.id}`)).body).toMatchObject({ topics: ['maps'] })
})

test('a project can be transferred to a user, who then owns it, and back', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const nadia = await server.user('nadia')
  await add(server, `/projects/${project.id}`, nadia, 30)
  const path = `/projects/${project.id}/transfer`

  expect(await server.admin.put(path, { namespace: 'nadia' })).toMatchObject({
    status: 200,
    body: { path_with_namespace: 'nadia/site', owner: { username: 'nadia' } },
  })
  expect((await nadia.get(`/projects/${project.id}`)).body.permissions).toEqual({
    project_access: { access_level: 50, notification_level: 3 },
    group_access: null,
  })
  expect((await nadia.get('/projects?owned=true')).body).toMatchObject([{ id: project.id }])
  const own = await group(nadia, 'own', { visibility: 'private' })
  expect(await nadia.put(path, { namespace: own.id })).toMatchObject({ status: 200 })
  expect((await nadia.get(`/projects/own%2Fsite`)).body).toMatchObject({ id: project.id })
})

test('members inherited from a group lose access when the project leaves it', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const member = await server.user('member')
  await add(server, '/groups/acme', member, 40)
  const apex = await group(server.admin, 'apex', { visibility: 'private' })
  expect((await member.get(`/projects/${project.id}`)).status).toBe(200)

  await server.admin.put(`/projects/${project.id}/transfer`, { namespace: apex.id })
  expect(await member.get(`/projects/${project.id}`)).toMatchObject(noProject)
  expect(await member.get('/projects/acme%2Fsite')).toMatchObject(noProject)
  expect((await member.get('/projects?search=site')).body).toEqual([])
})
