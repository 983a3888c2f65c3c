import { beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let count = 0
const fresh = (prefix = 'word') => `${prefix}-${++count}`
const taken = { message: { name: ['has already been taken'] } }

async function topic(name = fresh(), organizationId = 1) {
  const fields = { name, title: `Title of ${name}`, organization_id: organizationId }
  const created = await server.admin.post('/topics', fields)
  expect(created.status).toBe(201)
  return created.body
}

const add = (id: number, name: string) => server.admin.post(`/topics/${id}/aliases`, { name })
const namesOf = async (id: number) =>
  (await server.anonymous.get(`/topics/${id}/aliases`)).body.map(({ name }: { name: string }) => name)

test('an alias can be added, listed publicly by name, and removed in any case', async () => {
  const { id } = await topic()
  const [one, two] = [fresh('B'), fresh('a')]
  expect(await add(id, one)).toMatchObject({
    status: 201,
    body: { id: expect.any(Number), name: one, created_at: expect.stringMatching(/Z$/) },
  })
  await add(id, two)
  const listed = await server.anonymous.get(`/topics/${id}/aliases?per_page=1`)
  expect(listed.body).toMatchObject([{ name: two }])
  expect(listed.headers).toMatchObject({ 'x-total': '2', 'x-next-page': '2' })

  expect(await server.admin.delete(`/topics/${id}/aliases`, { name: one.toLowerCase() })).toMatchObject({ status: 204 })
  expect(await namesOf(id)).toEqual([two])
  expect((await server.admin.delete(`/topics/${id}/aliases?name=${two}`)).status).toBe(204)
  expect(await server.admin.delete(`/topics/${id}/aliases`, { name: two })).toMatchObject({
    status: 404,
    body: { message: '404 Not found' },
  })
})

test('an alias in a project’s topics is replaced by its topic, in any case', async () => {
  const { id, name } = await topic()
  const alias = fresh('alias')
  await add(id, alias)
  const project = await server.project(`acme/${fresh('project')}`)
  const changed = await server.admin.put(`/projects/${project.id}`, { topics: [alias.toUpperCase(), name] })
  expect(changed.body.topics).toEqual([name])
  expect((await server.admin.get(`/topics/${id}`)).body.total_projects_count).toBe(1)
})

test('name= finds a topic by exact name or alias in any case, combined with other filters', async () => {
  const { id, name } = await topic()
  const alias = fresh('Old')
  await add(id, alias)
  const idsOf = async (query: string) =>
    (await server.anonymous.get(`/topics?${query}`)).body.map((found: { id: number }) => found.id)
  expect(await idsOf(`name=${name.toUpperCase()}`)).toEqual([id])
  expect(await idsOf(`name=${alias.toLowerCase()}`)).toEqual([id])
  expect(await idsOf(`name=${alias}&search=${name}`)).toEqual([id])
  expect(await idsOf(`name=${alias}&search=something-else`)).toEqual([])
  expect(await idsOf(`name=${alias.slice(0, -1)}`)).toEqual([])
})

test('topic= finds projects by the exact alias of their topic', async () => {
  const { id, name } = await topic()
  const alias = fresh('Alias')
  const project = await server.project(`acme/${fresh('project')}`, { visibility: 'public' })
  await server.admin.put(`/projects/${project.id}`, { topics: [name] })
  expect((await server.anonymous.get(`/projects?topic=${alias}`)).body).toEqual([])
  await add(id, alias)
  for (const wanted of [alias, `${name},${alias}`]) {
    expect((await server.anonymous.get(`/projects?topic=${wanted}`)).body).toMatchObject([{ id: project.id }])
  }
  expect((await server.anonymous.get(`/projects?topic=${alias.toLowerCase()}`)).body).toEqual([])
  await server.admin.delete(`/topics/${id}/aliases`, { name: alias })
  expect((await server.anonymous.get(`/projects?topic=${alias}`)).body).toEqual([])
})

test('search= finds a topic by terms in an alias, and by whole short aliases', async () => {
  const { id } = await topic()
  const search = async (text: string) =>
    (await server.anonymous.get(`/topics?search=${encodeURIComponent(text)}`)).body.map(
      (found: { id: number }) => found.id,
    )
  await add(id, 'Quixotic Zebras')
  await add(id, 'qz')
  expect(await search('zebra')).toEqual([id])
  expect(await search('ZEBRAS quixotic')).toEqual([id])
  expect(await search('"tic zeb"')).toEqual([id])
  expect(await search('QZ')).toEqual([id])
  expect(await search('q')).toEqual([])
  expect(await search('zebra%')).toEqual([])
  await server.admin.delete(`/topics/${id}/aliases`, { name: 'quixotic zebras' })
  expect(await search('zebra')).toEqual([])
})

test('a name that is taken as a name or an alias is rejected', async () => {
  const [one, two] = [await topic(), await topic()]
  const alias = fresh('alias')
  await add(one.id, alias)
  expect(await add(two.id, alias.toUpperCase())).toMatchObject({ status: 400, body: taken })
  expect(await add(one.id, alias)).toMatchObject({ status: 400, body: taken })
  expect(await add(two.id, one.name)).toMatchObject({ status: 400, body: taken })
  expect(await add(one.id, one.name)).toMatchObject({ status: 400, body: taken })
  expect(await server.admin.post('/topics', { name: alias, title: 'x' })).toMatchObject({ status: 400, body: taken })
  expect(await server.admin.put(`/topics/${two.id}`, { name: alias })).toMatchObject({ status: 400, body: taken })
  expect((await server.admin.get(`/topics/${two.id}`)).body.name).toBe(two.name)
})

test('a topic can take its alias as its name, which frees the old name', async () => {
  const { id, name } = await topic()
  const alias = fresh('alias')
  await add(id, alias)
  expect(await server.admin.put(`/topics/${id}`, { name: alias })).toMatchObject({ status: 200, body: { name: alias } })
  expect(await namesOf(id)).toEqual([])
  expect((await topic(name)).id).not.toBe(id)
})

test('deleting a topic deletes its aliases', async () => {
  const { id } = await topic()
  const alias = fresh('alias')
  await add(id, alias)
  await server.admin.delete(`/topics/${id}`)
  expect((await server.anonymous.get(`/topics/${id}/aliases`)).status).toBe(404)
  await topic(alias)
})

test('aliases are separate in each organization', async () => {
  const created = await server.admin.post('/organizations', { name: 'Other', path: fresh('other') })
  const { id } = await topic()
  const alias = fresh('alias')
  await add(id, alias)
  expect(created.status).toBe(201)
  const other = await topic(alias, created.body.id)
  expect((await server.anonymous.get(`/topics?search=${alias}`)).body).toMatchObject([{ id }])
  expect((await server.admin.get(`/topics?search=${alias}&organization_id=${created.body.id}`)).body).toMatchObject([
    { id: other.id },
  ])
})

test.each([
  [{}, { error: 'name is missing' }],
  [{ name: '' }, { message: { name: ["can't be blank"] } }],
  [{ name: 'café' }, { message: { name: ['must only include ASCII characters'] } }],
  [{ name: 'a\nb' }, { message: { name: ['has characters that are not allowed'] } }],
  [{ name: 'n'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
])('rejects the alias %j', async (body, expected) => {
  const { id } = await topic()
  expect(await server.admin.post(`/topics/${id}/aliases`, body)).toMatchObject({ status: 400, body: expected })
  expect(await namesOf(id)).toEqual([])
})

test('alias routes require an administrator; unknown topics return 404, invalid ids 400', async () => {
  const { id } = await topic()
  const someone = await server.user(fresh('user'))
  for (const method of ['post', 'delete'] as const) {
    expect(await server.anonymous[method](`/topics/${id}/aliases`)).toMatchObject({ status: 400 })
    expect((await server.anonymous[method](`/topics/${id}/aliases`, { name: 'x' })).status).toBe(401)
    expect((await someone[method](`/topics/${id}/aliases`, { name: 'x' })).status).toBe(403)
    expect((await server.admin[method]('/topics/999999/aliases', { name: 'x' })).status).toBe(404)
    expect((await server.admin[method]('/topics/x/aliases', { name: 'x' })).body).toEqual({ error: 'id is invalid' })
  }
  expect((await server.anonymous.get('/topics/999999/aliases')).body).toEqual({ message: '404 Not found' })
})

test('only one of several concurrent requests gets the same name', async () => {
  const name = fresh('wanted')
  const topics = await Promise.all(Array.from({ length: 6 }, () => topic()))
  const renamed = await topic()
  const project = await server.project(`acme/${fresh('project')}`)
  const replies = await Promise.all([
    ...topics.map(({ id }) => add(id, name)),
    server.admin.post('/topics', { name, title: 'x' }),
    server.admin.put(`/topics/${renamed.id}`, { name }),
    server.admin.put(`/projects/${project.id}`, { topics: [name] }),
  ])
  expect(replies.filter(({ status }) => ![200, 201, 400].includes(status))).toEqual([])
  // The assignment uses the topic of the name or creates one, so no other topic has the name.
  const winners = replies.slice(0, -1).filter(({ status }) => status < 300)
  expect(winners.length).toBeLessThanOrEqual(1)
  const { body: found } = await server.anonymous.get(`/topics?search=${name}`)
  expect(found).toHaveLength(1)
  expect((await server.admin.get(`/projects/${project.id}`)).body.topics).toEqual([found[0].name])
})
