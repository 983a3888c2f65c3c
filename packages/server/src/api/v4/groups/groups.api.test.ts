import { expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { startServer as start } from '../../../testing/server.ts'

const startServer = () => start({ settings: { externalUrl: 'https://alcove.test' } })
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const hidden = { status: 404, body: { message: '404 Group Not Found' } }
const paths = (reply: { body: { full_path: string }[] }) => reply.body.map((group) => group.full_path)

test('a new group is private and owned by its creator', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')

  const created = await nadia.post('/groups', { name: 'Acme Inc.', path: 'acme', skip_confirmation: true })

  expect(created.status).toBe(201)
  expect(Object.keys(created.body)).toEqual([
    ...['id', 'web_url', 'name', 'path', 'description', 'visibility', 'share_with_group_lock'],
    ...['require_two_factor_authentication', 'two_factor_grace_period', 'project_creation_level'],
    ...['auto_devops_enabled', 'subgroup_creation_level', 'emails_disabled', 'emails_enabled', 'mentions_disabled'],
    ...['lfs_enabled', 'default_branch', 'default_branch_protection', 'avatar_url', 'request_access_enabled'],
    ...['full_name', 'full_path', 'created_at', 'parent_id', 'organization_id', 'shared_runners_setting'],
    ...['marked_for_deletion_on', 'shared_with_groups', 'promote_vulnerabilities_on_ingestion'],
  ])
  expect(created.body).toMatchObject({
    web_url: 'https://alcove.test/groups/acme',
    name: 'Acme Inc.',
    full_name: 'Acme Inc.',
    full_path: 'acme',
    visibility: 'private',
    description: '',
    parent_id: null,
    organization_id: 1,
  })
  expect((await nadia.get('/groups/acme/members')).body).toMatchObject([{ username: 'nadia', access_level: 50 }])
})

test('POST /groups rejects invalid groups with GitLab’s messages', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  await nadia.post('/groups', { name: 'Acme', path: 'acme' })
  const refusal = async (input: object) => {
    const { status, body } = await nadia.post('/groups', input)
    return { status, ...body }
  }
  const taken = { status: 400, message: 'Failed to save group {:path=>["has already been taken"]}' }

  expect(await server.anonymous.post('/groups', {})).toMatchObject({ status: 401 })
  expect(await refusal({})).toEqual({ status: 400, error: 'name is missing, path is missing' })
  expect(await refusal({ name: 'Other', path: 'ACME' })).toEqual(taken)
  expect(await refusal({ name: 'Nadia', path: 'Nadia' })).toEqual(taken)
  expect(await refusal({ name: '', path: '-x' })).toEqual({
    status: 400,
    message:
      "Failed to save group {:name=>[\"can't be blank\"], :path=>[\"can contain only letters, digits, '_', '-' and '.'. " +
      "Cannot start with '-' or end in '.', '.git' or '.atom'.\"]}",
  })
  expect(await refusal({ name: 'Api', path: 'api' })).toEqual({
    status: 400,
    message: 'Failed to save group {:path=>["api is a reserved name"]}',
  })
  expect(await refusal({ name: 'x', path: 'x', visibility: 'none' })).toEqual({
    status: 400,
    error: 'visibility does not have a valid value',
  })
  const external = await server.user('external', { external: true })
  expect(await external.post('/groups', { name: 'x', path: 'x' })).toMatchObject(forbidden)
})

test('maintainers and owners of a group can create subgroups', async () => {
  const server = await startServer()
  const acme = (await server.admin.post('/groups', { name: 'Acme', path: 'acme', visibility: 'internal' })).body
  const member = async (level: number) => {
    const client = await server.user(`level-${level}`)
    await server.admin.post(`/groups/${acme.id}/members`, { user_id: client.user?.id, access_level: level })
    return client
  }
  const [developer, maintainer] = [await member(30), await member(40)]
  const sub = { name: 'Web', path: 'web', parent_id: acme.id }

  expect(await developer.post('/groups', sub)).toMatchObject(forbidden)
  expect(await maintainer.post('/groups', { ...sub, visibility: 'public' })).toMatchObject({
    status: 400,
    body: {
      message:
        'Failed to save group {:visibility_level=>["public is not allowed since the parent group has a internal visibility."]}',
    },
  })
  expect(await maintainer.post('/groups', sub)).toMatchObject({
    status: 201,
    body: { full_path: 'acme/web', full_name: 'Acme / Web', parent_id: acme.id },
  })
  expect(await maintainer.post('/groups', sub)).toMatchObject({ status: 400 })
  await server.admin.post('/projects', { name: 'site', namespace_id: acme.id })
  expect(await maintainer.post('/groups', { ...sub, path: 'site' })).toMatchObject({
    status: 400,
    body: { message: 'Failed to save group {:path=>["has already been taken"]}' },
  })
  expect(await server.admin.post('/projects', { name: 'web', namespace_id: acme.id })).toMatchObject({
    status: 400,
    body: { message: { path: ['has already been taken'] } },
  })
  const stranger = await server.user('stranger', { external: true })
  expect(await stranger.post('/groups', sub)).toMatchObject(hidden)
  expect(await server.admin.post('/groups', { ...sub, parent_id: 4711 })).toMatchObject(hidden)
  expect(paths(await developer.get('/groups/acme/subgroups'))).toEqual(['acme/web'])
})

test('groups can be nested 20 levels deep', async () => {
  const { admin } = await startServer()
  const create = (depth: number, parent_id: number | undefined) =>
    admin.post('/groups', { name: `g${depth}`, path: `g${depth}`, parent_id, visibility: 'public' })
  let parent: number | undefined
  for (let depth = 0; depth <= 20; depth++) parent = (await create(depth, parent)).body.id

  expect(await create(21, parent)).toMatchObject({
    status: 400,
    body: { message: 'Failed to save group {:parent_id=>["has too deep level of nesting"]}' },
  })
  expect((await admin.get(`/groups/${parent}`)).body.full_path.split('/')).toHaveLength(21)
  // Members of a group are members of all groups below it.
  const project = (await admin.post('/projects', { name: 'deep', namespace_id: parent })).body
  expect((await admin.get(`/projects/${project.id}/members/all/1`)).body).toMatchObject({ access_level: 50 })
})

test('the descendants of a group are listed as far as the caller may read them', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const create = async (path: string, parent_id?: number, visibility = 'public') =>
    (await server.admin.post('/groups', { name: path, path, parent_id, visibility })).body.id
  const acme = await create('acme')
  const web = await create('web', acme)
  await create('deep', web)
  const vault = await create('vault', acme, 'private')
  await create('shelf', vault, 'private')
  await create('acme-not')
  const list = async (client: Client, query = '') =>
    paths(await client.get(`/groups/${acme}/descendant_groups${query}`))

  expect(await list(server.admin)).toEqual(['acme/web/deep', 'acme/vault/shelf', 'acme/vault', 'acme/web'])
  expect(await list(server.anonymous)).toEqual(['acme/web/deep', 'acme/web'])
  expect(await list(nadia)).toEqual(['acme/web/deep', 'acme/web'])
  expect(await list(server.admin, '?search=hel&order_by=path&sort=desc')).toEqual(['acme/vault/shelf'])
  await server.admin.post(`/groups/${vault}/members`, { user_id: nadia.user?.id, access_level: 10 })
  expect(await list(nadia, '?per_page=3&page=1')).toEqual(['acme/web/deep', 'acme/vault/shelf', 'acme/vault'])
  expect(paths(await nadia.get(`/groups/${acme}/subgroups`))).toEqual(['acme/vault', 'acme/web'])
  expect(await server.anonymous.get(`/groups/${vault}/descendant_groups`)).toMatchObject(hidden)
})

test('a full path has at most 255 characters, including projects', async () => {
  const { admin } = await startServer()
  const long = 'a'.repeat(250)
  const { body: group } = await admin.post('/groups', { name: 'long', path: long })
  const tooLong = 'is too long (maximum is 255 characters)'

  expect(await admin.post('/groups', { name: 'sub', path: 'sub-12', parent_id: group.id })).toMatchObject({
    status: 400,
    body: { message: `Failed to save group {:path=>["${tooLong}"]}` },
  })
  const refused = { status: 400, body: { message: { path: [tooLong] } } }
  expect(await admin.post('/projects', { name: 'site-1', namespace_id: group.id })).toMatchObject(refused)
  const { body: project } = await admin.post('/projects', { name: 'site', namespace_id: group.id })
  expect(project.path_with_namespace).toBe(`${long}/site`)
  expect(await admin.put(`/projects/${project.id}`, { path: 'site-1' })).toMatchObject(refused)
  // Groups and projects inside may become more visible with the group.
  expect(await admin.put(`/groups/${group.id}`, { path: `${long}-long` })).toMatchObject({ status: 200 })
})

test('GET of a group accepts id and path, and includes its projects unless with_projects is false', async () => {
  const server = await startServer()
  const site = await server.project('acme/site', { visibility: 'public' })
  await server.project('acme/secret')

  const found = await server.anonymous.get('/groups/ACME')
  expect(found).toMatchObject({ status: 200, body: { full_path: 'acme', projects: [{ id: site.id }] } })
  expect(found.body.projects).toHaveLength(1)
  expect(found.body.shared_projects).toEqual([])
  const short = await server.anonymous.get(`/groups/${found.body.id}?with_projects=false`)
  expect(short.status).toBe(200)
  expect(short.body).not.toHaveProperty('projects')
  expect((await server.admin.get('/groups/acme')).body.projects).toHaveLength(2)
  expect(await server.anonymous.get('/groups/nowhere')).toMatchObject(hidden)
  const nadia = await server.user('nadia')
  expect(await nadia.get('/groups/nadia')).toMatchObject(hidden)
})

test('a private group is visible only to its members and to members of anything inside', async () => {
  const server = await startServer()
  const group = (await server.admin.post('/groups', { name: 'Acme', path: 'acme' })).body
  const sub = (await server.admin.post('/groups', { name: 'Web', path: 'web', parent_id: group.id })).body
  const site = await server.project('acme/web/site')
  const insider = await server.as('guest', site)
  const member = await server.user('member')
  await server.admin.post(`/groups/${group.id}/members`, { user_id: member.user?.id, access_level: 10 })
  const stranger = await server.user('stranger')

  for (const client of [insider, member]) {
    expect((await client.get('/groups/acme')).status).toBe(200)
    expect((await client.get(`/groups/${sub.id}`)).status).toBe(200)
    expect(paths(await client.get('/groups'))).toEqual(['acme', 'acme/web'])
  }
  for (const client of [stranger, server.anonymous]) {
    for (const path of ['/groups/acme', '/groups/acme/subgroups', '/groups/acme/projects', `/groups/${sub.id}`]) {
      expect(await client.get(path)).toMatchObject(hidden)
    }
    expect(paths(await client.get('/groups'))).toEqual([])
    expect((await client.get('/groups')).headers['x-total']).toBe('0')
  }
  expect(await stranger.get('/groups/acme/members')).toMatchObject(hidden)

  await server.admin.delete(`/projects/${site.id}/members/${insider.user?.id}`)
  expect(await insider.get('/groups/acme')).toMatchObject(hidden)
})

test('the list of groups is filtered and sorted', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const create = async (path: string, visibility: string, by = server.admin, parentId?: number) =>
    (await by.post('/groups', { name: `Name of ${path}`, path, visibility, parent_id: parentId })).body
  const alpha = await create('alpha', 'public')
  await create('beta', 'internal')
  await create('gamma', 'private')
  const own = await create('own', 'private', nadia)
  await create('sub', 'public', server.admin, alpha.id)

  expect(paths(await server.anonymous.get('/groups'))).toEqual(['alpha', 'alpha/sub'])
  expect(paths(await nadia.get('/groups'))).toEqual(['alpha', 'beta', 'own', 'alpha/sub'])
  expect(paths(await server.admin.get('/groups'))).toEqual(['alpha', 'beta', 'gamma', 'own', 'alpha/sub'])
  expect(paths(await nadia.get('/groups?owned=true'))).toEqual(['own'])
  expect(paths(await nadia.get('/groups?all_available=false'))).toEqual(['own'])
  expect(paths(await nadia.get('/groups?min_access_level=50'))).toEqual(['own'])
  expect(paths(await server.anonymous.get('/groups?owned=true'))).toEqual([])
  expect(paths(await nadia.get('/groups?top_level_only=true&order_by=path&sort=desc'))).toEqual([
    'own',
    'beta',
    'alpha',
  ])
  expect(paths(await nadia.get('/groups?search=SUB'))).toEqual(['alpha/sub'])
  expect(paths(await nadia.get('/groups?search=100%25'))).toEqual([])
  expect(paths(await nadia.get('/groups?visibility=internal'))).toEqual(['beta'])
  expect(paths(await nadia.get(`/groups?skip_groups[]=${own.id}&order_by=id`))).toEqual(['alpha', 'beta', 'alpha/sub'])
  const page = await nadia.get('/groups?per_page=3&page=2')
  expect(paths(page)).toEqual(['alpha/sub'])
  expect(page.headers).toMatchObject({ 'x-total': '4', 'x-total-pages': '2', 'x-next-page': '' })
  expect(await nadia.get('/groups?page=501&per_page=100')).toMatchObject({ status: 405 })
  expect(await nadia.get('/groups?order_by=size')).toMatchObject({
    status: 400,
    body: { error: 'order_by does not have a valid value' },
  })
})

test('owners can update a group, and a new path applies to everything below it', async () => {
  const server = await startServer()
  const site = await server.project('acme/site', { visibility: 'public' })
  const group = site['namespace']
  await server.admin.post('/groups', { name: 'Web', path: 'web', parent_id: group.id, visibility: 'public' })
  const deep = await server.project('acme/web/deep', { visibility: 'internal' })
  await server.project('acmen/other')
  const maintainer = await server.user('maintainer')
  await server.admin.post(`/groups/${group.id}/members`, { user_id: maintainer.user?.id, access_level: 40 })

  expect(await maintainer.put('/groups/acme', { name: 'x' })).toMatchObject(forbidden)
  expect(await server.admin.put('/groups/acme', { path: 'Maintainer' })).toMatchObject({
    status: 400,
    body: { message: { path: ['has already been taken'] } },
  })
  expect(await server.admin.put('/groups/acme', { visibility: 'private' })).toMatchObject({
    status: 400,
    body: {
      message: {
        visibility_level: [
          'private is not allowed since this group contains projects with higher visibility.',
          'private is not allowed since there are sub-groups with higher visibility.',
        ],
      },
    },
  })
  const changed = await server.admin.put('/groups/acme', { name: 'Apex Straße', path: 'Apex', description: 'Top' })
  expect(changed).toMatchObject({ status: 200, body: { id: group.id, full_path: 'Apex', description: 'Top' } })
  expect((await server.admin.get('/groups/apex%2Fweb')).body.full_name).toBe('Apex Straße / Web')
  const moved = await server.admin.get('/projects/apex%2FWEB%2Fdeep')
  expect(moved.body).toMatchObject({
    id: deep.id,
    path_with_namespace: 'Apex/web/deep',
    name_with_namespace: 'Apex Straße / Web / deep',
  })
  expect((await server.admin.get('/projects?search=apex/web&search_namespaces=true')).body).toMatchObject([
    { id: deep.id },
  ])
  expect((await server.admin.get('/projects/acmen%2Fother')).status).toBe(200)
})

test('deleting a group deletes its subgroups and projects', async () => {
  const server = await startServer()
  const site = await server.project('acme/site')
  const group = site['namespace']
  await server.admin.post('/groups', { name: 'Web', path: 'web', parent_id: group.id })
  const deep = await server.project('acme/web/deep', { visibility: 'private' })
  await server.admin.put(`/projects/${deep.id}`, { topics: ['maps'] })
  const maintainer = await server.user('maintainer')
  await server.admin.post(`/groups/${group.id}/members`, { user_id: maintainer.user?.id, access_level: 40 })

  expect(await maintainer.delete(`/groups/${group.id}`)).toMatchObject(forbidden)
  expect(await server.admin.delete(`/groups/${group.id}`, {})).toMatchObject({
    status: 202,
    body: { message: '202 Accepted' },
  })
  expect(await server.admin.get('/groups/acme')).toMatchObject(hidden)
  expect((await server.admin.get(`/projects/${deep.id}`)).status).toBe(404)
  expect((await server.admin.get('/topics')).body).toMatchObject([{ name: 'maps', total_projects_count: 0 }])
  expect((await server.admin.get('/projects?search=deep')).body).toEqual([])
  expect((await server.admin.post('/groups', { name: 'Acme', path: 'acme' })).status).toBe(201)
})

test('a group that changed after If-Unmodified-Since is not deleted', async () => {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const { admin } = await start({ clock })
  const { id } = (await admin.post('/groups', { name: 'dated', path: 'dated' })).body
  clock.now = '2026-05-02T10:00:00.000Z'
  await admin.put(`/groups/${id}`, { description: 'new' })
  const remove = (since: string) =>
    admin.delete(`/groups/${id}`, undefined, { headers: { 'if-unmodified-since': since } })
  expect(await remove('Fri, 01 May 2026 12:00:00 GMT')).toMatchObject({
    status: 412,
    body: { message: '412 Precondition Failed' },
  })
  expect(await admin.get(`/groups/${id}`)).toMatchObject({ status: 200 })
  expect(await remove('Sat, 02 May 2026 10:00:00 GMT')).toMatchObject({ status: 202 })
})
