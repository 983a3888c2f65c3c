import { beforeAll, describe, expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const clock = { now: '2026-03-01T12:00:00.000Z' }
let server: TestServer
let small: TestProject
let large: TestProject
beforeAll(async () => {
  server = await startServer({ clock })
  small = await server.project('stock/small')
  large = await server.project('stock/large')
  await server.project('stock/empty')
  await upload(`/projects/${small.id}`, 'ab')
  await upload(`/projects/${large.id}`, 'abcdef')
  await upload(`/projects/${large.id}`, 'abcd')
  await upload('/groups/stock', 'abc')
})

async function upload(owner: string, content: string): Promise<number> {
  const { status, body } = await server.admin.post(`${owner}/uploads`, formWithFile('file', 'a.txt', content))
  expect(status).toBe(201)
  return body.id
}

describe('storage', () => {
  test('lists the owners that use most storage, with their quotas', async () => {
    await server.admin.put(`/projects/${large.id}/uploads/limits`, { quota_bytes: 100 })
    const { status, body, headers } = await server.admin.get('/admin/storage/owners')
    expect(status).toBe(200)
    expect(headers['x-total']).toBe('3')
    expect(body).toEqual([
      {
        kind: 'project',
        id: large.id,
        full_path: 'stock/large',
        web_url: expect.stringMatching(/^http.*[^/]\/stock\/large$/),
        files: 2,
        bytes: 10,
        quota_bytes: 100,
      },
      expect.objectContaining({
        kind: 'group',
        full_path: 'stock',
        web_url: expect.stringMatching(/\/groups\/stock$/),
        files: 1,
        bytes: 3,
        quota_bytes: null,
      }),
      expect.objectContaining({ kind: 'project', full_path: 'stock/small', files: 1, bytes: 2 }),
    ])
    const second = await server.admin.get('/admin/storage/owners?per_page=1&page=2')
    expect(second.body).toEqual([body[1]])
  })

  test('is totalled once a minute and counts deleted uploads separately until they are purged', async () => {
    const before = await server.admin.get('/admin/storage')
    expect(before).toMatchObject({
      status: 200,
      body: {
        database: server.deps.db.dialect.engine,
        object_store: 'disk',
        uploads: { files: 4, bytes: 15 },
        deleted_uploads: { files: 0, bytes: 0 },
        measured_at: clock.now,
      },
    })
    const id = await upload(`/projects/${small.id}`, '12345')
    expect((await server.admin.delete(`/projects/${small.id}/uploads/${id}`)).status).toBe(204)
    clock.now = '2026-03-01T12:00:59.000Z'
    expect((await server.admin.get('/admin/storage')).body).toEqual(before.body)
    clock.now = '2026-03-01T12:01:00.000Z'
    expect((await server.admin.get('/admin/storage')).body).toMatchObject({
      uploads: { files: 4, bytes: 15 },
      deleted_uploads: { files: 1, bytes: 5 },
      measured_at: clock.now,
    })
  })

  test('requires an administrator', async () => {
    const user = await server.user('storage-reader')
    for (const path of ['/admin/storage', '/admin/storage/owners', '/admin/settings']) {
      expect(await server.anonymous.get(path)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
      expect(await user.get(path)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    }
  })
})
