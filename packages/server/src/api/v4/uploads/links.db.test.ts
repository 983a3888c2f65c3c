import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { removeExpiredLinks } from '../../../domain/uploads/links/upload-links.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const start = '2026-03-01T12:00:00.000Z'
const clock = { now: start }
let server: TestServer
let project: TestProject
let maintainer: Client
beforeAll(async () => {
  server = await startServer({ clock })
  project = await server.project('acme/links')
  maintainer = await server.as('maintainer', project)
})

const base = () => `/projects/${project.id}/uploads`
const upload = async (filename = 'plan.txt', content = 'the plan'): Promise<number> =>
  (await maintainer.post(base(), formWithFile('file', filename, content))).body.id
// The second slash makes the path relative to the root.
const pathOf = (url: string) => `/${new URL(url).pathname}`
const create = async (id: number, body: object = {}) => {
  const created = await maintainer.post(`${base()}/${id}/links`, body)
  expect(created.status, created.text).toBe(201)
  return { ...created.body, path: pathOf(created.body.url) }
}

describe('a link to an upload', () => {
  test('downloads the file without signing in, with the headers of uploads, and counts its uses', async () => {
    const id = await upload()
    const link = await create(id, { name: ' For the auditors ' })
    expect(link).toMatchObject({ name: 'For the auditors', expires_at: '2026-03-08T12:00:00.000Z', uses: 0 })
    expect(link.url).toMatch(/\/-\/links\/[\w-]{43}$/)
    const { status, text, headers } = await server.anonymous.get(link.path, {
      headers: { 'accept-encoding': 'gzip, br' },
    })
    expect([status, text]).toEqual([200, 'the plan'])
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; filename="plan\.txt"/),
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
      'cache-control': 'max-age=0, private, must-revalidate',
      'referrer-policy': 'no-referrer',
    })
    expect(headers['content-encoding']).toBeUndefined()
    const rest = await server.anonymous.get(link.path, { headers: { range: 'bytes=4-' } })
    expect([rest.status, rest.text]).toEqual([206, 'plan'])
    expect((await server.anonymous.head(link.path)).status).toBe(200)
    const fresh = await server.anonymous.get(link.path, { headers: { 'if-none-match': headers['etag'] as string } })
    expect(fresh.status).toBe(304)
    const listed = await maintainer.get(`${base()}/${id}/links`)
    expect(listed.body).toMatchObject([{ id: link.id, uses: 1, last_used_at: start }])
    expect(listed.text).not.toContain(link.url.split('/').at(-1))
  })

  test('is stored as a hash only', async () => {
    const { url } = await create(await upload())
    const token: string = url.split('/').at(-1)
    const rows = await server.deps.db.all<{ tokenHash: string }>(sql`select * from upload_links`)
    expect(JSON.stringify(rows)).not.toContain(token)
    const [event] = (await server.admin.get(`/projects/${project.id}/audit_events`)).body
    expect(event.details).toMatchObject({ event_name: 'upload_link_created', target_details: 'plan.txt' })
    expect(JSON.stringify(event)).not.toContain(token)
  })

  test('is 404 like an unknown one when it is revoked or expired, or its upload is deleted', async () => {
    const unknown = await server.anonymous.get('//-/links/none')
    expect(unknown.status).toBe(404)
    const expectGone = async (path: string) => {
      const { status, text } = await server.anonymous.get(path)
      expect([status, text]).toEqual([404, unknown.text])
    }
    const id = await upload()
    const revoked = await create(id)
    expect((await maintainer.delete(`${base()}/${id}/links/${revoked.id}`)).status).toBe(204)
    expect((await maintainer.delete(`${base()}/${id}/links/${revoked.id}`)).status).toBe(404)
    await expectGone(revoked.path)

    const expiring = await create(id, { expires_at: '2026-03-01T13:00:00Z' })
    const kept = await create(id)
    clock.now = '2026-03-01T13:00:00.000Z'
    await expectGone(expiring.path)
    expect((await maintainer.get(`${base()}/${id}/links`)).body).toMatchObject([{ id: kept.id }])
    await removeExpiredLinks(server.deps)
    const rows = await server.deps.db.all(sql`select id from upload_links where id in (${expiring.id}, ${kept.id})`)
    expect(rows).toEqual([{ id: kept.id }])
    clock.now = start

    await maintainer.delete(`${base()}/${id}`)
    await expectGone(kept.path)
    expect((await maintainer.get(`${base()}/${id}/links`)).status).toBe(404)
    await maintainer.post(`${base()}/${id}/restore`)
    expect((await server.anonymous.get(kept.path)).status).toBe(200)
  })

  test('expires in the future, within the limit of the server', async () => {
    const id = await upload()
    const refusal = async (expires_at: string) => (await maintainer.post(`${base()}/${id}/links`, { expires_at })).body
    expect(await refusal('2026-03-01T12:00:00Z')).toEqual({ message: { expires_at: ['must be in the future'] } })
    expect(await refusal('2026-05-30T12:00:01Z')).toEqual({
      message: { expires_at: ['must be within 90 days, the maximum of this server'] },
    })
    expect((await create(id, { expires_at: '2026-05-30T12:00:00Z' })).expires_at).toBe('2026-05-30T12:00:00.000Z')
  })

  test('is managed by Maintainers of the owner, and belongs to one upload', async () => {
    const [id, other] = [await upload(), await upload()]
    const link = await create(id)
    const developer = await server.as('developer', project)
    for (const send of [developer.get, developer.post]) expect((await send(`${base()}/${id}/links`)).status).toBe(403)
    expect((await developer.delete(`${base()}/${id}/links/${link.id}`)).status).toBe(403)
    expect((await server.anonymous.post(`${base()}/${id}/links`)).status).toBe(401)
    expect((await maintainer.delete(`${base()}/${other}/links/${link.id}`)).status).toBe(404)
    expect((await maintainer.post(`${base()}/999999/links`)).status).toBe(404)
  })

  test('is one of at most 50 to an upload', async () => {
    const id = await upload()
    for (let made = 0; made < 50; made++) await create(id)
    expect(await maintainer.post(`${base()}/${id}/links`)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('an upload can have 50 links') },
    })
  })

  test('opens an upload of a group', async () => {
    const group = (await server.admin.get('/groups/acme')).body.id
    const { body } = await server.admin.post(`/groups/${group}/uploads`, formWithFile('file', 'a.svg', '<svg/>'))
    const created = await server.admin.post(`/groups/${group}/uploads/${body.id}/links`)
    const { text, headers } = await server.anonymous.get(pathOf(created.body.url))
    expect(text).toBe('<svg/>')
    expect(headers['content-disposition']).toMatch(/^attachment/)
  })
})

test('links are turned off with ALCOVE_UPLOAD_LINK_DAYS=0', async () => {
  const id = await upload()
  const link = await create(id)
  const { settings } = server.deps
  const before = settings.uploadLinkDays
  Object.assign(settings, { uploadLinkDays: 0 })
  try {
    expect((await server.anonymous.get(link.path)).status).toBe(404)
    expect((await maintainer.post(`${base()}/${id}/links`)).status).toBe(400)
  } finally {
    Object.assign(settings, { uploadLinkDays: before })
  }
})
