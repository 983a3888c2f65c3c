import { expect, test } from 'vitest'
import type { Client } from '../../testing/client.ts'
import { startServer } from '../../testing/server.ts'

/** Requests a path twice, so that the second response may come from the cache, and returns the second one. */
async function read(client: Client, path: string) {
  await client.get(path)
  return client.get(path)
}

test('a cached list of groups contains what its caller may see, also after their membership has changed', async () => {
  const server = await startServer()
  const { admin, anonymous } = server
  const group = (await admin.post('/groups', { name: 'Hidden', path: 'hidden', visibility: 'private' })).body
  const [ada, bob] = [await server.user('ada'), await server.user('bob')]
  const names = async (client: Client) => (await read(client, '/groups')).body.map(({ path }: { path: string }) => path)

  expect(await names(admin)).toEqual(['hidden'])
  for (const client of [ada, bob, anonymous]) expect(await names(client)).toEqual([])

  await admin.post(`/groups/${group.id}/members`, { user_id: ada.user?.id, access_level: 20 })
  expect(await names(ada)).toEqual(['hidden'])
  expect(await names(bob)).toEqual([])
  await admin.delete(`/groups/${group.id}/members/${ada.user?.id}`)
  expect(await names(ada)).toEqual([])
})

test('a cached group shows only the projects that its caller may see', async () => {
  const server = await startServer()
  const project = await server.project('acme/secret')
  await server.project('acme/open', { visibility: 'public' })
  const [member, outsider] = [await server.as('guest', project), await server.user('outsider')]
  const shown = async (client: Client) =>
    (await read(client, '/groups/acme')).body.projects.map(({ path }: { path: string }) => path)

  expect(await shown(server.admin)).toEqual(['open', 'secret'])
  expect(await shown(member)).toEqual(['open', 'secret'])
  expect(await shown(outsider)).toEqual(['open'])
  await server.admin.put(`/projects/${project.id}`, { description: 'new', visibility: 'public' })
  expect(await shown(outsider)).toEqual(['open', 'secret'])
})

test('a cached account has the fields that its caller may see', async () => {
  const server = await startServer()
  const ada = await server.user('ada')
  const path = `/users/${ada.user?.id}`

  expect((await read(server.admin, path)).body).toMatchObject({ email: 'ada@example.test' })
  expect((await read(ada, path)).body).not.toHaveProperty('email')
  expect((await read(ada, '/user')).body).toMatchObject({ username: 'ada', email: 'ada@example.test' })
  expect((await read(server.admin, '/user')).body).toMatchObject({ username: 'root' })
  await server.admin.put(path, { name: 'Ada Lovelace' })
  expect((await read(ada, '/user')).body).toMatchObject({ name: 'Ada Lovelace' })
  expect((await read(ada, path)).body).toMatchObject({ name: 'Ada Lovelace' })
})

test('acting as another user shows what that user sees', async () => {
  const server = await startServer()
  const ada = await server.user('ada')
  await server.admin.post('/groups', { name: 'Hidden', path: 'hidden', visibility: 'private' })
  const asAda = (path: string) => server.admin.get(`${path}${path.includes('?') ? '&' : '?'}sudo=${ada.user?.username}`)

  expect((await read(server.admin, '/groups')).body).toHaveLength(1)
  for (let times = 0; times < 2; times++) {
    expect((await asAda('/groups')).body).toEqual([])
    expect((await asAda('/user')).body).toMatchObject({ username: 'ada' })
  }
  expect((await read(server.admin, '/groups')).body).toHaveLength(1)
})
