import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { newestEvents } from '../../../testing/audit-events.ts'
import type { Client } from '../../../testing/client.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let admin: Client
beforeAll(async () => {
  server = await startServer()
  admin = server.admin
})

let names = 0
async function group(parent?: { id: number }, attributes: object = {}) {
  const path = `group-${++names}`
  const { status, body } = await admin.post('/groups', { name: path, path, parent_id: parent?.id, ...attributes })
  expect(status).toBe(201)
  return body
}
async function person(name: string) {
  const client = await server.user(`${name}-${names}`)
  return { client, id: (await client.get('/user')).body.id as number }
}
const transfer = (id: number, group_id?: number, as = admin) =>
  as.post(`/groups/${id}/transfer`, group_id === undefined ? {} : { group_id })
const refusal = (reason: string) => ({ status: 400, body: { message: `Transfer failed: ${reason}` } })

describe('the transfer of a group', () => {
  test('moves everything below it, and the old paths redirect', async () => {
    const [from, to] = [await group(), await group()]
    const moved = await group(from)
    const inner = await group(moved)
    const { body: project } = await admin.post('/projects', { name: 'site', namespace_id: inner.id })

    const { status, body } = await transfer(moved.id, to.id)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: moved.id,
      parent_id: to.id,
      full_path: `${to.path}/${moved.path}`,
      full_name: `${to.name} / ${moved.name}`,
    })
    const path = `${to.path}/${moved.path}/${inner.path}`
    expect((await admin.get(`/groups/${inner.id}`)).body).toMatchObject({
      full_path: path,
      full_name: `${to.name} / ${moved.name} / ${inner.name}`,
      parent_id: moved.id,
    })
    expect((await admin.get(`/projects/${project.id}`)).body.path_with_namespace).toBe(`${path}/site`)
    const old = encodeURIComponent(`${from.path}/${moved.path}/${inner.path}/site`)
    expect((await admin.get(`/projects/${old}`)).status).toBe(301)
    const below = async (id: number) =>
      (await admin.get(`/groups/${id}/descendant_groups`)).body.map(({ id }: { id: number }) => id)
    expect(await below(to.id)).toEqual([moved.id, inner.id])
    expect(await below(from.id)).toEqual([])
    const [event] = await newestEvents(server, 1)
    expect(event).toMatchObject({ name: 'group_transferred', entityId: moved.id })
  })

  test('changes the inherited memberships', async () => {
    const [from, to] = [await group(), await group()]
    const moved = await group(from)
    const { body: project } = await admin.post('/projects', { name: 'site', namespace_id: moved.id })
    const [leaving, coming] = [await person('leaving'), await person('coming')]
    await admin.post(`/groups/${from.id}/members`, { user_id: leaving.id, access_level: 30 })
    await admin.post(`/groups/${to.id}/members`, { user_id: coming.id, access_level: 30 })
    const statuses = async () => [
      (await leaving.client.get(`/projects/${project.id}`)).status,
      (await coming.client.get(`/projects/${project.id}`)).status,
    ]
    expect(await statuses()).toEqual([200, 404])
    expect((await transfer(moved.id, to.id)).status).toBe(201)
    expect(await statuses()).toEqual([404, 200])
  })

  test('to the top level keeps an owner', async () => {
    const parent = await group()
    const moved = await group(parent)
    const owner = await person('owner')
    await admin.post(`/groups/${parent.id}/members`, { user_id: owner.id, access_level: 50 })
    await admin.delete(`/groups/${moved.id}/members/1`)
    const { status, body } = await transfer(moved.id, undefined, owner.client)
    expect([status, body.parent_id, body.full_path]).toEqual([201, null, moved.path])
    const { body: members } = await admin.get(`/groups/${moved.id}/members`)
    expect(members).toMatchObject([{ id: owner.id, access_level: 50 }])
  })

  test('narrows what is more visible than the new parent, and the counts of topics follow', async () => {
    const to = await group()
    const moved = await group(undefined, { visibility: 'public' })
    const inner = await group(moved, { visibility: 'internal' })
    const topic = `transfer-${names}`
    const attributes = { name: 'site', namespace_id: inner.id, visibility: 'internal', topics: [topic] }
    const { body: project } = await admin.post('/projects', attributes)
    // The order of topics depends on this count.
    const count = () =>
      server.deps.db.one(sql`select non_private_projects_count as count from topics where name = ${topic}`)
    expect(await count()).toEqual({ count: 1 })
    expect((await transfer(moved.id, to.id)).body.visibility).toBe('private')
    expect((await admin.get(`/groups/${inner.id}`)).body.visibility).toBe('private')
    expect((await admin.get(`/projects/${project.id}`)).body.visibility).toBe('private')
    expect(await count()).toEqual({ count: 0 })
  })

  test('is refused where the group cannot be', async () => {
    const parent = await group()
    const moved = await group(parent)
    const inner = await group(moved)
    expect(await transfer(moved.id, parent.id)).toMatchObject(
      refusal('Group is already associated to the parent group.'),
    )
    expect(await transfer(parent.id)).toMatchObject(refusal('Group is already a root group.'))
    const intoItself = refusal('Cannot transfer group to one of its subgroup.')
    expect(await transfer(moved.id, inner.id)).toMatchObject(intoItself)
    expect(await transfer(moved.id, moved.id)).toMatchObject(intoItself)
    const other = await group()
    await group(other, { path: moved.path })
    expect(await transfer(moved.id, other.id)).toMatchObject(
      refusal('The parent group already has a subgroup or a project with the same path.'),
    )
    expect((await transfer(moved.id, 999_999)).status).toBe(404)
    expect((await admin.get(`/groups/${moved.id}`)).body.full_path).toBe(`${parent.path}/${moved.path}`)
  })

  test('does not nest groups deeper than they can be created', async () => {
    let deep = await group()
    for (let depth = 1; depth < 20; depth++) deep = await group(deep)
    const moved = await group()
    const inner = await group(moved)
    expect(await transfer(moved.id, deep.id)).toMatchObject(refusal('Groups can have at most 20 groups above them.'))
    expect((await transfer(inner.id, deep.id)).status).toBe(201)
  })

  test('needs an owner of the group who may create subgroups in the new parent', async () => {
    const [from, to] = [await group(), await group(undefined, { visibility: 'public' })]
    const owner = await person('transferrer')
    await admin.post(`/groups/${from.id}/members`, { user_id: owner.id, access_level: 50 })
    expect(await transfer(from.id, to.id, owner.client)).toMatchObject(refusal("You don't have enough permissions."))
    const hidden = await group()
    expect((await transfer(from.id, hidden.id, owner.client)).status).toBe(404)
    await admin.post(`/groups/${to.id}/members`, { user_id: owner.id, access_level: 40 })
    const maintainer = await person('maintainer')
    await admin.post(`/groups/${from.id}/members`, { user_id: maintainer.id, access_level: 40 })
    expect((await transfer(from.id, to.id, maintainer.client)).status).toBe(403)
    expect((await transfer(from.id, to.id, owner.client)).status).toBe(201)
  })
})

test('two groups that are transferred into each other at once do not become a circle', async () => {
  const [one, other] = [await group(), await group()]
  const [first, second] = await Promise.all([transfer(one.id, other.id), transfer(other.id, one.id)])
  expect([first.status, second.status].toSorted()).toEqual([201, 400])
  const parents = [(await admin.get(`/groups/${one.id}`)).body, (await admin.get(`/groups/${other.id}`)).body]
  expect(parents.filter(({ parent_id }) => parent_id === null)).toHaveLength(1)
})

test('a subgroup that is created during a transfer is moved with the others', async () => {
  for (let round = 0; round < 5; round++) {
    const [from, to] = [await group(), await group()]
    const moved = await group(from)
    const inner = await group(moved)
    const [created] = await Promise.all([group(inner), transfer(moved.id, to.id)])
    const { body } = await admin.get(`/groups/${created.id}`)
    expect(body.full_path).toBe(`${to.path}/${moved.path}/${inner.path}/${created.path}`)
    const { body: below } = await admin.get(`/groups/${to.id}/descendant_groups`)
    expect(below).toHaveLength(3)
  }
})
