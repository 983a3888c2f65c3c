import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const secret = '0123456789abcdef0123456789abcdef'
const fields = { secret, created_at: '2024-02-03T04:05:06.000Z' }
const clock = { now: '2026-03-01T12:00:00.000Z' }
let server: TestServer
let nadia: Client
beforeAll(async () => {
  server = await startServer({ clock })
  nadia = await server.user('nadia')
})

const importInto = (place: string, content = 'the plan', more: Record<string, string> = {}) =>
  server.admin.post(`${place}/uploads/import`, formWithFile('file', 'plan.txt', content, { ...fields, ...more }))

describe.each(['project', 'group'] as const)('POST /%ss/:id/uploads/import', (kind) => {
  const placeOf = async (path: string) => {
    const project: TestProject = await server.project(`${path}-${kind}/web`)
    return kind === 'project' ? `/projects/${project.id}` : `/groups/${path}-${kind}`
  }

  test('keeps secret, filename, date and uploader, and the file has its former address', async () => {
    const place = await placeOf('kept')
    const imported = await importInto(place, 'the plan', { uploaded_by: String(nadia.user?.id) })
    expect(imported).toMatchObject({
      status: 201,
      body: {
        filename: 'plan.txt',
        size: 8,
        created_at: fields.created_at,
        uploaded_by: { username: 'nadia' },
        url: `/uploads/${secret}/plan.txt`,
      },
    })
    expect((await server.admin.get(`${place}/uploads/${secret}/plan.txt`)).text).toBe('the plan')
    const { body: listed } = await server.admin.get(`${place}/uploads`)
    expect(listed).toMatchObject([{ created_at: fields.created_at, uploaded_by: { username: 'nadia' } }])
    expect((await server.admin.get(`${place}/audit_events`)).body[0]).toMatchObject({ event_name: 'upload_imported' })
    expect((await server.admin.get(`${place}/uploads/limits`)).body).toMatchObject({ used_bytes: 8, files: 1 })
  })

  test('returns the same upload when it is repeated, and 409 for another file at its address', async () => {
    const place = await placeOf('repeated')
    const first = await importInto(place)
    const second = await importInto(place)
    expect([second.status, second.body.id]).toEqual([201, first.body.id])
    expect((await server.admin.get(`${place}/uploads/limits`)).body).toMatchObject({ used_bytes: 8, files: 1 })
    expect((await importInto(place, 'another plan')).status).toBe(409)
    await server.admin.delete(`${place}/uploads/${first.body.id}`)
    expect(await importInto(place)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('was deleted here') },
    })
  })

  test.each([
    [{ secret: '../../../etc' }, 'secret must be', 'wrong-1'],
    [{ secret: secret.toUpperCase() }, 'secret must be', 'wrong-2'],
    [{ created_at: '2026-03-02T00:00:00.000Z' }, 'created_at is in the future', 'wrong-3'],
    [{ created_at: 'yesterday' }, 'created_at is invalid', 'wrong-4'],
    [{ uploaded_by: '999999' }, 'uploaded_by is not a user', 'wrong-5'],
  ])('rejects %j', async (wrong, message, path) => {
    const place = await placeOf(path)
    const rejected = await importInto(place, 'the plan', wrong)
    expect([rejected.status, rejected.text]).toEqual([400, expect.stringContaining(message)])
    expect((await server.admin.get(`${place}/uploads`)).body).toEqual([])
  })

  test('is for administrators', async () => {
    const project = await server.project(`refused-${kind}/web`)
    const owner = await server.as('owner', project)
    const place = kind === 'project' ? `/projects/${project.id}` : `/groups/refused-${kind}`
    const form = formWithFile('file', 'plan.txt', 'the plan', fields)
    expect((await owner.post(`${place}/uploads/import`, form)).status).toBe(403)
    expect((await server.anonymous.post(`${place}/uploads/import`, form)).status).toBe(401)
  })
})
