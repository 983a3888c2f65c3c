import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import sql from 'sql-template-tag'
import { Upload } from 'tus-js-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { deleteMarkedObjects } from '../../../domain/files/pending-deletions.ts'
import { removeExpiredUploads } from '../../../domain/uploads/resumable/resumable-uploads.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { chunk, makePng } from '../../../testing/pictures/png.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const mebibyte = 1024 * 1024
const start = '2026-03-01T12:00:00.000Z'
const clock = { now: start }
let server: TestServer
let project: TestProject
let member: Client
let origin: string
beforeAll(async () => {
  server = await startServer({ clock, settings: { maxUploadBytes: 40 * mebibyte, objectRetentionMs: 0 } })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  origin = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`
  project = await server.project('acme/resumed')
  member = await server.as('maintainer', project)
})

const base = () => `/projects/${project.id}/uploads/resumable`
const encoded = (text: string) => Buffer.from(text).toString('base64')
const tus = { 'tus-resumable': '1.0.0' }

const begin = (bytes: number, { client = member, filename = 'large.bin', at = base(), headers = {} } = {}) =>
  client.post(at, undefined, {
    headers: { ...tus, 'upload-length': String(bytes), 'upload-metadata': `filename ${encoded(filename)}`, ...headers },
  })
const pathOf = (location: unknown) => String(location).replace(/^.*\/api\/v4/, '')
const sendTo = (path: string, offset: number, body: Buffer, client = member) =>
  fetch(`${origin}/api/v4${path}`, {
    method: 'PATCH',
    headers: {
      ...tus,
      'private-token': client.token ?? '',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
    },
    body: new Uint8Array(body),
  })

/** Announces the whole content, sends a part of it once the server reads, and breaks the connection. */
async function sendAndBreak(path: string, offset: number, content: Buffer, bytes: number): Promise<void> {
  const sending = request(`${origin}/api/v4${path}`, {
    method: 'PATCH',
    headers: {
      ...tus,
      expect: '100-continue',
      'private-token': member.token ?? '',
      'content-type': 'application/offset+octet-stream',
      'content-length': content.length - offset,
      'upload-offset': String(offset),
    },
  })
  const closed = new Promise((resolve) => sending.on('close', resolve))
  sending.on('error', () => {})
  sending.on('continue', () => sending.write(content.subarray(offset, offset + bytes), () => sending.destroy()))
  sending.flushHeaders()
  await closed
}

async function objectKeys(): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of server.deps.objects.list('')) found.push(key)
  return found
}

describe('a resumable upload', () => {
  test('arrives through tus-js-client, and is an upload like any other', async () => {
    const content = randomBytes(20 * mebibyte)
    const progress: number[] = []
    const url = await new Promise<string>((resolve, reject) => {
      const upload: Upload = new Upload(content, {
        endpoint: `${origin}/api/v4${base()}`,
        headers: { 'private-token': member.token ?? '' },
        metadata: { filename: 'Große Datei.bin', filetype: 'application/zip' },
        chunkSize: 6 * mebibyte,
        onChunkComplete: (_size, sent) => progress.push(sent),
        onError: reject,
        onSuccess: () => resolve(upload.url ?? ''),
      })
      upload.start()
    })
    expect(progress.length).toBe(4)
    const { body } = await member.get(pathOf(url))
    expect(body).toMatchObject({ filename: 'Große Datei.bin', size: content.length, offset: content.length })
    expect(body.upload.markdown).toMatch(/^\[Gro.*\.bin\]\(\/uploads\/[0-9a-f]{32}\//)
    const { bytes, headers } = await member.get(`/projects/${project.id}/uploads/${body.upload.id}`)
    expect(bytes.equals(content)).toBe(true)
    expect(headers['etag']).toBe(`"${createHash('sha256').update(content).digest('hex')}"`)
    const [listed] = (await member.get(`/projects/${project.id}/uploads`)).body
    expect(listed).toMatchObject({ id: body.upload.id, size: content.length, uploaded_by: { id: member.user?.id } })
    expect(await server.deps.db.all(sql`select * from resumable_parts`)).toEqual([])
    await deleteMarkedObjects(server.deps)
    expect(await objectKeys()).toHaveLength(1)
  })

  test('continues where a connection broke', async () => {
    const content = randomBytes(3 * mebibyte)
    const path = pathOf((await begin(content.length)).headers['location'])
    let offset = 0
    for (const bytes of [1000, mebibyte, 300_000]) {
      await sendAndBreak(path, offset, content, bytes)
      const sent = offset + bytes
      await expect.poll(async () => Number((await member.head(path)).headers['upload-offset'])).toBe(sent)
      offset = sent
    }
    const { status, headers } = await sendTo(path, offset, content.subarray(offset))
    expect([status, headers.get('upload-offset')]).toEqual([204, String(content.length)])
    const { upload } = (await member.get(path)).body
    const { bytes } = await member.get(`/projects/${project.id}/uploads/${upload.id}`)
    expect(bytes.equals(content)).toBe(true)
  })

  test('loses the metadata of a picture, and has a sanitised name', async () => {
    const picture = makePng([chunk('tEXt', 'Author\0Secret Person')])
    const path = pathOf((await begin(picture.length, { filename: '../a picture.png' })).headers['location'])
    await sendTo(path, 0, picture.subarray(0, 40))
    await sendTo(path, 40, picture.subarray(40))
    const { upload } = (await member.get(path)).body
    expect(upload.url).toMatch(/\/a_picture\.png$/)
    const { bytes } = await member.get(`/projects/${project.id}/uploads/${upload.id}`)
    expect(bytes.equals(makePng())).toBe(true)
  })

  test('may be empty', async () => {
    const { status, body } = await begin(0, { filename: 'empty.txt' })
    expect([status, body.upload.markdown]).toEqual([201, expect.stringContaining('[empty.txt]')])
  })

  test('is refused at its beginning when it is too large, by the server, the project or its quota', async () => {
    expect((await begin(40 * mebibyte + 1)).status).toBe(413)
    const small = await server.project('acme/small')
    await server.admin.put(`/projects/${small.id}/uploads/limits`, { max_upload_bytes: 1000, quota_bytes: 1500 })
    const at = `/projects/${small.id}/uploads/resumable`
    const client = await server.as('maintainer', small)
    expect(await begin(1001, { client, at })).toMatchObject({ status: 413, body: { detail: expect.any(String) } })
    const first = pathOf((await begin(1000, { client, at })).headers['location'])
    await server.admin.put(`/projects/${small.id}/uploads/limits`, { quota_bytes: 900 })
    // The quota is too small meanwhile: nothing of the last part counts.
    expect((await sendTo(first, 0, Buffer.alloc(1000), client)).status).toBe(413)
    expect((await client.get(first)).body).toMatchObject({ offset: 0, upload: null })
    await server.admin.put(`/projects/${small.id}/uploads/limits`, { quota_bytes: 1000 })
    expect((await sendTo(first, 0, Buffer.alloc(1000), client)).status).toBe(204)
    expect((await client.get(`/projects/${small.id}/uploads/limits`)).body.used_bytes).toBe(1000)
  })

  test('counts towards the quota from its beginning, until it is finished, deleted or expired', async () => {
    const full = await server.project('acme/full', { visibility: 'public' })
    const limits = `/projects/${full.id}/uploads/limits`
    await server.admin.put(limits, { quota_bytes: 1000 })
    const at = `/projects/${full.id}/uploads/resumable`
    const client = await server.as('maintainer', full)
    const first = pathOf((await begin(600, { client, at })).headers['location'])
    expect((await sendTo(first, 0, Buffer.alloc(100), client)).status).toBe(204)
    expect((await client.get(limits)).body).toMatchObject({ used_bytes: 0, unfinished_bytes: 600 })
    const detail = 'this project may store 1000 bytes and has 600 bytes in use'
    expect(await begin(401, { client, at })).toMatchObject({ status: 413, body: { detail } })
    const upload = (bytes: number) =>
      client.post(`/projects/${full.id}/uploads`, formWithFile('file', 'a.txt', 'x'.repeat(bytes)))
    expect(await upload(401)).toMatchObject({ status: 413, body: { detail } })
    expect((await upload(200)).status).toBe(201)
    const outsider = await server.as('outsider', full)
    expect((await begin(60, { client: outsider, at })).status).toBe(201)
    expect(await begin(41, { client: outsider, at })).toMatchObject({ status: 413 })

    expect((await sendTo(first, 100, Buffer.alloc(500), client)).status).toBe(204)
    expect((await client.get(limits)).body).toMatchObject({ used_bytes: 800, unfinished_bytes: 60 })
    const second = pathOf((await begin(140, { client, at })).headers['location'])
    expect((await begin(1, { client, at })).status).toBe(413)
    expect((await client.delete(second, undefined, { headers: tus })).status).toBe(204)
    const third = await begin(140, { client, at })
    expect(third.status).toBe(201)
    clock.now = '2026-03-03T12:00:00.000Z'
    expect((await client.get(limits)).body).toMatchObject({ used_bytes: 800, unfinished_bytes: 0 })
    expect((await begin(200, { client, at })).status).toBe(201)
    clock.now = start
  })

  test('leaves room for one of several that begin at once', async () => {
    const raced = await server.project('acme/raced')
    await server.admin.put(`/projects/${raced.id}/uploads/limits`, { quota_bytes: 1000 })
    const at = `/projects/${raced.id}/uploads/resumable`
    const replies = await Promise.all(Array.from({ length: 4 }, () => begin(600, { client: server.admin, at })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 413, 413, 413])
  })

  test('refuses a wrong offset, more bytes than announced, another version and another media type', async () => {
    const path = pathOf((await begin(10)).headers['location'])
    expect((await sendTo(path, 5, Buffer.alloc(5))).status).toBe(409)
    expect((await sendTo(path, 0, Buffer.alloc(4))).status).toBe(204)
    expect((await sendTo(path, 0, Buffer.alloc(4))).status).toBe(409)
    expect((await sendTo(path, 4, Buffer.alloc(20))).status).toBe(400)
    expect((await member.get(path)).body).toMatchObject({ offset: 4, upload: null })
    expect((await begin(10, { filename: 'a\0.txt' })).status).toBe(400)
    expect((await begin(10, { headers: { 'tus-resumable': '0.2.2' } })).status).toBe(412)
    expect((await begin(10, { headers: { 'upload-metadata': 'name eA==' } })).status).toBe(400)
    expect((await begin(10, { headers: { 'upload-length': '-1' } })).status).toBe(400)
    const typed = await fetch(`${origin}/api/v4${path}`, {
      method: 'PATCH',
      headers: { ...tus, 'private-token': member.token ?? '', 'content-type': 'text/plain', 'upload-offset': '4' },
      body: 'text',
    })
    expect(typed.status).toBe(415)
  })

  test('is put together by one of several requests with its last byte', async () => {
    const path = pathOf((await begin(100_001)).headers['location'])
    expect((await sendTo(path, 0, randomBytes(100_000))).status).toBe(204)
    const { objects } = server.deps
    const { put } = objects
    let files = 0
    objects.put = (...file) => {
      files++
      return put(...file)
    }
    const last = () => sendTo(path, 100_000, randomBytes(1))
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await last()).status)).finally(() => {
      objects.put = put
    })
    expect(statuses.sort()).toEqual([204, 409, 409, 409])
    expect(files).toBeLessThanOrEqual(5) // four last bytes and one file
  })

  test('of two concurrent requests at one offset stores one', async () => {
    const content = randomBytes(100_000)
    const path = pathOf((await begin(200_000)).headers['location'])
    const statuses = await Promise.all([1, 2, 3].map(async () => (await sendTo(path, 0, content)).status))
    expect(statuses.sort()).toEqual([204, 409, 409])
    expect((await member.get(path)).body.offset).toBe(100_000)
  })

  test('belongs to its user, with the permission to upload', async () => {
    const path = pathOf((await begin(10)).headers['location'])
    const other = await server.as('maintainer', project)
    expect((await other.get(path)).status).toBe(404)
    expect((await sendTo(path, 0, Buffer.alloc(10), other)).status).toBe(404)
    expect((await other.delete(path, undefined, { headers: tus })).status).toBe(404)
    expect((await begin(10, { client: server.anonymous })).status).toBe(401)
    const hidden = await server.project('acme/hidden-from-others')
    const stranger = await server.user('stranger')
    expect((await begin(10, { client: stranger, at: `/projects/${hidden.id}/uploads/resumable` })).status).toBe(404)
    expect((await member.get(path.replace(`/${project.id}/`, `/${hidden.id}/`))).status).toBe(404)
  })

  test('can be ended, and expires a day after its last part', async () => {
    const before = (await objectKeys()).length
    const paths = []
    for (let made = 0; made < 3; made++) paths.push(pathOf((await begin(1000)).headers['location']))
    const [ended = '', expired = '', continued = ''] = paths
    for (const path of paths) await sendTo(path, 0, Buffer.alloc(100))
    expect((await member.delete(ended, undefined, { headers: tus })).status).toBe(204)
    expect((await member.get(ended)).status).toBe(404)
    clock.now = '2026-03-02T00:00:00.000Z'
    await sendTo(continued, 100, Buffer.alloc(100))
    clock.now = '2026-03-02T12:00:00.000Z'
    expect((await member.head(expired)).status).toBe(404)
    await removeExpiredUploads(server.deps)
    await deleteMarkedObjects(server.deps)
    expect((await member.get(continued)).body.offset).toBe(200)
    expect((await objectKeys()).length).toBeLessThanOrEqual(before + 2)
    clock.now = start
  })

  test('works in a group, and goes with its project', async () => {
    const group = (await server.admin.get('/groups/acme')).body.id
    const at = `/groups/${group}/uploads/resumable`
    const created = await begin(5, { client: server.admin, at })
    const path = pathOf(created.headers['location'])
    expect((await sendTo(path, 0, Buffer.from('group'), server.admin)).status).toBe(204)
    const { upload } = (await server.admin.get(path)).body
    expect((await server.admin.get(`/groups/${group}/uploads/${upload.id}`)).text).toBe('group')

    const removed = await server.project('acme/removed')
    const left = await begin(10, { client: server.admin, at: `/projects/${removed.id}/uploads/resumable` })
    await sendTo(pathOf(left.headers['location']), 0, Buffer.alloc(5), server.admin)
    const before = await objectKeys()
    await server.admin.delete(`/projects/${removed.id}`)
    await deleteMarkedObjects(server.deps)
    await expect.poll(async () => (await objectKeys()).length).toBe(before.length - 1)
  })
})
