import { expect, test } from 'vitest'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer as start } from '../../../testing/server.ts'

const startServer = () => start({ settings: { externalUrl: 'https://alcove.test' } })

const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const hidden = { status: 404, body: { message: '404 Project Not Found' } }

test.runIf(onSqlite)(
  'POST /projects creates a project in the caller’s namespace and returns all fields but permissions',
  async () => {
    const server = await startServer()
    const nadia = await server.user('nadia')

    const created = await nadia.post('/projects', { name: 'Harbour charts', topics: ['maps', 'Atlas', 'maps '] })

    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      description: null,
      name: 'Harbour charts',
      name_with_namespace: 'nadia / Harbour charts',
      path: 'harbour-charts',
      path_with_namespace: 'nadia/harbour-charts',
      default_branch: 'main',
      topics: ['Atlas', 'maps'],
      tag_list: ['Atlas', 'maps'],
      web_url: 'https://alcove.test/nadia/harbour-charts',
      ssh_url_to_repo: 'git@alcove.test:nadia/harbour-charts.git',
      avatar_url: null,
      star_count: 0,
      visibility: 'private',
      namespace: { name: 'nadia', path: 'nadia', kind: 'user', parent_id: null, web_url: 'https://alcove.test/nadia' },
      archived: false,
      owner: { username: 'nadia' },
      creator_id: nadia.user?.id,
      enforce_auth_checks_on_uploads: true,
      promote_vulnerabilities_on_ingestion: false,
      auto_resolve_vulnerabilities: false,
      shared_with_groups: [],
      description_html: '',
      merge_method: 'merge',
      squash_option: 'default_off',
      only_allow_merge_if_pipeline_succeeds: false,
      autoclose_referenced_issues: true,
    })
    expect(created.body).not.toHaveProperty('permissions')
    expect(Object.keys(created.body).slice(0, 7)).toEqual([
      ...['id', 'description', 'name', 'name_with_namespace', 'path', 'path_with_namespace', 'created_at'],
    ])
    expect(await nadia.get(`/projects/${created.body.id}/members`)).toMatchObject({
      body: [{ username: 'nadia', access_level: 50 }],
    })
  },
)

test.runIf(onSqlite)('a missing name or path is derived from the other', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const create = async (input: object) => {
    const { name, path } = (await nadia.post('/projects', input)).body
    return { name, path }
  }

  expect(await create({ name: 'Charts' })).toEqual({ name: 'Charts', path: 'Charts' })
  expect(await create({ name: 'Über die Maße' })).toEqual({ name: 'Über die Maße', path: 'uber-die-masse' })
  expect(await create({ path: 'tide.tables' })).toEqual({ name: 'tide.tables', path: 'tide.tables' })
  expect(await create({ name: 'A', path: 'b' })).toEqual({ name: 'A', path: 'b' })
})

test.runIf(onSqlite)('POST /projects rejects invalid projects with the reason', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  await nadia.post('/projects', { name: 'charts' })
  const refusal = async (input: object) => {
    const { status, body } = await nadia.post('/projects', input)
    return { status, ...body }
  }
  const taken = ['has already been taken']
  const pathRule =
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"

  expect(await server.anonymous.post('/projects', { name: 'x' })).toMatchObject({
    status: 401,
    body: { message: '401 Unauthorized' },
  })
  expect(await refusal({ description: 'x' })).toEqual({
    status: 400,
    error: 'name, path are missing, at least one parameter must be provided',
  })
  expect(await refusal({ name: 'charts' })).toEqual({
    status: 400,
    message: { 'project_namespace.name': taken, name: taken, path: taken },
  })
  expect(await refusal({ name: 'Other', path: 'CHARTS' })).toEqual({ status: 400, message: { path: taken } })
  expect(await refusal({ name: 'charts', path: 'other' })).toEqual({
    status: 400,
    message: { 'project_namespace.name': taken, name: taken },
  })
  for (const path of ['-x', 'a b', 'x.git', 'x.atom', 'ä']) {
    expect(await refusal({ name: 'x', path })).toEqual({ status: 400, message: { path: [pathRule] } })
  }
  expect(await refusal({ name: 'x', path: 'Tree' })).toEqual({
    status: 400,
    message: { path: ['Tree is a reserved name'] },
  })
  expect(await refusal({ name: '(x)', path: 'x' })).toEqual({
    status: 400,
    message: {
      name: [
        "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'.",
      ],
    },
  })
  expect(await refusal({ name: 'n'.repeat(256), path: 'x' })).toEqual({
    status: 400,
    message: { name: ['is too long (maximum is 255 characters)'] },
  })
  expect(await refusal({ name: 'x', visibility: 'secret' })).toEqual({
    status: 400,
    error: 'visibility does not have a valid value',
  })
  expect(await refusal({ name: 'x', namespace_id: 'acme' })).toEqual({ status: 400, error: 'namespace_id is invalid' })
  expect(await refusal({ name: 'x', namespace_id: 4711 })).toEqual({
    status: 400,
    message: { namespace: ['is not valid'] },
  })
})

test.runIf(onSqlite)('an invalid topic prevents the creation of its project', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')

  const refused = await nadia.post('/projects', { name: 'charts', topics: 'maps,Küste' })

  expect(refused.status).toBe(400)
  expect(Object.keys(refused.body.message)).toEqual(['topics'])
  expect((await nadia.get('/projects?owned=true')).body).toEqual([])
  expect((await nadia.get('/topics')).body).toEqual([])
})

test.runIf(onSqlite)('developers can create projects in a group, at most as visible as the group', async () => {
  const server = await startServer()
  const site = await server.project('acme/site')
  const groupId = site['namespace'].id
  const create = async (role: 'reporter' | 'developer' | 'maintainer') => {
    const member = await server.user(role)
    await server.admin.post(`/groups/${groupId}/members`, {
      user_id: member.user?.id,
      access_level: { reporter: 20, developer: 30, maintainer: 40 }[role],
    })
    return member.post('/projects', { name: `by-${role}`, namespace_id: groupId, visibility: 'public' })
  }

  expect(await create('reporter')).toMatchObject({ status: 400, body: { message: { namespace: ['is not valid'] } } })
  expect(await create('developer')).toMatchObject({
    status: 201,
    body: { path_with_namespace: 'acme/by-developer', visibility: 'public' },
  })
  await server.admin.delete(`/projects/${site.id}`)
  await server.admin.delete((await create('maintainer')).body._links.self.replace(/.*v4/, ''))
  await server.admin.delete('/projects/acme%2Fby-developer')
  expect((await server.admin.put(`/groups/${groupId}`, { visibility: 'internal' })).status).toBe(200)
  const narrowed = await server.admin.post('/projects', { name: 'x', namespace_id: groupId, visibility: 'public' })
  expect(narrowed).toMatchObject({ status: 201, body: { visibility: 'internal' } })
  expect(await server.admin.put('/projects/acme%2Fx', { visibility: 'public' })).toMatchObject({
    status: 400,
    body: { message: { visibility_level: ['public is not allowed in a internal group.'] } },
  })
})

test.runIf(onSqlite)('a user at the limit of personal projects cannot create another', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  await server.admin.put(`/users/${nadia.user?.id}`, { projects_limit: 1 })
  await nadia.post('/projects', { name: 'first' })

  expect(await nadia.post('/projects', { name: 'second' })).toMatchObject({
    status: 403,
    body: { error: ["You've reached your limit of 1 projects created. Contact your GitLab administrator."] },
  })
  const external = await server.user('guest', { external: true })
  expect(await external.post('/projects', { name: 'first' })).toMatchObject({
    status: 403,
    body: { error: ['You cannot create projects in your personal namespace. Contact your GitLab administrator.'] },
  })
})

test.runIf(onSqlite)('administrators can create projects for other users', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')

  expect(await nadia.post(`/projects/user/${nadia.user?.id}`, { name: 'x' })).toMatchObject(forbidden)
  expect(await server.admin.post('/projects/user/4711', { name: 'x' })).toMatchObject({
    status: 404,
    body: { message: '404 User Not Found' },
  })
  const created = await server.admin.post(`/projects/user/${nadia.user?.id}`, { name: 'x' })
  expect(created).toMatchObject({ status: 201, body: { path_with_namespace: 'nadia/x', creator_id: nadia.user?.id } })
  expect((await nadia.put(`/projects/${created.body.id}`, { path: 'y' })).body.path_with_namespace).toBe('nadia/y')
})

test.runIf(onSqlite)(
  'a private project returns 404 to callers without access, by id, path and path without a slash',
  async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const stranger = await server.user('stranger')
    const guest = await server.as('guest', project)

    for (const client of [server.anonymous, stranger]) {
      expect(await client.get(`/projects/${project.id}`)).toMatchObject(hidden)
      expect(await client.get('/projects/acme%2Fsite')).toMatchObject(hidden)
    }
    expect(await server.admin.get('/projects/site')).toMatchObject(hidden)
    expect(await server.admin.get('/projects/99999999999999999999')).toMatchObject(hidden)
    const seen = await guest.get('/projects/ACME%2Fsite')
    expect(seen).toMatchObject({
      status: 200,
      body: { id: project.id, permissions: { project_access: { access_level: 10, notification_level: 3 } } },
    })
    expect(seen.body.permissions.group_access).toBeNull()
    expect(seen.body).not.toHaveProperty('default_branch')
  },
)

test.runIf(onSqlite)(
  'anonymous callers get the basic fields of a project, users all fields with permissions',
  async () => {
    const server = await startServer()
    const project = await server.project('acme/site', { visibility: 'public' })
    const nadia = await server.user('nadia')

    const basic = await server.anonymous.get(`/projects/${project.id}`)
    expect(Object.keys(basic.body)).toEqual([
      ...['id', 'description', 'name', 'name_with_namespace', 'path', 'path_with_namespace', 'created_at'],
      ...['default_branch', 'tag_list', 'topics', 'ssh_url_to_repo', 'http_url_to_repo', 'web_url', 'readme_url'],
      ...['forks_count', 'avatar_url', 'star_count', 'last_activity_at', 'visibility', 'namespace'],
    ])
    const full = await nadia.get(`/projects/${project.id}`)
    expect(full.body.permissions).toEqual({ project_access: null, group_access: null })
    expect(full.body._links.self).toBe(`https://alcove.test/api/v4/projects/${project.id}`)
    expect((await nadia.head(`/projects/${project.id}`)).status).toBe(200)
  },
)

test.runIf(onSqlite)('maintainers can update a project, developers cannot', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const maintainer = await server.as('maintainer', project)
  const developer = await server.as('developer', project)
  const path = `/projects/${project.id}`

  expect(await developer.put(path, { description: 'x' })).toMatchObject(forbidden)
  const updated = await maintainer.put(path, {
    name: 'The site',
    description: 'Everything',
    default_branch: 'trunk',
    topics: ['web', 'Acme'],
    enforce_auth_checks_on_uploads: false,
    promote_vulnerabilities_on_ingestion: true,
    auto_resolve_vulnerabilities: true,
  })
  expect(updated).toMatchObject({
    status: 200,
    body: {
      name: 'The site',
      path: 'site',
      description: 'Everything',
      description_html: '<p>Everything</p>\n',
      default_branch: 'trunk',
      topics: ['Acme', 'web'],
      enforce_auth_checks_on_uploads: false,
      promote_vulnerabilities_on_ingestion: true,
      auto_resolve_vulnerabilities: true,
    },
  })
  expect(updated.body).not.toHaveProperty('permissions')
  expect((await maintainer.put(path, { tag_list: 'x, y' })).body.topics).toEqual(['x', 'y'])
  expect((await maintainer.put(path, new URLSearchParams({ topics: '' }))).body.topics).toEqual([])
  expect((await maintainer.get(path)).body).toMatchObject({ name: 'The site', description: 'Everything', topics: [] })
})

test.runIf(onSqlite)('PUT /projects/:id requires at least one attribute, and rejects invalid ones', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  await server.project('acme/other')
  const path = `/projects/${project.id}`

  expect(await server.admin.put(path, { unknown: 1 })).toMatchObject({
    status: 400,
    body: {
      error: expect.stringMatching(
        /^name, path, description, visibility, .* are missing, at least one parameter must be provided$/,
      ),
    },
  })
  expect(await server.admin.put(path, { path: 'Other' })).toMatchObject({
    status: 400,
    body: { message: { path: ['has already been taken'] } },
  })
  const topics = Array.from({ length: 501 }, (_, number) => `topic ${number}`)
  expect(await server.admin.put(path, { topics })).toMatchObject({
    status: 400,
    body: { message: { topics: ['are too many (maximum is 500)'] } },
  })
  expect(await server.admin.put(path, { default_branch: 'a..b' })).toMatchObject({
    status: 400,
    body: { message: { default_branch: ['is not a valid branch name'] } },
  })
  expect(await server.admin.put(path, { name: '' })).toMatchObject({
    status: 400,
    body: { message: { name: ["can't be blank"] } },
  })
  expect((await server.admin.get(path)).body).toMatchObject({ name: 'site', path: 'site' })
})

test.runIf(onSqlite)('only owners can change path, visibility and archived state', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const maintainer = await server.as('maintainer', project)
  const owner = await server.as('owner', project)
  const path = `/projects/${project.id}`

  for (const change of [{ path: 'renamed' }, { visibility: 'public' }, { archived: true }]) {
    expect(await maintainer.put(path, change)).toMatchObject(forbidden)
  }
  expect(await maintainer.post(`${path}/archive`)).toMatchObject(forbidden)
  expect(await maintainer.put(path, { visibility: 'private', description: 'same' })).toMatchObject({ status: 200 })

  expect((await owner.put(path, { path: 'renamed' })).body.path_with_namespace).toBe('acme/renamed')
  expect((await owner.put(path, { visibility: 'public' })).body.visibility).toBe('public')
  expect((await server.anonymous.get('/projects/acme%2Frenamed')).status).toBe(200)
  expect(await owner.post(`${path}/archive`)).toMatchObject({ status: 201, body: { archived: true } })
  expect(await owner.post(`${path}/unarchive`)).toMatchObject({ status: 201, body: { archived: false } })
})

test('a change of visibility updates the order of topics', async () => {
  const server = await startServer()
  const [first, second] = [await server.project('acme/a'), await server.project('acme/b', { visibility: 'public' })]
  await server.admin.put(`/projects/${first.id}`, { topics: ['first'] })
  await server.admin.put(`/projects/${second.id}`, { topics: ['second'] })
  const order = async () => (await server.anonymous.get('/topics')).body.map((topic: { name: string }) => topic.name)

  expect(await order()).toEqual(['second', 'first'])
  await server.admin.put(`/projects/${first.id}`, { visibility: 'internal' })
  await server.admin.put(`/projects/${second.id}`, { visibility: 'private' })
  expect(await order()).toEqual(['first', 'second'])
})

test.runIf(onSqlite)('a deleted project disappears at once, and its path becomes free', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const maintainer = await server.as('maintainer', project)
  const path = `/projects/${project.id}`

  expect(await maintainer.delete(path)).toMatchObject(forbidden)
  const stale = { headers: { 'if-unmodified-since': 'Wed, 01 Jan 2020 00:00:00 GMT' } }
  expect(await server.admin.delete(path, undefined, stale)).toMatchObject({
    status: 412,
    body: { message: '412 Precondition Failed' },
  })
  expect(await server.admin.delete(path, {})).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
  expect(await server.admin.get(path)).toMatchObject(hidden)
  expect(await server.admin.delete(path)).toMatchObject(hidden)
  expect((await server.project('acme/site')).id).not.toBe(project.id)
})

test('a user can star a project once', async () => {
  const server = await startServer()
  const project = await server.project('acme/site', { visibility: 'public' })
  const nadia = await server.user('nadia')
  const omar = await server.user('omar')
  const path = `/projects/${project.id}`

  expect(await nadia.post(`${path}/star`)).toMatchObject({ status: 201, body: { star_count: 1 } })
  expect(await nadia.post(`${path}/star`)).toMatchObject({ status: 304, text: '' })
  expect(await omar.post(`${path}/star`)).toMatchObject({ status: 201, body: { star_count: 2 } })
  expect((await nadia.get('/projects?starred=true')).body).toMatchObject([{ id: project.id }])
  expect(await nadia.post(`${path}/unstar`)).toMatchObject({ status: 201, body: { star_count: 1 } })
  expect(await nadia.post(`${path}/unstar`)).toMatchObject({ status: 304 })
  expect((await nadia.get('/projects?starred=true')).body).toEqual([])
  expect(await server.anonymous.post(`${path}/star`)).toMatchObject({ status: 401 })

  expect((await server.admin.delete(`/users/${omar.user?.id}`)).status).toBe(204)
  expect((await nadia.get(path)).body.star_count).toBe(0)
})

test('one of two concurrent requests for the same path is rejected', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')

  const both = await Promise.all([nadia.post('/projects', { name: 'x' }), nadia.post('/projects', { name: 'x' })])

  expect(both.map((reply) => reply.status).sort()).toEqual([201, 400])
})

test('concurrent stars are all counted', async () => {
  const server = await startServer()
  const project = await server.project('acme/site', { visibility: 'public' })
  const fans = [await server.user('nadia'), await server.user('omar'), await server.user('pia')]

  await Promise.all(fans.map((fan) => fan.post(`/projects/${project.id}/star`)))

  expect((await server.anonymous.get(`/projects/${project.id}`)).body.star_count).toBe(3)
})
