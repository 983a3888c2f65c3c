import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { removeExpiredMembers } from '../../../domain/members/members.ts'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer as start } from '../../../testing/server.ts'

const clock = { now: '2026-03-10T12:00:00.000Z' }
const startServer = () => {
  clock.now = '2026-03-10T12:00:00.000Z'
  return start({ settings: { externalUrl: 'https://alcove.test' }, clock })
}
const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const unknown = { status: 404, body: { message: '404 Not found' } }
const names = (reply: { body: { username: string }[] }) => reply.body.map((member) => member.username)
const id = (client: Client) => client.user?.id

test.runIf(onSqlite)('a member can be added, read, updated and removed', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const maintainer = await server.as('maintainer', project)
  const nadia = await server.user('nadia')
  const path = `/projects/${project.id}/members`

  const added = await maintainer.post(path, { user_id: id(nadia), access_level: 30, expires_at: null })
  expect(added.status).toBe(201)
  expect(Object.keys(added.body)).toEqual([
    ...['id', 'username', 'public_email', 'name', 'state', 'locked', 'avatar_url', 'web_url', 'access_level'],
    ...['created_at', 'created_by', 'expires_at', 'membership_state'],
  ])
  expect(added.body).toMatchObject({
    id: id(nadia),
    username: 'nadia',
    state: 'active',
    web_url: 'https://alcove.test/nadia',
    access_level: 30,
    created_at: '2026-03-10T12:00:00.000Z',
    created_by: { id: id(maintainer) },
    expires_at: null,
  })
  expect((await nadia.get(`${path}/${id(nadia)}`)).body).toEqual(added.body)
  const changed = await maintainer.put(`${path}/${id(nadia)}`, { access_level: '20', expires_at: '2026-04-01' })
  expect(changed).toMatchObject({ status: 200, body: { access_level: 20, expires_at: '2026-04-01' } })
  expect(await maintainer.delete(`${path}/${id(nadia)}`, {})).toMatchObject({ status: 204, text: '' })
  expect(await maintainer.get(`${path}/${id(nadia)}`)).toMatchObject(unknown)
  expect(await maintainer.delete(`${path}/${id(nadia)}`)).toMatchObject(unknown)
  expect(await maintainer.put(`${path}/${id(nadia)}`, { access_level: 20 })).toMatchObject(unknown)
  expect((await nadia.get(`/projects/${project.id}`)).status).toBe(404)
})

test.runIf(onSqlite)('POST /members rejects invalid members with the reason', async () => {
  const server = await startServer()
  const project = await server.project('acme/site', { visibility: 'public' })
  const nadia = await server.user('nadia')
  const path = `/projects/${project.id}/members`
  const refusal = async (input: object) => {
    const { status, body } = await server.admin.post(path, input)
    return { status, ...body }
  }

  expect(await server.anonymous.post(path, {})).toMatchObject({ status: 401 })
  expect(await nadia.post(path, { user_id: 1, access_level: 30 })).toMatchObject(forbidden)
  expect(await refusal({ user_id: id(nadia) })).toEqual({ status: 400, error: 'access_level is missing' })
  expect(await refusal({ user_id: 1, username: 'nadia', access_level: 30 })).toEqual({
    status: 400,
    error: 'user_id, username are mutually exclusive',
  })
  expect(await refusal({ access_level: 30 })).toEqual({
    status: 400,
    error: 'user_id, username are missing, at least one parameter must be provided',
  })
  for (const missing of [{ user_id: 4711 }, { user_id: 'nadia' }, { username: 'nobody' }]) {
    expect(await refusal({ ...missing, access_level: 30 })).toEqual({ status: 404, message: '404 User Not Found' })
  }
  for (const level of [0, 5, 7, 60]) {
    expect(await refusal({ username: 'nadia', access_level: level })).toEqual({
      status: 400,
      message: { access_level: ['is not included in the list'] },
    })
  }
  expect(await refusal({ username: 'nadia', access_level: 30, expires_at: '2026-03-09' })).toEqual({
    status: 400,
    message: { expires_at: ['cannot be a date in the past'] },
  })
  expect(await refusal({ username: 'nadia', access_level: 30, expires_at: 'soon' })).toEqual({
    status: 400,
    error: 'expires_at is invalid',
  })
  expect((await server.admin.post(path, { username: 'NADIA', access_level: 30 })).status).toBe(201)
  expect(await refusal({ user_id: id(nadia), access_level: 40 })).toEqual({
    status: 409,
    message: 'Member already exists',
  })
})

test.runIf(onSqlite)('several members can be added at once, and each rejected one is named', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const [nadia, omar] = [await server.user('nadia'), await server.user('omar')]
  const path = `/projects/${project.id}/members`

  expect(await server.admin.post(path, { user_id: `${id(nadia)}, ${id(omar)}`, access_level: 30 })).toMatchObject({
    status: 201,
    body: { status: 'success' },
  })
  await server.user('pia')
  const mixed = await server.admin.post(path, { username: 'pia,nadia,nobody', access_level: 30 })
  expect(mixed.status).toBe(201)
  expect(mixed.body).toEqual({
    status: 'error',
    message: { nadia: 'Member already exists', nobody: 'User not found' },
  })
  expect(names(await server.admin.get(path))).toEqual(['nadia', 'omar', 'pia'])
})

test.runIf(onSqlite)(
  'maintainers manage members up to their own level, and only owners add or remove owners',
  async () => {
    const server = await startServer()
    const project = await server.project('acme/site')
    const [maintainer, owner] = [await server.as('maintainer', project), await server.as('owner', project)]
    const nadia = await server.user('nadia')
    const path = `/projects/${project.id}/members`

    expect(await maintainer.post(path, { user_id: id(nadia), access_level: 50 })).toMatchObject(forbidden)
    expect(await maintainer.post(path, { user_id: id(nadia), access_level: 40 })).toMatchObject({ status: 201 })
    expect(await maintainer.put(`${path}/${id(nadia)}`, { access_level: 50 })).toMatchObject(forbidden)
    expect(await maintainer.put(`${path}/${id(owner)}`, { access_level: 10 })).toMatchObject(forbidden)
    expect(await maintainer.delete(`${path}/${id(owner)}`)).toMatchObject(forbidden)
    expect(await owner.put(`${path}/${id(nadia)}`, { access_level: 50 })).toMatchObject({ status: 200 })
    expect(await nadia.delete(`${path}/${id(owner)}`)).toMatchObject({ status: 204 })
  },
)

test.runIf(onSqlite)('every member can leave, and members below Maintainer cannot remove others', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const [developer, guest] = [await server.as('developer', project), await server.as('guest', project)]
  const path = `/projects/${project.id}/members`

  expect(await developer.delete(`${path}/${id(guest)}`)).toMatchObject(forbidden)
  expect(await developer.delete(`${path}/4711`)).toMatchObject(forbidden)
  expect(await guest.delete(`${path}/${id(guest)}`)).toMatchObject({ status: 204 })
  expect((await guest.get(`/projects/${project.id}`)).status).toBe(404)
})

test.runIf(onSqlite)('the owner of a personal project cannot be removed or demoted', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const project = (await nadia.post('/projects', { name: 'own' })).body
  const path = `/projects/${project.id}/members`

  expect((await nadia.get(path)).body).toMatchObject([{ username: 'nadia', access_level: 50 }])
  expect((await nadia.get(`${path}/all`)).body).toHaveLength(1)
  expect(await nadia.delete(`${path}/${id(nadia)}`)).toMatchObject(forbidden)
  expect(await server.admin.put(`${path}/${id(nadia)}`, { access_level: 40 })).toMatchObject(forbidden)
})

test.runIf(onSqlite)('members of a group are members of everything below it, with their highest level', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const group = project['namespace']
  const [nadia, omar] = [await server.user('nadia'), await server.user('omar')]
  await server.admin.post(`/groups/${group.id}/members`, { user_id: id(nadia), access_level: 30 })
  await server.admin.post(`/projects/${project.id}/members`, { user_id: id(omar), access_level: 20 })
  const path = `/projects/${project.id}/members`

  expect((await nadia.get(`/projects/${project.id}`)).body.permissions).toEqual({
    project_access: null,
    group_access: { access_level: 30, notification_level: 3 },
  })
  expect(names(await nadia.get(path))).toEqual(['omar'])
  expect(names(await nadia.get(`${path}/all`))).toEqual(['root', 'nadia', 'omar'])
  expect(await nadia.get(`${path}/${id(nadia)}`)).toMatchObject(unknown)
  expect((await nadia.get(`${path}/all/${id(nadia)}`)).body).toMatchObject({ access_level: 30 })

  expect(await server.admin.post(path, { user_id: id(nadia), access_level: 20 })).toMatchObject({
    status: 400,
    body: {
      message: { access_level: ['should be greater than or equal to Developer inherited membership from group acme'] },
    },
  })
  expect((await server.admin.post(path, { user_id: id(nadia), access_level: 40 })).status).toBe(201)
  expect((await nadia.get(`${path}/all/${id(nadia)}`)).body.access_level).toBe(40)
  expect(names(await nadia.get(`${path}/all`))).toEqual(['root', 'omar', 'nadia'])
  expect(await server.admin.put(`${path}/${id(nadia)}`, { access_level: 10 })).toMatchObject({ status: 400 })

  const sub = (await server.admin.post('/groups', { name: 'Web', path: 'web', parent_id: group.id })).body
  expect(names(await nadia.get(`/groups/${sub.id}/members`))).toEqual(['root'])
  expect(names(await nadia.get(`/groups/${sub.id}/members/all`))).toEqual(['root', 'nadia'])
})

test.runIf(onSqlite)('owners manage the members of a group, and the last owner cannot leave', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const [omar, pia] = [await server.user('omar'), await server.user('pia')]
  const group = (await nadia.post('/groups', { name: 'Acme', path: 'acme' })).body
  const path = `/groups/${group.id}/members`

  expect(await nadia.post(path, { user_id: id(omar), access_level: 40 })).toMatchObject({ status: 201 })
  expect(await nadia.post(path, { user_id: id(pia), access_level: 5 })).toMatchObject({ status: 201 })
  expect(await omar.post(path, { user_id: id(pia), access_level: 10 })).toMatchObject(forbidden)
  expect(await omar.delete(`${path}/${id(pia)}`)).toMatchObject(forbidden)
  expect((await pia.get('/groups/acme')).status).toBe(404)

  expect(await nadia.delete(`${path}/${id(nadia)}`)).toMatchObject({ status: 403 })
  expect(await nadia.put(`${path}/${id(nadia)}`, { access_level: 40 })).toMatchObject({ status: 403 })
  expect(await nadia.put(`${path}/${id(nadia)}`, { access_level: 50, expires_at: '2027-01-01' })).toMatchObject({
    status: 403,
  })
  expect(await nadia.put(`${path}/${id(omar)}`, { access_level: 50 })).toMatchObject({ status: 200 })
  expect(await nadia.delete(`${path}/${id(nadia)}`)).toMatchObject({ status: 204 })
  expect(await omar.delete(`${path}/${id(omar)}`)).toMatchObject({ status: 403 })
})

test('one of two owners remains when both leave concurrently', async () => {
  const server = await startServer()
  const [nadia, omar] = [await server.user('nadia'), await server.user('omar')]
  const group = (await nadia.post('/groups', { name: 'Acme', path: 'acme' })).body
  const path = `/groups/${group.id}/members`
  await nadia.post(path, { user_id: id(omar), access_level: 50 })

  const left = await Promise.all([nadia, omar].map((owner) => owner.delete(`${path}/${id(owner)}`)))

  expect(left.map((reply) => reply.status).sort()).toEqual([204, 403])
  expect((await server.admin.get(path)).body).toHaveLength(1)
})

test.runIf(onSqlite)('a subgroup can lose its own owners while a parent group has some', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const group = (await server.admin.post('/groups', { name: 'Acme', path: 'acme' })).body
  await server.admin.post(`/groups/${group.id}/members`, { user_id: id(nadia), access_level: 40 })
  const sub = (await nadia.post('/groups', { name: 'Web', path: 'web', parent_id: group.id })).body

  expect(await nadia.delete(`/groups/${sub.id}/members/${id(nadia)}`)).toMatchObject({ status: 204 })
})

test.runIf(onSqlite)('a membership ends on its expiry date', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const nadia = await server.user('nadia')
  const path = `/projects/${project.id}/members`
  await server.admin.post(path, { user_id: id(nadia), access_level: 30, expires_at: '2026-03-12' })

  clock.now = '2026-03-11T23:59:59.999Z'
  expect((await nadia.get(`/projects/${project.id}`)).status).toBe(200)
  clock.now = '2026-03-12T00:00:00.000Z'
  expect((await nadia.get(`/projects/${project.id}`)).status).toBe(404)
  expect((await nadia.get('/projects?membership=true')).body).toEqual([])
  expect(names(await server.admin.get(path))).toEqual([])
  expect(await server.admin.get(`${path}/${id(nadia)}`)).toMatchObject(unknown)
  const again = await server.admin.post(path, { user_id: id(nadia), access_level: 20 })
  expect(again).toMatchObject({ status: 201, body: { access_level: 20, expires_at: null } })
  expect(again.body.created_at).toBe('2026-03-12T00:00:00.000Z')
})

test('expired memberships are deleted in batches, and no others', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const [nadia, omar] = [await server.user('nadia'), await server.user('omar')]
  const path = `/projects/${project.id}/members`
  await server.admin.post(path, { user_id: id(nadia), access_level: 30, expires_at: '2026-03-12' })
  await server.admin.post('/groups/acme/members', { user_id: id(omar), access_level: 30, expires_at: '2026-03-13' })
  const { db } = server.deps
  const people = Array.from({ length: 1200 }, (_, number) => ({ name: `p${number}` }))
  await db.run(sql`
    insert into users (username, username_key, email, email_key, name, created_at, updated_at)
    select r.name, r.name, r.name, r.name, r.name, ${clock.now}, ${clock.now}
    from ${db.dialect.records(people, { name: 'text' })} as r`)
  await db.run(sql`
    insert into members (project_id, user_id, access_level, expires_on, created_at)
    select ${project.id}, id, 10, '2026-03-12', ${clock.now} from users where name like 'p%'`)
  const count = async () => (await db.one<{ total: number }>(sql`select count(*) as total from members`))?.total ?? 0
  const before = await count()

  clock.now = '2026-03-11T23:00:00.000Z'
  await removeExpiredMembers(server.deps)
  expect(await count()).toBe(before)
  clock.now = '2026-03-12T00:00:00.000Z'
  await removeExpiredMembers(server.deps)
  expect(await count()).toBe(before - 1201)
  expect((await omar.get(`/projects/${project.id}`)).status).toBe(200)
})

test('members can be filtered by minimum access level, where an inherited higher level counts', async () => {
  const server = await startServer()
  const project = await server.project('acme/site', { visibility: 'internal' })
  const nadia = await server.user('nadia')
  const omar = await server.user('omar')
  for (const [client, level] of [
    [nadia, 20],
    [omar, 40],
  ] as const) {
    await server.admin.post(`/projects/${project.id}/members`, { user_id: id(client), access_level: level })
  }
  const path = `/projects/${project.id}/members`
  expect(names(await nadia.get(`${path}?min_access_level=20`))).toEqual(['nadia', 'omar'])
  expect(names(await nadia.get(`${path}?min_access_level=30`))).toEqual(['omar'])
  const owners = await nadia.get(`${path}/all?min_access_level=50`)
  expect(names(owners)).toEqual(['root'])
  expect(owners.headers).toMatchObject({ 'x-total': '1' })
  expect(await nadia.get(`${path}?min_access_level=35`)).toMatchObject({
    status: 400,
    body: { error: 'min_access_level does not have a valid value' },
  })
})

test('members can be searched and filtered, and are paged in the order they were added', async () => {
  const server = await startServer()
  const project = await server.project('acme/site', { visibility: 'internal' })
  const clients = [await server.user('nadia'), await server.user('omar'), await server.user('noor')]
  const path = `/projects/${project.id}/members`
  for (const client of clients.toReversed()) {
    await server.admin.post(path, { user_id: id(client), access_level: 20 })
  }
  const [nadia, omar] = clients
  const stranger = await server.user('stranger')

  expect(names(await stranger.get(path))).toEqual(['noor', 'omar', 'nadia'])
  expect(names(await stranger.get(`${path}?query=NO`))).toEqual(['noor'])
  expect(names(await stranger.get(`${path}?user_ids[]=${nadia?.user?.id}&user_ids[]=4711`))).toEqual(['nadia'])
  expect(names(await stranger.get(`${path}?skip_users[]=${omar?.user?.id}`))).toEqual(['noor', 'nadia'])
  const page = await stranger.get(`${path}?per_page=2&page=2`)
  expect(names(page)).toEqual(['nadia'])
  expect(page.headers).toMatchObject({ 'x-total': '3', 'x-next-page': '', 'x-prev-page': '1' })
  expect((await server.anonymous.get(path)).status).toBe(401)
  expect(await stranger.get(`${path}/abc`)).toMatchObject({ status: 400, body: { error: 'user_id is invalid' } })
})

test.runIf(onSqlite)('a membership that changed after If-Unmodified-Since is not removed', async () => {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const { admin, ...server } = await start({ clock })
  const project = await server.project('acme/dates')
  const user = await server.user('dated')
  const path = `/projects/${project.id}/members`
  await admin.post(path, { user_id: user.user?.id, access_level: 10 })
  clock.now = '2026-05-02T10:00:00.000Z'
  await admin.put(`${path}/${user.user?.id}`, { access_level: 20 })
  const remove = (since: string) =>
    admin.delete(`${path}/${user.user?.id}`, undefined, { headers: { 'if-unmodified-since': since } })
  expect(await remove('Fri, 01 May 2026 12:00:00 GMT')).toMatchObject({
    status: 412,
    body: { message: '412 Precondition Failed' },
  })
  expect(await remove('Sat, 02 May 2026 10:00:00 GMT')).toMatchObject({ status: 204 })
})
