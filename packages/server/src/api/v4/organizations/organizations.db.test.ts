import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let admin: Client
let insider: Client
let outsider: Client
let open: { id: number }
let hidden: { id: number; group: number; project: number; topic: number }
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

beforeAll(async () => {
  server = await startServer()
  admin = server.admin
  insider = await server.user('insider')
  outsider = await server.user('outsider')
  open = (await create({ name: 'Open', path: 'open', visibility: 'public' })).body
  const { id } = (await create({ name: 'Hidden', path: 'hidden' })).body
  const group = (await admin.post('/groups', { name: 'secret', path: 'secret', organization_id: id })).body
  expect(group).toMatchObject({ organization_id: id, visibility: 'private' })
  await admin.post(`/groups/${group.id}/members`, { user_id: insider.user?.id, access_level: 40 })
  const project = (await insider.post('/projects', { name: 'site', namespace_id: group.id, topics: ['shared'] })).body
  const texts = { name: 'shared-too', title: 'In hidden', organization_id: String(id) }
  const topic = (await admin.post('/topics', formWithFile('avatar', 'a.png', png, texts))).body
  hidden = { id, group: group.id, project: project.id, topic: topic.id }
})

function create(draft: Record<string, unknown>, client = server.admin) {
  return client.post('/organizations', draft)
}

const notThere = { status: 404, body: { message: '404 Organization Not Found' } }
const headers = (id: number) => ({ headers: { 'x-gitlab-organization-id': String(id) } })

describe('POST /organizations', () => {
  test('creates an organization with GitLab’s fields first', async () => {
    const { status, body } = await create({ name: 'Acme', path: 'acme-org', description: 'Ours' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'Acme', path: 'acme-org', description: 'Ours', avatar_url: null })
    expect(body.web_url).toMatch(/\/-\/organizations\/acme-org$/)
    expect(Object.keys(body)).toEqual([
      ...['id', 'name', 'path', 'description', 'created_at', 'updated_at', 'web_url', 'avatar_url', 'visibility'],
    ])
    expect(body.visibility).toBe('private')
  })

  test('requires an administrator, and a name and path that are not taken', async () => {
    expect(await create({ name: 'a', path: 'a' }, insider)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    })
    expect(await create({ name: 'a', path: 'a' }, server.anonymous)).toMatchObject({ status: 401 })
    expect(await create({})).toMatchObject({ status: 400, body: { error: 'name is missing, path is missing' } })
    expect(await create({ name: 'Open', path: 'OPEN' })).toMatchObject({
      status: 400,
      body: { message: { path: ['has already been taken'] } },
    })
    expect(await create({ name: '', path: 'a b' })).toMatchObject({
      status: 400,
      body: { message: { name: ["can't be blank"], path: [expect.stringMatching(/^can contain only letters/)] } },
    })
    expect(await create({ name: 'a', path: 'a', visibility: 'internal' })).toMatchObject({
      status: 400,
      body: { error: 'visibility does not have a valid value' },
    })
  })

  test('creates one organization when five requests with one path run concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'Race', path: 'race' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400])
  })
})

describe('a private organization', () => {
  test('is visible only to its members and administrators', async () => {
    for (const client of [admin, insider]) {
      expect(await client.get(`/organizations/${hidden.id}`)).toMatchObject({ status: 200, body: { path: 'hidden' } })
      expect((await client.get('/organizations')).text).toContain('"path":"hidden"')
    }
    for (const client of [outsider, server.anonymous]) {
      expect(await client.get(`/organizations/${hidden.id}`)).toMatchObject(notThere)
      expect(await client.get('/organizations/999999')).toMatchObject(notThere)
      const { text, headers } = await client.get('/organizations')
      expect(text).not.toContain('hidden')
      expect(JSON.parse(text).map(({ path }: { path: string }) => path)).toEqual(['default', 'open'])
      expect(headers['x-total']).toBe('2')
    }
  })

  test('stays hidden after its responses were cached for another user', async () => {
    const paths = [
      `/topics?organization_id=${hidden.id}`,
      `/topics?organization_id=${hidden.id}&search=shared`,
      `/topics/${hidden.topic}`,
      `/topics/${hidden.topic}/aliases`,
    ]
    for (const path of paths) {
      for (const client of [insider, admin]) expect(await client.get(path), path).toMatchObject({ status: 200 })
      for (const client of [outsider, server.anonymous]) {
        expect(await client.get(path), path).toMatchObject(notThere)
        expect((await client.head(path)).status).toBe(404)
      }
    }
    expect(await insider.get('/topics', headers(hidden.id))).toMatchObject({ status: 200 })
    expect(await outsider.get('/topics', headers(hidden.id))).toMatchObject(notThere)
    expect((await outsider.get('/topics')).text).not.toContain('In hidden')
    const { avatar_url: avatar } = (await insider.get(`/topics/${hidden.topic}`)).body
    const path = `/${new URL(avatar).pathname}`
    const served = await insider.get(path)
    expect(served).toMatchObject({ status: 200, headers: { 'cache-control': expect.stringContaining('private') } })
    expect(served.headers['cache-control']).not.toContain('public')
    expect(await server.anonymous.get(path)).toMatchObject(notThere)
  })

  test('hides its projects and groups, and accepts no public ones', async () => {
    expect(await outsider.get(`/groups/${hidden.group}`)).toMatchObject({ status: 404 })
    expect(await outsider.get(`/projects/${hidden.project}`)).toMatchObject({ status: 404 })
    expect((await outsider.get(`/projects?topic_id=${hidden.topic}`)).body).toEqual([])
    expect((await outsider.get('/projects?topic=shared')).body).toEqual([])
    const problem = 'public is not allowed since the organization has a private visibility.'
    const visible = { name: 'v', path: 'v', visibility: 'public', organization_id: hidden.id }
    expect(await admin.post('/groups', visible)).toMatchObject({
      status: 400,
      body: { message: `Failed to save group {:visibility_level=>["${problem}"]}` },
    })
    expect(await admin.put(`/groups/${hidden.group}`, { visibility: 'public' })).toMatchObject({
      status: 400,
      body: { message: { visibility_level: [problem] } },
    })
  })

  test('rejects groups of outsiders like a missing organization', async () => {
    for (const id of [hidden.id, 999_999]) {
      expect(await outsider.post('/groups', { name: 'mine', path: 'mine', organization_id: id })).toMatchObject(
        notThere,
      )
    }
    expect(await insider.post('/groups', { name: 'ours', path: 'ours', organization_id: hidden.id })).toMatchObject({
      status: 201,
      body: { organization_id: hidden.id },
    })
  })

  test('is hidden from a user who loses their last membership in it', async () => {
    const guest = await server.user('short-guest')
    await admin.post(`/projects/${hidden.project}/members`, { user_id: guest.user?.id, access_level: 10 })
    expect((await guest.get(`/topics/${hidden.topic}`)).status).toBe(200)
    await admin.delete(`/projects/${hidden.project}/members/${guest.user?.id}`)
    expect(await guest.get(`/topics/${hidden.topic}`)).toMatchObject(notThere)
  })
})

describe('organizations', () => {
  test('have their own topics: the same name counts different projects', async () => {
    const group = (await admin.post('/groups', { name: 'g', path: 'open-g', visibility: 'public' }, headers(open.id)))
      .body
    expect(group.organization_id).toBe(open.id)
    const draft = { name: 'p', namespace_id: group.id, visibility: 'public', topics: ['shared'] }
    const project = (await admin.post('/projects', draft)).body
    const [here] = (await admin.get('/topics?search=shared', headers(open.id))).body
    const [there] = (await admin.get(`/topics?search=shared&organization_id=${hidden.id}`)).body
    expect(here).toMatchObject({ name: 'shared', organization_id: open.id, total_projects_count: 1 })
    expect(there).toMatchObject({ name: 'shared', organization_id: hidden.id, total_projects_count: 1 })
    expect(here.id).not.toBe(there.id)
    expect((await admin.get('/topics?search=shared')).body).toEqual([])
    expect((await admin.get(`/projects?topic_id=${here.id}`)).body).toMatchObject([{ id: project.id }])

    expect(await admin.post('/topics', { name: 'SHARED', title: 'x', organization_id: open.id })).toMatchObject({
      status: 400,
      body: { message: { name: ['has already been taken'] } },
    })
    expect((await admin.post('/topics', { name: 'shared', title: 'x' })).status).toBe(201)
    const merge = { source_topic_id: here.id, target_topic_id: there.id }
    expect(await admin.post('/topics/merge', merge)).toMatchObject({
      status: 400,
      body: { message: 'The source topic and the target topic must belong to the same organization.' },
    })
  })

  test('keep their projects and groups', async () => {
    const target = (await admin.post('/groups', { name: 't', path: 'target' })).body
    expect(await admin.put(`/projects/${hidden.project}/transfer`, { namespace: target.id })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('Project is in another organization than the namespace.') },
    })
    const below = { name: 'b', path: 'b', parent_id: target.id, organization_id: open.id }
    expect(await admin.post('/groups', below)).toMatchObject({
      status: 400,
      body: {
        message: 'Failed to save group {:organization_id=>["must be that of the parent group"]}',
      },
    })
    const fitting = { name: 'b', path: 'b', parent_id: hidden.group }
    expect((await admin.post('/groups', fitting)).body.organization_id).toBe(hidden.id)
  })

  test('are selected by the parameter before the header, and a non-numeric header is ignored', async () => {
    const list = (path: string, value: string) => admin.get(path, { headers: { 'x-gitlab-organization-id': value } })
    const created = await admin.post('/topics', { name: 'by-header', title: 'x' }, headers(open.id))
    expect(created.body.organization_id).toBe(open.id)
    expect((await list('/topics?search=by-header', String(open.id))).body).toHaveLength(1)
    expect((await list('/topics?search=by-header&organization_id=1', String(open.id))).body).toEqual([])
    expect((await list('/topics?search=by-header', 'x')).body).toEqual([])
    expect((await list('/topics', String(open.id))).headers['link']).toContain(`organization_id=${open.id}`)
    expect(await list('/topics', '999999')).toMatchObject(notThere)
  })
})

describe('lists of projects, groups and namespaces', () => {
  const paths = async (client: Client, path: string, options = {}) => {
    const { status, body, headers: received } = await client.get(path, options)
    expect(status, path).toBe(200)
    if (received['x-total'] !== undefined) expect(received['x-total'], path).toBe(String(body.length))
    return body.map(
      (row: { path_with_namespace?: string; full_path?: string }) => row.path_with_namespace ?? row.full_path,
    )
  }

  test('contain everything, or only the requested organization', async () => {
    const server = await startServer()
    const [first, second] = [
      (await server.admin.post('/organizations', { name: 'First', path: 'first', visibility: 'public' })).body.id,
      (await server.admin.post('/organizations', { name: 'Second', path: 'second' })).body.id,
    ]
    const member = await server.user('member')
    await server.project('default/open', { visibility: 'public' })
    for (const [id, path, visibility] of [
      [first, 'one', 'public'],
      [first, 'own', 'private'],
      [second, 'two', 'private'],
    ]) {
      const group = { name: path, path, visibility, organization_id: id }
      const { body } = await server.admin.post('/groups', group)
      const user_id = member.user?.id
      if (visibility === 'private') await server.admin.post(`/groups/${body.id}/members`, { user_id, access_level: 50 })
      for (const name of ['a', 'b']) {
        const draft = { name, namespace_id: body.id, visibility, topics: name === 'a' ? ['shared'] : [] }
        expect((await server.admin.post('/projects', draft)).status).toBe(201)
      }
    }
    const everywhere = ['default/open', 'one/a', 'one/b', 'own/a', 'own/b', 'two/a', 'two/b']
    const query = 'order_by=id&sort=asc'
    for (const client of [server.admin, member]) {
      expect(await paths(client, `/projects?${query}`)).toEqual(everywhere)
      expect(await paths(client, `/projects?${query}&organization_id=1`)).toEqual(['default/open'])
      expect(await paths(client, `/projects?${query}&organization_id=${first}`)).toEqual(everywhere.slice(1, 5))
      expect(await paths(client, `/projects?${query}&organization_id=${first}&visibility=private`)).toEqual([
        ...['own/a', 'own/b'],
      ])
      expect(await paths(client, `/projects?${query}`, headers(second))).toEqual(['two/a', 'two/b'])
      expect(await paths(client, `/projects?${query}&organization_id=1`, headers(second))).toEqual(['default/open'])
      expect(await paths(client, `/projects?topic=shared&${query}&organization_id=${second}`)).toEqual(['two/a'])
      expect(await paths(client, `/projects?topic=shared&${query}&organization_id=1`)).toEqual([])
      expect(await paths(client, `/projects?search=two&search_namespaces=1`, headers(first))).toEqual([])
      expect(await paths(client, '/groups')).toEqual(['default', 'one', 'own', 'two'])
      expect(await paths(client, `/groups?organization_id=${first}`)).toEqual(['one', 'own'])
      expect(await paths(client, `/groups?search=own&organization_id=${second}`)).toEqual([])
      expect(await paths(client, '/groups', headers(second))).toEqual(['two'])
      expect(await paths(client, '/groups?pagination=keyset', headers(second))).toEqual(['two'])
      expect(await paths(client, '/namespaces', headers(second))).toEqual(['two'])
    }
    expect(await paths(server.anonymous, `/projects?${query}&organization_id=${first}`)).toEqual(['one/a', 'one/b'])
    expect(await paths(server.anonymous, '/groups', headers(first))).toEqual(['one'])
    const keyset = await member.get(`/projects?pagination=keyset&per_page=1&${query}`, headers(first))
    expect(keyset.body).toMatchObject([{ path_with_namespace: 'one/a' }])
    expect(keyset.headers['link']).toContain(`organization_id=${first}`)
    expect(await member.get('/projects?organization_id=x')).toMatchObject({
      status: 400,
      body: { error: 'organization_id is invalid' },
    })
  })

  test('return the same for a hidden organization as for a missing one', async () => {
    for (const id of [hidden.id, 999_999]) {
      for (const client of [outsider, server.anonymous]) {
        for (const path of ['/projects', '/projects?topic=shared', '/groups', '/groups?search=secret']) {
          expect(await client.get(path, headers(id)), path).toMatchObject(notThere)
        }
        expect(await client.get(`/projects?organization_id=${id}`)).toMatchObject(notThere)
      }
      expect(await outsider.get('/namespaces', headers(id))).toMatchObject(notThere)
      expect(await server.anonymous.get('/namespaces', headers(id))).toMatchObject({ status: 401 })
    }
  })
})

describe('a member of another private organization', () => {
  test('finds nothing of it in any list, count, search, address or old path', async () => {
    const neighbour = await server.user('neighbour')
    const { id } = (await create({ name: 'Next door', path: 'next-door' })).body
    const group = (await admin.post('/groups', { name: 'next', path: 'next', organization_id: id })).body
    await admin.post(`/groups/${group.id}/members`, { user_id: neighbour.user?.id, access_level: 50 })
    const mine = (await neighbour.post('/projects', { name: 'mine', namespace_id: group.id, topics: ['shared'] })).body
    const there = (await admin.post('/projects', { name: 'moved', path: 'moved', namespace_id: hidden.group })).body
    await admin.put(`/projects/${there.id}`, { path: 'elsewhere', topics: ['shared'], description: 'treasure' })

    const own = await neighbour.get('/projects?membership=true')
    expect(own.body).toMatchObject([{ id: mine.id }])
    expect(own.headers['x-total']).toBe('1')
    const lists = [
      ...['/projects?visibility=private', '/projects?topic=shared', '/projects?search=treasure'],
      ...['/projects?search=secret&search_namespaces=true', '/projects?search=elsewhere'],
      ...['/projects?order_by=last_activity_at&per_page=100', '/groups?per_page=100', '/namespaces?per_page=100'],
      ...['/groups?search=secret', '/namespaces?search=secret', '/users/insider/projects', '/organizations'],
      ...['/topics?per_page=100', '/topics?search=shared', '/topics/export'],
    ]
    for (const path of lists) {
      const { status, text, headers: received } = await neighbour.get(path)
      expect(status, path).toBe(200)
      expect(text, path).not.toMatch(/secret|elsewhere|moved|treasure|hidden/i)
      if (received['x-total'] !== undefined) expect(received['x-total'], path).toBe(String(JSON.parse(text).length))
    }
    const places = ['', '/members', '/members/all', '/uploads', '/vulnerabilities', '/hooks', '/uploads/limits']
    for (const place of places) {
      for (const project of [there.id, 'secret%2Felsewhere', 'secret%2Fmoved']) {
        expect(await neighbour.get(`/projects/${project}${place}`)).toMatchObject({
          status: 404,
          body: { message: '404 Project Not Found' },
        })
      }
    }
    for (const place of ['', '/projects', '/members', '/members/all', '/subgroups', '/uploads', '/vulnerabilities']) {
      expect(await neighbour.get(`/groups/${hidden.group}${place}`)).toMatchObject({
        status: 404,
        body: { message: '404 Group Not Found' },
      })
    }
    const transfer = (namespace: unknown) => neighbour.put(`/projects/${mine.id}/transfer`, { namespace })
    const [hiddenReply, absent] = [await transfer(hidden.group), await transfer(999_999)]
    expect([hiddenReply.status, hiddenReply.text]).toEqual([absent.status, absent.text])
    expect(hiddenReply.status).toBe(404)

    const [topic] = (await neighbour.get('/topics?search=shared', headers(id))).body
    expect(topic).toMatchObject({ organization_id: id, total_projects_count: 1 })
    expect(topic.id).not.toBe(hidden.topic)
  })
})
