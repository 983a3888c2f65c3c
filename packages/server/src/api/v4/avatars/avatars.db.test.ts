import { beforeAll, describe, expect, test } from 'vitest'
import { deleteMarkedObjects } from '../../../domain/files/pending-deletions.ts'
import { examine } from '../../../domain/removal/doctor.ts'
import { formWithAvatar, png } from '../../../testing/avatars.ts'
import { formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let numbers = 0

/** Creates a project, group or user, and returns its path below the API. */
const create = {
  async project(visibility = 'private') {
    const { id } = await server.project(`acme/avatar-${++numbers}`)
    await server.admin.put(`/projects/${id}`, { visibility })
    return `/projects/${id}`
  },
  async group(visibility = 'private') {
    const path = `avatar-${++numbers}`
    return `/groups/${(await server.admin.post('/groups', { name: path, path, visibility })).body.id}`
  },
  async user() {
    return `/users/${(await server.user(`avatar-${++numbers}`)).user?.id}`
  },
}

const pathOf = (url: string) => `/${new URL(url).pathname}`

describe.each(['project', 'group', 'user'] as const)('the avatar of a %s', (kind) => {
  test('is set by a form, is in every response, and is removed by a blank value', async () => {
    const path = await create[kind]()
    expect((await server.admin.get(path)).body.avatar_url).toBeNull()
    const { status, body } = await server.admin.put(path, formWithAvatar())
    expect(status).toBe(200)
    expect(body.avatar_url).toMatch(new RegExp(`/uploads/-/system/${kind}/avatar/${body.id}/my_logo.png$`))
    expect((await server.admin.get(path)).body.avatar_url).toBe(body.avatar_url)
    const listed = (await server.admin.get(`/${kind}s?per_page=100`)).body
    expect(listed.find(({ id }: { id: number }) => id === body.id).avatar_url).toBe(body.avatar_url)

    const served = await server.admin.get(pathOf(body.avatar_url))
    expect(served.bytes.equals(png)).toBe(true)
    expect(served.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': expect.stringContaining('inline'),
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    })
    expect((await server.admin.get(pathOf(body.avatar_url).replace('my_logo', 'other'))).status).toBe(404)

    const kept = await server.admin.put(path, { name: 'Renamed' })
    expect(kept.body).toMatchObject({ name: 'Renamed', avatar_url: body.avatar_url })
    const removed = await server.admin.put(path, { avatar: '' })
    expect(removed).toMatchObject({ status: 200, body: { avatar_url: null } })
    expect((await server.admin.get(pathOf(body.avatar_url))).status).toBe(404)
  })

  test.runIf(onSqlite).each([
    ['logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'file format is not supported'],
    [
      'logo.png',
      Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(204_800)]),
      'is too big (should be at most 200 KiB)',
    ],
  ])('is not stored as %s when GitLab would reject it', async (filename, content, message) => {
    const path = await create[kind]()
    const before = (await server.admin.get(path)).body
    const keys = await storedKeys()
    const refused = await server.admin.put(path, formWithFile('avatar', filename, content, { name: 'Other' }))
    expect(refused.status).toBe(400)
    expect(refused.body.message.avatar.join()).toContain(message)
    expect(await server.admin.put(path, { avatar: 'base64' })).toMatchObject({
      status: 400,
      body: { error: 'avatar is invalid' },
    })
    expect((await server.admin.get(path)).body).toEqual(before)
    expect(await storedKeys()).toEqual(keys)
  })

  test.runIf(onSqlite)('is kept when the rest of the request is rejected', async () => {
    const path = await create[kind]()
    const { body } = await server.admin.put(path, formWithAvatar())
    const keys = await storedKeys()
    expect((await server.admin.put(path, formWithAvatar({ name: 'x'.repeat(300) }))).status).toBe(400)
    expect((await server.admin.get(path)).body.avatar_url).toBe(body.avatar_url)
    expect(await storedKeys()).toEqual(keys)
  })

  test.runIf(onSqlite)('is deleted with its owner, and its file with it', async () => {
    const path = await create[kind]()
    const keys = await storedKeys()
    const { body } = await server.admin.put(path, formWithAvatar())
    expect(await storedKeys()).toHaveLength(keys.length + 1)
    expect((await server.admin.delete(path)).status).toBeLessThan(300)
    expect((await server.admin.get(pathOf(body.avatar_url))).status).toBe(404)
    await deleteMarkedObjects({ ...server.deps, settings: { ...server.deps.settings, objectRetentionMs: 0 } })
    expect(await storedKeys()).toEqual(keys)
  })

  test.runIf(onSqlite)('is not stored for callers who may not change its owner', async () => {
    const path = await create[kind]('public')
    const stranger = await server.user(`stranger-${++numbers}`)
    const keys = await storedKeys()
    expect((await stranger.put(path, formWithAvatar())).status).toBe(403)
    expect((await server.anonymous.put(path, formWithAvatar())).status).toBe(401)
    expect(await storedKeys()).toEqual(keys)
  })
})

describe.runIf(onSqlite)('who sees an avatar', () => {
  test.each(['project', 'group'] as const)('of a private %s: its members', async (kind) => {
    const path = await create[kind]()
    const address = pathOf((await server.admin.put(path, formWithAvatar())).body.avatar_url)
    expect((await server.anonymous.get(address)).status).toBe(404)
    const stranger = await server.user(`stranger-${++numbers}`)
    expect((await stranger.get(address)).status).toBe(404)
    expect((await stranger.get(`${path}/avatar`)).status).toBe(404)
    await server.admin.post(`${path}/members`, { user_id: stranger.user?.id, access_level: 10 })
    const seen = await stranger.get(address)
    expect(seen.status).toBe(200)
    expect(seen.headers['cache-control']).not.toContain('public')
    expect((await stranger.get(`${path}/avatar`)).bytes.equals(png)).toBe(true)
  })

  test.each(['project', 'group'] as const)('of a public %s: everyone, also shared caches', async (kind) => {
    const path = await create[kind]('public')
    const address = pathOf((await server.admin.put(path, formWithAvatar())).body.avatar_url)
    const seen = await server.anonymous.get(address)
    expect([seen.status, seen.headers['cache-control']]).toEqual([200, 'max-age=300, public'])
  })
})

test.runIf(onSqlite)('users set and remove their own avatar, which is shown wherever they are', async () => {
  const { id } = await server.project(`acme/avatar-${++numbers}`)
  const maintainer = await server.as('maintainer', { id })
  const set = await maintainer.put('/user/avatar', formWithAvatar())
  expect(set.status).toBe(200)
  const url: string = set.body.avatar_url
  expect((await maintainer.get('/user')).body.avatar_url).toBe(url)
  expect((await server.admin.get(`/projects/${id}/members`)).body).toContainEqual(
    expect.objectContaining({ id: maintainer.user?.id, avatar_url: url }),
  )
  const vulnerability = await server.vulnerability({ id })
  const changed = await maintainer.put(`/vulnerabilities/${vulnerability.id}/assignee`, {
    assignee_id: maintainer.user?.id,
  })
  expect(changed.body.assignee.avatar_url).toBe(url)
  const list = () => server.admin.get(`/projects/${id}/vulnerabilities`)
  expect((await list()).body[0].assignee.avatar_url).toBe(url)
  expect((await server.anonymous.get(pathOf(url))).status).toBe(200)
  expect((await maintainer.put('/user/avatar', { avatar: '' })).body).toEqual({ avatar_url: null })
  expect((await list()).body[0].assignee.avatar_url).toBeNull()
  expect((await server.anonymous.put('/user/avatar', formWithAvatar())).status).toBe(401)
})

test.runIf(onSqlite)('a project, a group and a user are created with an avatar', async () => {
  const name = `created-${++numbers}`
  const group = await server.admin.post('/groups', formWithAvatar({ name, path: name }))
  expect(group.body.avatar_url).toContain(`/group/avatar/${group.body.id}/`)
  const project = await server.admin.post('/projects', formWithAvatar({ name, namespace_id: String(group.body.id) }))
  expect(project.body).toMatchObject({
    avatar_url: expect.stringContaining(`/project/avatar/${project.body.id}/`),
    namespace: { avatar_url: group.body.avatar_url },
  })
  const user = { name, username: `${name}-user`, email: `${name}@example.com`, force_random_password: 'true' }
  const created = await server.admin.post('/users', formWithAvatar(user))
  expect(created.body.avatar_url).toContain(`/user/avatar/${created.body.id}/`)
})

test.runIf(onSqlite)('the doctor finds avatars whose file is lost, and removes them', async () => {
  const path = await create.project()
  const keys = new Set(await storedKeys())
  await server.admin.put(path, formWithAvatar())
  const [lost = ''] = (await storedKeys()).filter((key) => !keys.has(key))
  await server.deps.objects.remove(lost)
  const found = await examine(server.deps, { fix: true, contents: false })
  expect(found.findings).toContainEqual({ kind: 'missing object', what: expect.stringContaining('my_logo.png') })
  expect((await server.admin.get(path)).body.avatar_url).toBeNull()
})

async function storedKeys() {
  const keys: string[] = []
  for await (const { key } of server.deps.objects.list('')) keys.push(key)
  return keys.sort()
}
