import { beforeAll, describe, expect, test } from 'vitest'
import { trashUnreferencedUploads } from '../../../domain/uploads/references/upload-references.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

const start = '2026-03-01T12:00:00.000Z'
const later = (days: number) => new Date(Date.parse(start) + days * 24 * 60 * 60 * 1000).toISOString()
const clock = { now: start }
let server: TestServer
beforeAll(async () => {
  server = await startServer({ clock, settings: { unreferencedUploadDays: 30 } })
})

async function open(path: string) {
  clock.now = start
  const project = await server.project(path)
  const maintainer = await server.as('maintainer', project)
  const base = `/projects/${project.id}/uploads`
  const upload = async (name: string): Promise<{ id: number; markdown: string; full_path: string }> =>
    (await maintainer.post(base, formWithFile('file', name, name))).body
  const refer = async (source: string, texts: string[]) => {
    const { status, body } = await maintainer.post(`${base}/references`, { source, texts })
    expect(status).toBe(201)
    return body
  }
  const uses = async () => usesOf(maintainer, base)
  return { project, maintainer, base, upload, refer, uses }
}

async function usesOf(client: Client, base: string): Promise<Record<string, [number, string | null]>> {
  const { body } = await client.get(`${base}?with_details=true`)
  return Object.fromEntries(
    body.map((row: { filename: string; use_count: number; unreferenced_since: string | null }) => [
      row.filename,
      [row.use_count, row.unreferenced_since],
    ]),
  )
}

describe('references to uploads', () => {
  test('are counted by source, in Markdown and HTML', async () => {
    const { project, upload, refer, uses } = await open('references/counted')
    const [a, b] = [await upload('a.png'), await upload('b.txt')]
    expect(await uses()).toEqual({ 'a.png': [0, null], 'b.txt': [0, null] })

    clock.now = later(1)
    const unknown = '/uploads/0123456789abcdef0123456789abcdef/x.png'
    const foreign = b.full_path.replace(`/${project.id}/`, '/999999/')
    const texts = [`See ${a.markdown} and ${a.markdown}.`, `<img src="${a.full_path}">`, unknown, foreign]
    expect(await refer('https://wiki.test/one', texts)).toEqual({
      source: 'https://wiki.test/one',
      uploads: [{ id: a.id, filename: 'a.png', uses: 3 }],
      unknown: 1,
    })
    await refer('https://wiki.test/two', [a.markdown])
    expect(await uses()).toEqual({ 'a.png': [4, null], 'b.txt': [0, later(1)] })

    clock.now = later(2)
    await refer('https://wiki.test/one', [b.markdown])
    expect(await uses()).toEqual({ 'a.png': [1, null], 'b.txt': [1, null] })
    clock.now = later(3)
    await refer('https://wiki.test/two', [])
    expect(await uses()).toEqual({ 'a.png': [0, later(3)], 'b.txt': [1, null] })
  })

  test('are recorded by Maintainers only', async () => {
    const { project, base, maintainer } = await open('references/roles')
    const developer = await server.as('developer', project)
    const body = { source: 'page', texts: [] }
    expect((await developer.post(`${base}/references`, body)).status).toBe(403)
    expect((await server.anonymous.post(`${base}/references`, body)).status).toBe(401)
    expect((await maintainer.post(`${base}/references`, { texts: ['a'] })).status).toBe(400)
    expect(await maintainer.post(`${base}/references`, { source: 'x'.repeat(1001), texts: ['a'] })).toMatchObject({
      status: 400,
      body: { message: { source: ['is too long (maximum is 1000 characters)'] } },
    })
  })
})

test('uploads without references are deleted after the period of retention, and can be restored', async () => {
  const other = await open('references/silent')
  await other.upload('silent.txt')
  const { project, maintainer, base, upload, refer, uses } = await open('references/retention')
  const [used, ended, linked, unused] = [
    await upload('used.txt'),
    await upload('ended.txt'),
    await upload('linked.txt'),
    await upload('unused.txt'),
  ]
  await refer('page', [used.markdown, ended.markdown])
  clock.now = later(10)
  await refer('page', [used.markdown])
  await maintainer.post(`${base}/${linked.id}/links`, { expires_at: later(90) })

  const preview = async () =>
    (await server.admin.get('/admin/retention')).body.find(
      ({ kind }: { kind: string }) => kind === 'unreferenced_uploads',
    )
  const names = async (client: Client, at: string) => Object.keys(await usesOf(client, at)).sort()
  clock.now = later(31)
  expect(await preview()).toMatchObject({ days: 30, count: 1, oldest_at: start })
  await trashUnreferencedUploads(server.deps)
  expect(await names(maintainer, base)).toEqual(['ended.txt', 'linked.txt', 'used.txt'])
  const [event] = (await server.admin.get(`/projects/${project.id}/audit_events`)).body
  expect(event.details).toMatchObject({ event_name: 'upload_destroyed', reason: 'no text refers to it' })
  expect((await maintainer.get(`${base}/limits`)).body.files).toBe(3)

  expect((await maintainer.post(`${base}/${unused.id}/restore`)).status).toBe(201)
  clock.now = later(41)
  await trashUnreferencedUploads(server.deps)
  expect(await names(maintainer, base)).toEqual(['linked.txt', 'unused.txt', 'used.txt'])
  expect((await uses())['unused.txt']).toEqual([0, later(31)])
  expect(await names(other.maintainer, other.base)).toEqual(['silent.txt'])
  expect(await preview()).toMatchObject({ count: 0, oldest_at: null })
})

test('an upload stays that a text refers to after it was listed for deletion', async () => {
  const { maintainer, base, upload, refer, uses } = await open('references/race')
  const [first, second] = [await upload('first.txt'), await upload('second.txt')]
  await refer('page', [])
  clock.now = later(40)
  const { db } = server.deps
  let isFirst = true
  const transaction: typeof db.transaction = async (work, options) => {
    if (isFirst) await refer('page', [second.markdown])
    isFirst = false
    return db.transaction(work, options)
  }
  await trashUnreferencedUploads({ ...server.deps, db: { ...db, transaction } })
  expect((await maintainer.get(`${base}/${first.id}`)).status).toBe(404)
  expect(await uses()).toEqual({ 'second.txt': [1, null] })
})

test('an imported upload has the period of retention from its import on', async () => {
  const { base, refer, uses } = await open('references/imported')
  await refer('page', [])
  clock.now = later(40)
  const secret = '0123456789abcdef0123456789abcdef'
  const fields = { secret, created_at: '2024-02-03T04:05:06.000Z' }
  const form = formWithFile('file', 'old.txt', 'old', fields)
  expect((await server.admin.post(`${base}/import`, form)).status).toBe(201)
  await trashUnreferencedUploads(server.deps)
  expect(await uses()).toEqual({ 'old.txt': [0, later(40)] })
  clock.now = later(71)
  await trashUnreferencedUploads(server.deps)
  expect(await uses()).toEqual({})
})

test('an imported upload with a short secret is counted', async () => {
  const { base, refer, uses } = await open('references/short')
  const form = formWithFile('file', 'old.txt', 'old', { secret: '0123456789', created_at: '2024-02-03T04:05:06.000Z' })
  const { body } = await server.admin.post(`${base}/import`, form)
  await refer('page', [body.markdown ?? `[old](${body.url})`])
  expect(await uses()).toEqual({ 'old.txt': [1, null] })
})

test('uploads of a project stay without a period of retention', async () => {
  const { maintainer, base, upload, refer } = await open('references/kept')
  await upload('kept.txt')
  await refer('page', [])
  clock.now = later(40)
  await trashUnreferencedUploads({ ...server.deps, settings: { ...server.deps.settings, unreferencedUploadDays: 0 } })
  expect((await maintainer.get(base)).body).toHaveLength(1)
})
