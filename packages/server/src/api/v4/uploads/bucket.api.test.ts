import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObjectStore } from '../../../platform/object-store/objects.ts'
import { openS3Store } from '../../../platform/object-store/s3.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { type S3Server, startS3 } from '../../../testing/stand-ins/s3.ts'

let s3: S3Server
let objects: ObjectStore
beforeAll(async () => {
  s3 = await startS3()
  objects = openS3Store(s3.settings)
})
afterAll(async () => {
  await objects.close()
  await s3.close()
})

async function startIn(store: ObjectStore, redirect: boolean) {
  // Several servers share this store, so closing a server must not close it.
  const shared: ObjectStore = { ...store, close: async () => {} }
  const server = await startServer({ objects: shared, settings: { s3: { ...s3.settings, redirect } } })
  const project = await server.project('acme/drawings')
  return { server, project, maintainer: await server.as('maintainer', project) }
}

const send = (client: Client, project: TestProject, filename: string, content: string | Uint8Array) =>
  client.post(`/projects/${project.id}/uploads`, formWithFile('file', filename, content))

test('files in a bucket are stored and sent, whole or in part, as on disk', async () => {
  const { server, project, maintainer } = await startIn(objects, false)
  const content = Buffer.alloc(7 * 1024 * 1024, 'in two parts ')
  const sent = await send(maintainer, project, 'large.bin', content)
  expect(sent.status).toBe(201)
  const path = `/projects/${project.id}/uploads/${sent.body.id}`

  const whole = await maintainer.get(path)
  expect(whole).toMatchObject({ status: 200, headers: { 'content-length': `${content.length}` } })
  expect(whole.bytes.equals(content)).toBe(true)
  const part = await maintainer.get(path, { headers: { range: 'bytes=5242870-5242889' } })
  expect(part).toMatchObject({ status: 206, bytes: content.subarray(5_242_870, 5_242_890) })
  expect(await maintainer.head(path)).toMatchObject({ status: 200, headers: { 'content-length': `${content.length}` } })
  expect(await server.anonymous.get('//-/ready')).toMatchObject({ status: 200 })
})

test('a resumable upload to a bucket is the same file as on disk', async () => {
  const { project, maintainer } = await startIn(objects, false)
  const content = Buffer.alloc(12 * 1024 * 1024, 'in two requests ')
  const begun = await maintainer.post(`/projects/${project.id}/uploads/resumable`, undefined, {
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(content.length),
      'upload-metadata': `filename ${Buffer.from('large.bin').toString('base64')}`,
    },
  })
  const path = String(begun.headers['location']).replace(/^.*\/api\/v4/, '')
  const half = content.length / 2
  for (const offset of [0, half]) {
    const headers = {
      'tus-resumable': '1.0.0',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
    }
    expect((await maintainer.patch(path, content.subarray(offset, offset + half), { headers })).status).toBe(204)
  }
  const { upload } = (await maintainer.get(path)).body
  const stored = await maintainer.get(`/projects/${project.id}/uploads/${upload.id}`)
  expect(stored.bytes.equals(content)).toBe(true)
})

test('a TIFF returns 503 while the temporary folder is missing, and other uploads succeed', async () => {
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = '/dev/null/no-folder'
  const { project, maintainer } = await startIn(objects, false).finally(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = TMPDIR
  })
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of objects.list('')) found.push(key)
    return found
  }
  const before = await keys()
  const refused = await send(maintainer, project, 'scan.tiff', Buffer.from('II*\0 and so on'))
  expect(refused).toMatchObject({
    status: 503,
    text: '{"message":"503 Service Unavailable","detail":"Nothing was changed."}',
  })
  expect((await maintainer.get(`/projects/${project.id}/uploads`)).body).toEqual([])
  expect(await keys()).toEqual(before)
  expect(await send(maintainer, project, 'scan.png', 'no TIFF')).toMatchObject({ status: 201 })
})

describe('downloads with redirects', () => {
  let server: TestServer
  let project: TestProject
  let maintainer: Client
  beforeAll(async () => {
    ;({ server, project, maintainer } = await startIn(objects, true))
  })

  test('by id and secret redirect to the content with the right filename', async () => {
    const names = [
      'plain.txt',
      'a+b.txt',
      'Grüße 日本 😀.txt',
      "o'clock & (co).txt",
      '100%41.txt',
      `${'ü'.repeat(120)}.md`,
    ]
    for (const filename of names) {
      const { body } = await send(maintainer, project, filename, `content of ${filename}`)
      const [, secret, name] = body.url.slice(1).split('/')
      for (const path of [body.id, `${secret}/${encodeURIComponent(name)}`]) {
        const reply = await maintainer.get(`/projects/${project.id}/uploads/${path}`)
        expect(reply).toMatchObject({ status: 302, text: '', headers: { 'cache-control': 'no-store' } })

        const followed = await fetch(reply.headers['location'] ?? '')
        expect(followed.status).toBe(200)
        expect(await followed.text()).toBe(`content of ${filename}`)
        expect(followed.headers.get('content-type')).toBe('application/octet-stream')
        const disposition = followed.headers.get('content-disposition') ?? ''
        expect(disposition).toMatch(/^attachment; filename="[ -~]+"; filename\*=UTF-8''/)
        expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe(name)
      }
    }
  })

  test('redirect to an address that is valid for five minutes without the user’s token', async () => {
    const { body } = await send(maintainer, project, 'a.txt', 'x')
    const { headers } = await maintainer.get(`/projects/${project.id}/uploads/${body.id}`)
    const url = new URL(headers['location'] ?? '')
    expect(url.searchParams.get('X-Amz-Expires')).toBe('300')
    expect(headers['location']).not.toContain(maintainer.token)
  })

  test('redirect a range to the bucket, and answer HEAD and 304 themselves', async () => {
    const { body } = await send(maintainer, project, 'ten.txt', '0123456789')
    const path = `/projects/${project.id}/uploads/${body.id}`
    const head = await maintainer.head(path)
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': '10', 'accept-ranges': 'bytes' } })
    const etag = head.headers['etag'] ?? ''

    const ranged = await maintainer.get(path, { headers: { range: 'bytes=2-4' } })
    expect(ranged.status).toBe(302)
    const part = await fetch(ranged.headers['location'] ?? '', { headers: { range: 'bytes=2-4' } })
    expect([part.status, await part.text()]).toEqual([206, '234'])

    expect(await maintainer.get(path, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304 })
    expect(await maintainer.get(path, { headers: { range: 'bytes=10-' } })).toMatchObject({ status: 416 })
    const goesOn = { range: 'bytes=2-4', 'if-range': etag }
    expect(await maintainer.get(path, { headers: goesOn })).toMatchObject({ status: 206, text: '234' })
    const other = { range: 'bytes=2-4', 'if-range': '"the tag of the bucket"' }
    expect(await maintainer.get(path, { headers: other })).toMatchObject({ status: 302 })
  })

  test('redirect no caller without read permission', async () => {
    const { body } = await send(maintainer, project, 'a.txt', 'x')
    const outsider = await server.as('outsider', project)
    for (const client of [outsider, server.anonymous]) {
      const reply = await client.get(`/projects/${project.id}/uploads/${body.id}`)
      expect(reply.status).toBeGreaterThanOrEqual(401)
      expect(reply.headers).not.toHaveProperty('location')
    }
  })

  test('send the content when the store has no signed addresses', async () => {
    const { signedUrl: _, ...plain } = objects
    const { project, maintainer } = await startIn(plain, true)
    const { body } = await send(maintainer, project, 'a.txt', 'x')
    expect(await maintainer.get(`/projects/${project.id}/uploads/${body.id}`)).toMatchObject({ status: 200, text: 'x' })
  })
})

describe('while the bucket does not respond', () => {
  async function deadStore(): Promise<ObjectStore> {
    const probe = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => probe.once('listening', listening))
    const { port } = probe.address() as AddressInfo
    await new Promise((closed) => probe.close(closed))
    return openS3Store({ ...s3.settings, endpoint: `http://127.0.0.1:${port}` })
  }

  test('uploads, downloads and readiness return 503, and other requests succeed', async () => {
    const { server, project, maintainer } = await startIn(await deadStore(), false)
    const unavailable = { status: 503, body: { message: '503 Service Unavailable' } }
    expect(await send(maintainer, project, 'a.txt', 'x')).toMatchObject(unavailable)
    expect(await server.anonymous.get('//-/ready')).toMatchObject(unavailable)
    expect(await server.anonymous.get('//-/health')).toMatchObject({ status: 200 })
    expect(await maintainer.get(`/projects/${project.id}/uploads`)).toMatchObject({ status: 200, text: '[]' })
  })

  test('a rejected request returns its own error, and its file remains for the orphan cleanup', async () => {
    const refusing: ObjectStore = { ...objects, remove: async () => Promise.reject(new Error('no answer')) }
    const { server } = await startIn(refusing, false)
    const form = formWithFile('avatar', 'a.png', 'no image', { name: 'topic', title: 'Topic' })
    expect((await server.admin.post('/topics', form)).status).toBe(400)
    expect(await server.admin.get('/topics')).toMatchObject({ status: 200 })
  })

  test('an interrupted download closes the connection, not the server', async () => {
    const breaking: ObjectStore = {
      ...objects,
      async open() {
        const halves = async function* () {
          yield Buffer.from('half'.repeat(20_000))
          throw new Error('broke off')
        }
        return Readable.from(halves(), { objectMode: false })
      },
    }
    const { server, project, maintainer } = await startIn(breaking, false)
    // Small files are read completely before their first byte is sent.
    const { body } = await send(maintainer, project, 'a.txt', 'half'.repeat(40_000))
    await server.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.app.server.address() as AddressInfo
    const outcome = await new Promise((resolve) => {
      const path = `/api/v4/projects/${project.id}/uploads/${body.id}`
      get({ port, path, headers: { 'private-token': maintainer.token } }, (response) => {
        response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)).resume()
        response.on('end', () => resolve('ended'))
      }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    })
    expect(outcome).toBe('ECONNRESET')
    expect((await fetch(`http://127.0.0.1:${port}/-/health`)).status).toBe(200)
  })
})
