import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { removeOldThumbnails } from '../../../domain/uploads/thumbnails/thumbnails.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let project: TestProject
let maintainer: Client
beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/thumbnails')
  maintainer = await server.as('maintainer', project)
})

const picture = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#2a6' } })
const upload = async (name: string, content: Buffer | string) =>
  (await maintainer.post(`/projects/${project.id}/uploads`, formWithFile('file', name, content))).body
const thumbnailOf = (id: number, client = maintainer) => client.get(`/projects/${project.id}/uploads/${id}/thumbnail`)

async function storedThumbnails(): Promise<string[]> {
  const keys = []
  for await (const { key } of server.deps.objects.list('thumbnails/')) keys.push(key)
  return keys
}

test('a picture has an upright thumbnail within 192 pixels, which is stored for some days', async () => {
  const content = await picture(800, 400).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const { id, full_path: fullPath } = await upload('photo.jpg', content)
  const { status, bytes, headers } = await thumbnailOf(id)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'image/webp',
    'content-security-policy': expect.stringContaining('sandbox'),
    'x-content-type-options': 'nosniff',
    'cache-control': 'max-age=0, private, must-revalidate',
  })
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 96, height: 192 })
  expect(await storedThumbnails()).toHaveLength(1)
  expect((await thumbnailOf(id)).bytes.equals(bytes)).toBe(true)
  const viewed = await maintainer.get(`/${fullPath.replace('/uploads/', '/thumbnails/')}`)
  expect(viewed.bytes.equals(bytes)).toBe(true)

  await removeOldThumbnails(server.deps)
  expect(await storedThumbnails()).toHaveLength(1)
  const later = new Date(Date.now() + 8 * 24 * 60 * 60 * 1000).toISOString()
  await removeOldThumbnails({ ...server.deps, now: () => later })
  expect(await storedThumbnails()).toEqual([])
  expect((await thumbnailOf(id)).status).toBe(200)
})

test('other files, damaged pictures and those with too many pixels have no thumbnail', async () => {
  const png = await picture(300, 300).png().toBuffer()
  const files: [string, Buffer | string][] = [
    ['text.png', 'no picture'],
    ['empty.png', ''],
    ['picture.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'],
    ['cut.png', png.subarray(0, png.length - 60)],
    ['large.png', await picture(9000, 9000).png().toBuffer()],
  ]
  for (const [name, content] of files) {
    const { id } = await upload(name, content)
    expect([name, (await thumbnailOf(id)).status]).toEqual([name, 404])
  }
})

test('a thumbnail needs the permission for its file', async () => {
  const { id, full_path: fullPath } = await upload('private.png', await picture(20, 10).png().toBuffer())
  const developer = await server.as('developer', project)
  expect((await thumbnailOf(id, developer)).status).toBe(403)
  const path = `/${fullPath.replace('/uploads/', '/thumbnails/')}`
  expect((await developer.get(path)).status).toBe(200)
  expect((await server.anonymous.get(path)).status).toBe(404)
  await maintainer.delete(`/projects/${project.id}/uploads/${id}`)
  expect((await thumbnailOf(id)).status).toBe(404)
  expect((await developer.get(path)).status).toBe(404)
})
