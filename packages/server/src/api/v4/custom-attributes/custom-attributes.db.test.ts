import { beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let numbers = 0

/** Creates a project, group or user, and returns the path of its kind and its id. */
const create = {
  async projects() {
    return (await server.project(`acme/labelled-${++numbers}`)).id
  },
  async groups() {
    const path = `labelled-${++numbers}`
    return (await server.admin.post('/groups', { name: path, path })).body.id
  },
  async users() {
    return (await server.user(`labelled-${++numbers}`)).user?.id ?? 0
  },
}

describe.each(['projects', 'groups', 'users'] as const)('custom attributes of %s', (kind) => {
  test('are set, read, listed and deleted by administrators', async () => {
    const base = `/${kind}/${await create[kind]()}/custom_attributes`
    expect(await server.admin.get(base)).toMatchObject({ status: 200, body: [] })
    const first = { key: 'department', value: 'Payments' }
    expect(await server.admin.put(`${base}/department`, { value: 'Payments' })).toMatchObject({
      status: 200,
      body: first,
    })
    await server.admin.put(`${base}/cost%20centre`, { value: '7' })
    const changed = { key: 'cost centre', value: '8' }
    expect((await server.admin.put(`${base}/cost%20centre`, { value: '8' })).body).toEqual(changed)
    expect((await server.admin.get(base)).body).toEqual([first, changed])
    expect((await server.admin.get(`${base}/department`)).body).toEqual(first)
    expect((await server.admin.delete(`${base}/department`)).status).toBe(204)
    expect((await server.admin.delete(`${base}/department`)).status).toBe(404)
    expect((await server.admin.get(`${base}/department`)).status).toBe(404)
    expect((await server.admin.get(base)).body).toEqual([changed])
  })

  test('are included and filtered on request, for administrators only', async () => {
    const [one, two] = [await create[kind](), await create[kind]()]
    const tier = `tier-${++numbers}`
    await server.admin.put(`/${kind}/${one}/custom_attributes/tier`, { value: tier })
    await server.admin.put(`/${kind}/${one}/custom_attributes/site`, { value: 'Oslo' })
    await server.admin.put(`/${kind}/${two}/custom_attributes/tier`, { value: tier })
    const list = async (query: string, by = server.admin) =>
      (await by.get(`/${kind}?per_page=100&order_by=id&sort=asc&${query}`)).body
    const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
    expect(idsOf(await list(`custom_attributes[tier]=${tier}`))).toEqual([one, two])
    expect(idsOf(await list(`custom_attributes[tier]=${tier}&custom_attributes[site]=Oslo`))).toEqual([one])
    expect(await list(`custom_attributes[tier]=other`)).toEqual([])
    expect((await server.admin.get(`/${kind}?custom_attributes[tier][a]=b`)).status).toBe(400)
    await server.admin.delete(`/${kind}/${two}/custom_attributes/tier`)
    expect(idsOf(await list(`custom_attributes[tier]=${tier}`))).toEqual([one])

    const expected = [
      { key: 'tier', value: tier },
      { key: 'site', value: 'Oslo' },
    ]
    const [shown] = await list(`custom_attributes[tier]=${tier}&with_custom_attributes=true`)
    expect(shown.custom_attributes).toEqual(expected)
    const path = `/${kind}/${one}?with_custom_attributes=true`
    expect((await server.admin.get(path)).body.custom_attributes).toEqual(expected)
    expect((await server.admin.get(`/${kind}/${one}`)).body).not.toHaveProperty('custom_attributes')

    const reader = await server.user(`reader-${++numbers}`)
    if (kind !== 'users')
      await server.admin.post(`/${kind}/${one}/members`, { user_id: reader.user?.id, access_level: 50 })
    expect((await reader.get(path)).body).not.toHaveProperty('custom_attributes')
    expect(await list('custom_attributes[tier]=other', reader)).not.toEqual([])
  })

  test('are refused to others, and with wrong values', async () => {
    const id = await create[kind]()
    const path = `/${kind}/${id}/custom_attributes/department`
    const stranger = await server.user(`stranger-${++numbers}`)
    if (kind !== 'users')
      await server.admin.post(`/${kind}/${id}/members`, { user_id: stranger.user?.id, access_level: 50 })
    expect((await stranger.put(path, { value: 'x' })).status).toBe(403)
    expect((await stranger.get(path)).status).toBe(403)
    expect((await stranger.delete(path)).status).toBe(403)
    expect((await server.anonymous.get(path)).status).toBe(401)
    expect(await server.admin.put(path)).toMatchObject({ status: 400, body: { error: 'value is missing' } })
    expect((await server.admin.put(path, { value: 'x'.repeat(256) })).status).toBe(400)
    expect((await server.admin.put(`/${kind}/999999/custom_attributes/a`, { value: 'x' })).status).toBe(404)
    expect((await server.admin.get(`/${kind}/${id}/custom_attributes`)).body).toEqual([])
  })
})

test.each(['projects', 'groups'] as const)('%s cannot be restored, because deletion is immediate', async (kind) => {
  const id = await create[kind]()
  const noun = kind === 'projects' ? 'Project' : 'Group'
  expect(await server.admin.post(`/${kind}/${id}/restore`)).toMatchObject({
    status: 400,
    body: { message: `${noun} has not been marked for deletion` },
  })
  await server.admin.delete(`/${kind}/${id}`)
  expect((await server.admin.post(`/${kind}/${id}/restore`)).status).toBe(404)
})
