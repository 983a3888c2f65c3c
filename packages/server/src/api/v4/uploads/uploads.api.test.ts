import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { roles } from '../../../domain/access/roles.ts'
import { detectImageType } from '../../../domain/files/image-type.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let project: TestProject
let maintainer: Client
beforeAll(async () => {
  server = await startServer({ settings: { maxUploadBytes: 1024 * 1024 } })
  project = await server.project('acme/uploads')
  maintainer = await server.as('maintainer', project)
})

const upload = async (filename: string, content: string | Uint8Array = 'bytes', client: Client = maintainer) =>
  client.post(`/projects/${project.id}/uploads`, formWithFile('file', filename, content))

async function storedObjects(): Promise<number> {
  let count = 0
  for await (const _ of server.deps.objects.list('')) count++
  return count
}

describe('POST uploads', () => {
  test('returns what Markdown needs, with fields in GitLab’s order', async () => {
    const { status, body, text } = await upload('floor plan.png')
    expect(status).toBe(201)
    const secret = body.url.split('/')[2]
    expect(secret).toMatch(/^[0-9a-f]{32}$/)
    const url = `/uploads/${secret}/floor_plan.png`
    expect(text).toBe(
      `{"id":${body.id},"alt":"floor_plan","url":"${url}","full_path":"/-/project/${project.id}${url}",` +
        `"markdown":"![floor_plan](${url})"}`,
    )
  })

  test('creates two uploads for the same file', async () => {
    const [one, two] = [await upload('same.txt'), await upload('same.txt')]
    expect(one.body.url).not.toBe(two.body.url)
    expect(one.body.id).not.toBe(two.body.id)
  })

  test('percent-encodes full_path but not url', async () => {
    const { body } = await upload('Grüße.txt')
    expect(body.alt).toBe('Grüße.txt')
    expect(body.url).toMatch(/\/Grüße\.txt$/)
    expect(body.full_path).toMatch(/\/Gr%C3%BC%C3%9Fe\.txt$/)
  })

  test('ignores other parts, such as the blank avatar of python-gitlab', async () => {
    const form = formWithFile('file', 'a.txt', 'x', { avatar: '' })
    expect(await maintainer.post(`/projects/${project.id}/uploads`, form)).toMatchObject({ status: 201 })
  })

  test('accepts a project by path, an empty file, and a file of the maximum size', async () => {
    const path = `/projects/${encodeURIComponent('acme/uploads')}/uploads`
    expect((await maintainer.post(path, formWithFile('file', 'empty.bin', ''))).status).toBe(201)
    expect((await upload('exact.bin', Buffer.alloc(1024 * 1024))).status).toBe(201)
  })

  test('returns 413 for a file above the limit and stores nothing', async () => {
    const before = await storedObjects()
    expect(await upload('more.bin', Buffer.alloc(1024 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { message: '413 Request Entity Too Large' },
    })
    expect(await storedObjects()).toBe(before)
  })

  test.each([
    ['an empty body', undefined, 'file is missing'],
    ['JSON without a file', {}, 'file is missing'],
    ['JSON with a text as the file', { file: 'text' }, 'file is invalid'],
    ['a form field', new URLSearchParams({ file: 'text' }), 'file is invalid'],
    ['a blank form field', new URLSearchParams({ file: '' }), 'file is invalid'],
  ])('returns 400 for %s', async (_, body, error) => {
    expect(await maintainer.post(`/projects/${project.id}/uploads`, body)).toMatchObject({
      status: 400,
      body: { error },
    })
  })

  test('rejects a raw body, as sent by curl --data-binary, because the file is missing', async () => {
    const headers = { 'content-type': 'application/octet-stream' }
    const raw = await maintainer.post(`/projects/${project.id}/uploads`, Buffer.from('raw'), { headers })
    expect(raw).toMatchObject({ status: 400, body: { error: 'file is missing' } })
  })

  test('rejects a request with more than ten files', async () => {
    const form = new FormData()
    for (let index = 0; index < 11; index++) form.append('file', new Blob(['x']), `f${index}.txt`)
    const before = await storedObjects()
    expect(await maintainer.post(`/projects/${project.id}/uploads`, form)).toMatchObject({
      status: 400,
      body: { error: 'upload request contains more than 10 files' },
    })
    expect(await storedObjects()).toBe(before)
  })

  test('stores only the last of several files in one field', async () => {
    const form = new FormData()
    for (const name of ['one', 'two']) form.append('file', new Blob([name]), `${name}.txt`)
    const before = await storedObjects()
    const { body } = await maintainer.post(`/projects/${project.id}/uploads`, form)
    expect(body.alt).toBe('two.txt')
    expect(await storedObjects()).toBe(before + 1)
  })

  test.each([
    '--',
    '--x\r\n\r\n',
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbroken off',
  ])('returns 400 for the broken multipart body %j', async (payload) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const before = await storedObjects()
    expect((await maintainer.post(`/projects/${project.id}/uploads`, payload, { headers })).status).toBe(400)
    expect(await storedObjects()).toBe(before)
  })
})

describe('GET uploads', () => {
  test('lists the newest first, with the uploader and without the secret', async () => {
    const other = await server.project('acme/listed')
    const nadia = await server.as('maintainer', other)
    const send = (name: string) =>
      nadia.post(`/projects/${other.id}/uploads`, formWithFile('file', name, name.repeat(3)))
    const ids = [await send('a.txt'), await send('b.txt'), await send('c.txt')].map(({ body }) => body.id)

    const { body, headers } = await nadia.get(`/projects/${other.id}/uploads?per_page=2`)
    expect(body.map((item: { id: number }) => item.id)).toEqual([ids[2], ids[1]])
    expect(body[0]).toEqual({
      id: ids[2],
      size: 15,
      filename: 'c.txt',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      uploaded_by: { id: nadia.user?.id, username: nadia.user?.username, public_email: '', name: nadia.user?.name },
    })
    expect(headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '2', 'x-next-page': '2' })
    expect(headers['link']).toContain(`/uploads?id=${other.id}&page=2&per_page=2>; rel="next"`)
  })

  test('names the ghost user as the uploader after the account is deleted', async () => {
    const other = await server.project('acme/orphans')
    const leaver = await server.as('developer', other)
    await leaver.post(`/projects/${other.id}/uploads`, formWithFile('file', 'a.txt', 'x'))
    expect((await server.admin.delete(`/users/${leaver.user?.id}`)).status).toBe(204)
    const { body } = await server.admin.get(`/projects/${other.id}/uploads`)
    expect(body).toMatchObject([{ filename: 'a.txt', uploaded_by: { username: 'ghost' } }])
  })
})

describe('downloading an upload', () => {
  test('returns the bytes by id and by secret, as an application/octet-stream attachment', async () => {
    const content = Buffer.from([0, 1, 2, 253, 254, 255])
    const { body } = await upload('my page.html', content)
    const [, , secret, filename] = body.url.split('/')
    const paths = [`uploads/${body.id}`, `uploads/${secret}/${filename}`, `uploads/${secret}/my%5Fpage%2Ehtml`]
    for (const path of paths) {
      const file = await maintainer.get(`/projects/${project.id}/${path}`)
      expect(file.status).toBe(200)
      expect(file.bytes.equals(content)).toBe(true)
      expect(file.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="my_page.html"; filename*=UTF-8''my_page.html`,
        'content-length': '6',
        'content-transfer-encoding': 'binary',
        'x-content-type-options': 'nosniff',
      })
    }
    const head = await maintainer.head(`/projects/${project.id}/uploads/${body.id}`)
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe('6')
  })

  test.each([
    ['999999', 404, { message: '404 Not found' }],
    ['99999999999999999999', 400, { error: 'upload_id is invalid' }],
    ['x', 400, { error: 'upload_id is invalid' }],
    ['0123456789abcdef0123456789abcdef/none.txt', 404, { message: '404 Not Found' }],
    ['nothex/none.txt', 404, { message: '404 Not Found' }],
    ['0123456789abcdef0123456789abcdef/..%2Fnone.txt', 400, { error: 'filename should be a valid file path' }],
    [
      '0123456789abcdef0123456789abcdef/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
      400,
      { error: 'filename should be a valid file path' },
    ],
  ])('rejects %s', async (rest, status, body) => {
    expect(await maintainer.get(`/projects/${project.id}/uploads/${rest}`)).toMatchObject({ status, body })
  })

  test('returns 404 for another project’s upload, by id and by secret', async () => {
    const { body } = await upload('mine.txt')
    const other = await server.project('acme/elsewhere')
    expect(await server.admin.get(`/projects/${other.id}/uploads/${body.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
    expect((await server.admin.get(`/projects/${other.id}${body.url}`)).status).toBe(404)
  })

  test('returns 404 when the object is missing', async () => {
    const { body } = await upload('lost.txt', 'lost')
    const [, , secret] = body.url.split('/')
    for await (const { key, bytes } of server.deps.objects.list('files/'))
      if (bytes === 4) await server.deps.objects.remove(key)
    for (const path of [`${body.id}`, `${secret}/lost.txt`]) {
      expect(await maintainer.get(`/projects/${project.id}/uploads/${path}`)).toMatchObject({
        status: 404,
        body: { message: '404 Not Found' },
      })
    }
  })

  test('returns part of it for a range', async () => {
    const { body } = await upload('range.txt', '0123456789')
    const part = await maintainer.get(`/projects/${project.id}/uploads/${body.id}`, { headers: { range: 'bytes=2-4' } })
    expect(part).toMatchObject({ status: 206, text: '234' })
    expect(part.headers['content-range']).toBe('bytes 2-4/10')
  })
})

describe('deleting an upload', () => {
  test('by id returns 204, then 404; the object is kept for the grace period', async () => {
    const { body } = await upload('gone.txt')
    const before = await storedObjects()
    const path = `/projects/${project.id}/uploads/${body.id}`
    expect(await maintainer.delete(path, {})).toMatchObject({ status: 204, text: '' })
    expect(await storedObjects()).toBe(before)
    expect(await maintainer.delete(path)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect((await maintainer.get(`/projects/${project.id}${body.url}`)).status).toBe(404)
  })

  test('by secret returns 204, then 400 with GitLab’s message', async () => {
    const { body } = await upload('gone.txt')
    const path = `/projects/${project.id}${body.url}`
    expect(await maintainer.delete(path)).toMatchObject({ status: 204, text: '' })
    expect(await maintainer.delete(path)).toMatchObject({
      status: 400,
      body: {
        message:
          "400 Bad request - The resource that you are attempting to access does not exist or you don't have permission to perform this action.",
      },
    })
  })

  test('happens when its project is deleted, with the file', async () => {
    const deletedProject = await server.project('acme/doomed')
    const before = await storedObjects()
    await server.admin.post(`/projects/${deletedProject.id}/uploads`, formWithFile('file', 'a.txt', 'x'))
    expect(await storedObjects()).toBe(before + 1)
    expect((await server.admin.delete(`/projects/${deletedProject.id}`)).status).toBe(202)
    expect(await storedObjects()).toBe(before)
  })
})

/** Role × action, with the expected status; see docs/compatibility.md. */
describe('permissions for uploads', () => {
  const everyone = ['anonymous', 'outsider', 'guest', 'reporter', 'developer', 'maintainer', 'owner', 'admin'] as const
  const visibilities = ['public', 'internal', 'private'] as const
  type Cells = Record<(typeof everyone)[number], readonly [number, number, number]>
  const all = (status: number) => [status, status, status] as const
  const refusedBelowMaintainer = { guest: all(403), reporter: all(403), developer: all(403) }

  const create: Cells = {
    anonymous: all(401),
    outsider: [201, 201, 404],
    guest: all(201),
    reporter: all(201),
    developer: all(201),
    maintainer: all(201),
    owner: all(201),
    admin: all(201),
  }
  const manage = (status: number, anonymous: readonly [number, number, number]): Cells => ({
    anonymous,
    outsider: [403, 403, 404],
    ...refusedBelowMaintainer,
    maintainer: all(status),
    owner: all(status),
    admin: all(status),
  })
  const bySecret: Cells = {
    anonymous: [200, 404, 404],
    outsider: [200, 200, 404],
    guest: all(200),
    reporter: all(200),
    developer: all(200),
    maintainer: all(200),
    owner: all(200),
    admin: all(200),
  }

  test.each(visibilities)('on a %s project', async (visibility) => {
    const column = visibilities.indexOf(visibility)
    const at = await server.project(`acme/matrix-${visibility}`, { visibility })
    const fresh = async () =>
      (await server.admin.post(`/projects/${at.id}/uploads`, formWithFile('file', 'a.txt', 'x'))).body
    for (const who of everyone) {
      const client = who === 'anonymous' ? server.anonymous : who === 'admin' ? server.admin : await server.as(who, at)
      const base = `/projects/${at.id}/uploads`
      const status = async (cells: Cells, send: () => Promise<{ status: number }>) =>
        expect([who, (await send()).status]).toEqual([who, cells[who][column]])

      await status(create, () => client.post(base, formWithFile('file', 'a.txt', 'x')))
      await status(manage(200, [403, 404, 404]), () => client.get(base))
      const { id, url } = await fresh()
      await status(manage(200, [403, 404, 404]), () => client.get(`${base}/${id}`))
      await status(bySecret, () => client.get(`/projects/${at.id}${url}`))
      await status(manage(204, all(401)), () => client.delete(`${base}/${id}`))
      const second = await fresh()
      await status(manage(204, all(401)), () => client.delete(`/projects/${at.id}${second.url}`))
    }
  })

  test('let a token with read_api list and download, but not upload or delete', async () => {
    const reader = await server.client(maintainer, { scopes: ['read_api'] })
    const { body } = await upload('a.txt')
    const base = `/projects/${project.id}/uploads`
    expect((await reader.get(base)).status).toBe(200)
    expect((await reader.get(`${base}/${body.id}`)).status).toBe(200)
    const refused = { status: 403, body: { error: 'insufficient_scope', scope: 'api read_api' } }
    expect(await reader.post(base, formWithFile('file', 'a.txt', 'x'))).toMatchObject(refused)
    expect(await reader.delete(`${base}/${body.id}`)).toMatchObject(refused)
  })

  test('reject an unknown token with 401, and treat external users as outsiders of internal projects', async () => {
    const internal = await server.project('acme/for-colleagues', { visibility: 'internal' })
    const { body } = await server.admin.post(`/projects/${internal.id}/uploads`, formWithFile('file', 'a.txt', 'x'))
    const external = await server.user('external-one', { external: true })
    expect((await external.get(`/projects/${internal.id}${body.url}`)).status).toBe(404)
    const headers = { 'private-token': 'unknown-token-unknown' }
    expect((await server.anonymous.get(`/projects/${internal.id}${body.url}`, { headers })).status).toBe(401)
  })

  test('return 404 for an unknown project, and 401 to anonymous writes', async () => {
    expect(await maintainer.post('/projects/999999/uploads', formWithFile('file', 'a', 'x'))).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    })
    expect((await server.anonymous.post('/projects/999999/uploads')).status).toBe(401)
    expect(roles.guest).toBe(10)
  })
})

const attachments = new URL('../../../../../../../shared/data/attachments/', import.meta.url)
describe.runIf(existsSync(attachments))('the collected files', () => {
  test('are returned byte for byte, except images whose metadata is removed', async () => {
    for (const name of readdirSync(attachments)) {
      const content = readFileSync(new URL(name, attachments))
      const type = detectImageType(content)
      if (content.length > 1024 * 1024 || (type !== undefined && stripped.has(type))) continue
      const sent = await upload(name, content)
      expect([name, sent.status]).toEqual([name, 201])
      const back = await maintainer.get(`/projects/${project.id}/uploads/${sent.body.id}`)
      expect([name, sha256(back.bytes)]).toEqual([name, sha256(content)])
    }
  })

  const stripped = new Set<string>(['image/jpeg', 'image/png', 'image/webp', 'image/tiff'])
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
})
