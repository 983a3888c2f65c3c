import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { jfif, makeJpeg, metadataSegments, segment } from '../../../testing/pictures/jpeg.ts'
import { chunk, makePng } from '../../../testing/pictures/png.ts'
import { makeTiff } from '../../../testing/pictures/tiff.ts'
import { extended, lossy, makeWebp, riffChunk } from '../../../testing/pictures/webp.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let project: TestProject
let maintainer: Client
beforeAll(async () => {
  server = await startServer({ settings: { maxUploadBytes: 1024 * 1024 } })
  project = await server.project('acme/pictures')
  maintainer = await server.as('maintainer', project)
})

const jpeg = makeJpeg(jfif(), ...metadataSegments)
const tiff = makeTiff({ order: 'MM', isBig: false }, [
  [
    [256, 3, [1]],
    [273, 4, { data: [Buffer.alloc(1000, 'pixels')] }],
    [279, 4, [1000]],
    [315, 2, 'Secret Person'],
  ],
])

const png = makePng([chunk('tEXt', 'Author\0Secret Person')])
const webp = makeWebp(extended(0x04), lossy, riffChunk('XMP ', 'Secret Person'))

const upload = (filename: string, content: Uint8Array) =>
  maintainer.post(`/projects/${project.id}/uploads`, formWithFile('file', filename, content))

test('an uploaded image is stored without its metadata, whatever its filename', async () => {
  for (const [filename, content] of [
    ['photo.jpg', jpeg],
    ['photo.txt', jpeg],
    ['photo', jpeg],
    ['scan.tiff', tiff],
    ['scan.png', tiff],
    ['screen.png', png],
    ['photo.webp', webp],
  ] as const) {
    const sent = await upload(filename, content)
    expect([filename, sent.status]).toEqual([filename, 201])
    const { bytes, headers } = await maintainer.get(`/projects/${project.id}/uploads/${sent.body.id}`)
    expect(content.includes('Secret')).toBe(true)
    expect([filename, bytes.includes('Secret')]).toEqual([filename, false])
    // Size and ETag are those of the stored file.
    const [listed] = (await maintainer.get(`/projects/${project.id}/uploads`)).body
    expect(listed.size).toBe(bytes.length)
    expect(headers['content-length']).toBe(String(bytes.length))
    expect(headers.etag).toBe(`"${createHash('sha256').update(bytes).digest('hex')}"`)
  }
})

test('the size limit of an image applies before its metadata is removed', async () => {
  const padded = (bytes: number) =>
    makeJpeg(...Array.from({ length: bytes / 60_000 }, () => segment(0xfe, Buffer.alloc(59_996))))
  const sizes = [17, 18].map((segments) => padded(segments * 60_000))
  expect(sizes.map((sent) => sent.length > 1024 * 1024)).toEqual([false, true])
  expect(await Promise.all(sizes.map(async (sent) => (await upload('a.jpg', sent)).status))).toEqual([201, 413])
})

test('a .jpg file that is no image is stored unchanged', async () => {
  const text = Buffer.from('Secret, and no picture')
  const { body } = await upload('text.jpg', text)
  expect((await maintainer.get(`/projects/${project.id}/uploads/${body.id}`)).bytes).toEqual(text)
})

test('the avatar of a topic is stored without its metadata', async () => {
  for (const [filename, content] of [
    ['avatar.jpg', jpeg],
    ['avatar.tiff', tiff],
  ] as const) {
    const made = await server.admin.post(
      '/topics',
      formWithFile('avatar', filename, content, { name: filename, title: 'x' }),
    )
    expect(made.status).toBe(201)
    const { bytes, status } = await server.admin.get(`/${new URL(made.body.avatar_url).pathname}`)
    expect([filename, status]).toEqual([filename, 200])
    expect(bytes.includes('Secret')).toBe(false)
  }
})
