import type { TSchema } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { returnsSecrets } from '../../domain/access/permissions.ts'
import { routes } from '../../routes.ts'
import { type Client, formWithFile } from '../../testing/client.ts'
import { startServer, type TestServer } from '../../testing/server.ts'
import { openResponseCache } from '../pipeline/response-cache.ts'
import { addressOf } from '../route.ts'
import { contentFrom } from './render.ts'

let server: TestServer
let admin: Client

beforeAll(async () => {
  server = await startServer()
  admin = server.admin
  for (let number = 1; number <= 80; number++) {
    const topic = { name: `topic-${number}`, title: `Topic ${number}`, description: `word ${number} `.repeat(100) }
    expect(await admin.post('/topics', topic)).toMatchObject({ status: 201 })
  }
})

const get = (path: string, encoding: string, headers = {}) =>
  admin.get(path, { headers: { 'accept-encoding': encoding, ...headers } })

describe.each(['br', 'gzip'])('a response in %s', (encoding) => {
  // The last one is so large that it is compressed on another thread.
  test.each(['/topics?search=topic-7', '/topics', '/topics?per_page=100'])(
    'of %s decodes to the plain bytes',
    async (path) => {
      const plain = await admin.get(path)
      for (const attempt of ['fresh', 'cached']) {
        const compressed = await get(path, encoding)
        expect(compressed, attempt).toMatchObject({ status: 200, text: plain.text })
        expect(compressed.headers).toMatchObject({
          'content-encoding': encoding,
          'content-length': String(compressed.bytes.length),
          'content-type': 'application/json',
          vary: 'Origin, Accept-Encoding',
          etag: plain.headers['etag'],
        })
        expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2)
      }
    },
  )

  test('has the headers of GET for HEAD', async () => {
    const { headers } = await get('/topics', encoding)
    const head = await admin.head('/topics', { headers: { 'accept-encoding': encoding } })
    expect(head).toMatchObject({ status: 200, text: '' })
    for (const name of ['content-encoding', 'content-length', 'vary', 'etag']) {
      expect(head.headers[name], name).toBe(headers[name])
    }
  })

  test('returns 304 to a client that has it in any encoding', async () => {
    const { etag = '' } = (await admin.get('/topics')).headers
    expect(etag).toMatch(/^W\//)
    const unchanged = await get('/topics', encoding, { 'if-none-match': etag })
    expect(unchanged).toMatchObject({ status: 304, text: '', headers: { etag, vary: 'Origin, Accept-Encoding' } })
    expect(unchanged.headers['content-encoding']).toBeUndefined()
  })

  test('changes with its content', async () => {
    const before = await get('/topics', encoding)
    await admin.put('/topics/1', { title: `Changed for ${encoding}` })
    const after = await get('/topics', encoding)
    expect(after.text).toContain(`Changed for ${encoding}`)
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
  })
})

test('a client without Accept-Encoding gets plain bytes and the same Vary', async () => {
  await get('/topics', 'br')
  const plain = await admin.get('/topics')
  expect(plain.headers).toMatchObject({ vary: 'Origin, Accept-Encoding', 'content-length': String(plain.bytes.length) })
  expect(plain.headers['content-encoding']).toBeUndefined()
})

test('small responses and errors are not compressed', async () => {
  for (const path of ['/topics/1', '/topics/0', `/topics?per_page=${'x'.repeat(3000)}`]) {
    const { headers } = await get(path, 'br, gzip')
    expect(headers['content-encoding'], path).toBeUndefined()
    expect(headers['vary'], path).toBe('Origin')
  }
})

test('a route outside the API is compressed too', async () => {
  expect((await get('//-/openapi.json', 'br')).headers).toMatchObject({ 'content-encoding': 'br' })
})

test('downloads of uploads are not compressed', async () => {
  const project = await server.project('acme/downloads')
  const form = formWithFile('file', 'long.txt', 'text '.repeat(10_000))
  const { id, full_path: path } = (await admin.post(`/projects/${project.id}/uploads`, form)).body
  for (const address of [`/projects/${project.id}/uploads/${id}`, `/${path}`]) {
    const { headers } = await get(address, 'br, gzip')
    expect(headers).toMatchObject({ 'content-length': '50000' })
    expect(headers['content-encoding']).toBeUndefined()
  }
  const part = await get(`/projects/${project.id}/uploads/${id}`, 'br', { range: 'bytes=0-3' })
  expect(part).toMatchObject({ status: 206, text: 'text' })
})

describe('a response with secrets', () => {
  test('is not compressed', async () => {
    const project = await server.project('acme/secrets')
    for (let number = 0; number < 10; number++) {
      await admin.post(`/projects/${project.id}/uploads`, formWithFile('file', `file-${number}.txt`, 'text'))
    }
    for (const path of [
      `/projects/${project.id}/uploads?with_details=true`,
      '/user',
      '/users',
      '/personal_access_tokens',
    ]) {
      const { status, headers, bytes } = await get(path, 'br, gzip')
      expect(status, path).toBe(200)
      expect(headers['content-encoding'], path).toBeUndefined()
      expect(headers['vary'], path).toBe('Origin')
      if (path !== '/user') expect(bytes.length, path).toBeGreaterThan(100)
    }
  })

  test.each(routes.filter(({ output }) => namesSecret(output)).map((route) => [route.method, addressOf(route), route]))(
    '%s %s has a permission of secrets',
    (_method, _address, route) => {
      expect(returnsSecrets(route.permission)).toBe(true)
    },
  )

  test('is recognised by the names in its schema', () => {
    const found = routes.filter(({ output }) => namesSecret(output)).map(({ method, path }) => `${method} ${path}`)
    expect(found).toContain('POST /users/:user_id/personal_access_tokens')
    expect(found).toContain('POST /users/:id/password_links')
    expect(found).toContain('GET /projects/:id/uploads')
  })
})

test('compressed forms count towards the memory of cached responses', async () => {
  const responses = openResponseCache(server.deps, [], { isPerCaller: true })
  const [first, second] = ['/first', '/second'].map((url) => ({
    key: { origin: 'http://localhost', url, input: { url }, organizationId: undefined, resources: {} },
    response: { status: 200, headers: {}, content: contentFrom('x'.repeat(1_900_000)) },
  }))
  if (!first || !second) throw new Error('there are two')
  for (const { key, response } of [first, first, second, second]) {
    await responses.get(
      key,
      async () => response,
      () => response,
    )
  }
  expect(responses.peek(first.key)).toBe(first.response)
  second.response.content.compressed = { br: Buffer.alloc(500_000) }
  responses.updateWeight(second.key, second.response)
  expect(responses.peek(second.key)).toBe(second.response)
  expect(responses.peek(first.key)).toBeUndefined()
  const other = { status: 200, content: contentFrom('other') }
  const contentOf = async ({ key }: typeof first) =>
    (
      await responses.get(
        key,
        async () => other,
        (result) => ({ headers: {}, ...result }),
      )
    ).content
  expect(await contentOf(second)).toBe(second.response.content)
  expect(await contentOf(first)).toBe(other.content)
})

/** Returns true when a property of the output is a credential, or the link of an upload. */
function namesSecret(schema: TSchema): boolean {
  const {
    properties = {},
    items,
    title,
  } = schema as {
    properties?: Record<string, TSchema>
    items?: TSchema
    title?: string
  }
  const isSecret = (name: string) => /^(token|secret|password)$/.test(name)
  return (
    (title !== undefined && /^Upload(ListItem)?$/.test(title)) ||
    Object.entries(properties).some(([name, inner]) => isSecret(name) || namesSecret(inner)) ||
    (items !== undefined && namesSecret(items))
  )
}
