import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { type FastifyInstance, fastify } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Failure } from '../../../platform/failure.ts'
import { openMemoryStore } from '../../../platform/object-store/memory.ts'
import type { ObjectStore } from '../../../platform/object-store/objects.ts'
import { receiveFile } from '../../../platform/object-store/receive.ts'
import { readMultipart } from './multipart.ts'

const maxBytes = 100_000
const boundary = 'a-boundary'
const type = `multipart/form-data; boundary=${boundary}`

let app: FastifyInstance
let port: number
let objects: ObjectStore
/** Error of the last request. */
let refusal: unknown
let keys = 0

beforeAll(async () => {
  app = fastify()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.post('/', async (request) => {
    const form = await readMultipart(request, {
      fileFields: ['file', 'avatar'],
      maxBodyBytes: 20_000_000,
      maxTextBytes: 8 * 1024 * 1024,
      receive: ({ filename, content }) =>
        receiveFile(objects, content, { filename, maxBytes, newKey: () => `files/${++keys}` }),
      discard: ({ key }) => objects.remove(key),
    })
    const files = form.files.map(async ([name, { key, filename, bytes, sha256 }]) => {
      const content = await buffer((await objects.open(key)) ?? Readable.from([]))
      return { name, filename, bytes, sha256, content: content.toString('base64') }
    })
    return { fields: form.fields, files: await Promise.all(files) }
  })
  app.setErrorHandler((error, _request, reply) => {
    refusal = error
    return reply
      .code(error instanceof Failure ? 400 : 500)
      .send(error instanceof Failure ? error.cause : { error: `${error}` })
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app.close())
afterEach(() => {
  refusal = undefined
})

const fresh = () => {
  objects = openMemoryStore()
}

describe('a multipart form', () => {
  test('returns its texts in order and unchanged', async () => {
    const fields = [
      ['topics[]', 'one'],
      ['title', 'Grüße 🦊'],
      ['topics[]', 'two'],
      ['a[b]', ''],
      ['avatar', ''],
      ['title', '\ufeffagain\r\n'],
    ] as const
    expect(await post(...fields.map(([name, value]) => text(name, value)))).toEqual({
      status: 200,
      body: { fields, files: [] },
    })
  })

  test('returns its files, and drops undeclared ones', async () => {
    const { body } = await post(
      file('other', 'x.bin', Buffer.alloc(300_000)),
      file('file', 'plan.png', Buffer.from('the plan')),
      text('title', 'Plan'),
      file('avatar', 'empty.png', Buffer.alloc(0)),
    )
    expect(body.fields).toEqual([['title', 'Plan']])
    expect(body.files).toEqual([
      expect.objectContaining({ name: 'file', filename: 'plan.png', bytes: 8, content: btoa('the plan') }),
      expect.objectContaining({ name: 'avatar', filename: 'empty.png', bytes: 0 }),
    ])
  })

  test('reads an empty file field as a blank text', async () => {
    const { body } = await post(file('avatar', '', Buffer.alloc(0)), file('file', '', Buffer.from('nameless')))
    expect(body.fields).toEqual([['avatar', '']])
    expect(body.files).toMatchObject([{ name: 'file', filename: '', bytes: 8 }])
  })

  test('keeps filename*, line breaks in names, and texts with a content type of JSON', async () => {
    const { status, body } = await post(
      part(`form-data; name="file"; filename="=?utf-8?B?ZA?="; filename*=utf-8''d%C3%A9.png`, Buffer.from('1')),
      part(`form-data; name="file"; filename*=utf-8''a%0Ab.png`, Buffer.from('2')),
      part('form-data; name="json"\r\nContent-Type: application/json', Buffer.from('{"broken": 1.0')),
      part('form-data; name="blob"\r\nContent-Type: application/octet-stream', Buffer.from('text')),
      part('form-data; name="old"\r\nContent-Type: text/plain; charset=iso-8859-1', Buffer.from('d\xe9', 'latin1')),
      part('form-data; name="odd"\r\nContent-Type: text/plain; charset=klingon', Buffer.from('dé')),
    )
    expect(status).toBe(200)
    expect(body.files.map(({ filename }) => filename)).toEqual(['dé.png', 'a\nb.png'])
    expect(body.fields).toEqual([
      ['json', '{"broken": 1.0'],
      ['blob', 'text'],
      ['old', 'dé'],
      ['odd', 'dé'],
    ])
  })

  test('returns file contents byte for byte, for all chunk sizes', async () => {
    // Line breaks, dashes and parts of the boundary are the difficult cases for a parser.
    const content = fc
      .array(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.constantFrom('\r\n', '\r', '--', `\r\n--${boundary.slice(0, -1)}`, `--${boundary}`),
        ),
        {
          maxLength: 12,
        },
      )
      .map((bits) => Buffer.concat(bits.map((bit) => Buffer.from(bit))))
      .filter((bytes) => !`\r\n${bytes.toString('latin1')}`.includes(`\r\n--${boundary}`))
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1 }),
        async (contents, cuts) => {
          const body = form(
            ...contents.map((bytes, index) => file('file', `${index}.bin`, bytes)),
            text('end', 'reached'),
          )
          const { body: answer } = await inject(cut(body, cuts))
          expect(answer.fields).toEqual([['end', 'reached']])
          expect(answer.files.map(({ content }) => content)).toEqual(contents.map((bytes) => bytes.toString('base64')))
        },
      ),
      { numRuns: 150 },
    )
  })

  test('can have a preamble, an epilogue, and no parts', async () => {
    expect(
      await inject([
        Buffer.from(`hello\r\n--${boundary}\r\n`),
        text('a', 'b').subarray(boundary.length + 4),
        end,
        Buffer.from('bye'),
      ]),
    ).toMatchObject({
      status: 200,
      body: { fields: [['a', 'b']] },
    })
    expect(await inject([end])).toMatchObject({ status: 200, body: { fields: [], files: [] } })
    expect(await inject([])).toMatchObject({ status: 200, body: { fields: [], files: [] } })
  })

  test('can be sent by fetch', async () => {
    fresh()
    const data = new FormData()
    data.append('title', 'Plan')
    data.append('file', new Blob(['the plan']), 'a "quoted"\nname é.png')
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: data })
    expect(await response.json()).toMatchObject({
      fields: [['title', 'Plan']],
      files: [{ filename: 'a "quoted"\nname é.png', content: btoa('the plan') }],
    })
  })
})

describe('multipart limits', () => {
  test('accept a file of the maximum size, and store nothing when one is larger', async () => {
    expect(await post(file('file', 'a', Buffer.alloc(maxBytes)))).toMatchObject({ status: 200 })
    expect(await post(file('file', 'a', Buffer.from('kept?')), file('file', 'b', Buffer.alloc(maxBytes + 1)))).toEqual(
      tooLarge,
    )
    await expectNothingStored()
  })

  test.each([
    [
      '11 files',
      () => Array.from({ length: 11 }, () => file('file', 'a', Buffer.from('x'))),
      'upload request contains more than 10 files',
    ],
    [
      '11 undeclared files',
      () => Array.from({ length: 11 }, () => file('x', 'a', Buffer.from('x'))),
      'upload request contains more than 10 files',
    ],
    [
      '1,001 fields',
      () => [file('file', 'a', Buffer.from('x')), ...Array.from({ length: 1001 }, () => text('a', 'b'))],
      'upload request contains more than 1000 fields',
    ],
    [
      'a text of more than 1 MiB',
      () => [text('description', 'x'.repeat(1024 * 1024 + 5000))],
      'description is too long',
    ],
    [
      'a name of 20,000 characters',
      () => [text('a'.repeat(20_000), 'b')],
      'a part of the multipart body has unreadable headers',
    ],
  ])('reject %s', async (_what, parts, message) => {
    expect(await post(...parts())).toEqual(problem(message))
    await expectNothingStored()
  })

  test('accept 10 files, 1,000 fields and a text of 1 MiB', async () => {
    expect(await post(...Array.from({ length: 10 }, () => file('file', 'a', Buffer.from('x'))))).toMatchObject({
      status: 200,
    })
    expect(await post(...Array.from({ length: 1000 }, () => text('a', 'b')))).toMatchObject({ status: 200 })
    expect(await post(text('description', 'x'.repeat(1024 * 1024)))).toMatchObject({ status: 200 })
  })

  test('reject many long texts in total', async () => {
    expect(await post(...Array.from({ length: 9 }, () => text('a', 'x'.repeat(1_000_000))))).toEqual(tooLarge)
  })

  test('reject a body above the limit, unread when its length is known', async () => {
    const huge = form(file('other', 'a', Buffer.alloc(21_000_000)))
    expect(await inject([huge], { 'content-length': '21000000' })).toEqual(tooLarge)
    expect(await inject([huge.subarray(0, 100)], { 'content-length': '21000000' })).toEqual(tooLarge)
    expect(await inject(cut(huge, [65536]))).toEqual(tooLarge)
  })

  test('answer a client that keeps sending an oversized file, and keep the connection', async () => {
    fresh()
    const socket = await dial()
    const body = form(file('file', 'a', Buffer.alloc(15_000_000)))
    socket.write(head(body.length))
    socket.write(body)
    expect(await answerOn(socket)).toContain('too-large')
    const next = form(text('a', 'b'))
    socket.write(head(next.length))
    socket.write(next)
    expect(await answerOn(socket)).toContain('[["a","b"]]')
    socket.destroy()
    await expectNothingStored()
  })
})

describe('a multipart boundary', () => {
  const withBoundary = (boundary: string) =>
    inject([Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--${boundary}--\r\n`)], {
      'content-type': `multipart/form-data; boundary=${boundary}`,
    })

  test('of 70 characters is accepted, a longer one is rejected', async () => {
    expect(await withBoundary('b'.repeat(70))).toMatchObject({ status: 200, body: { fields: [['a', 'b']] } })
    expect(await withBoundary('b'.repeat(71))).toEqual(problem('the multipart boundary may have up to 70 characters'))
  })
})

describe('a broken multipart body', () => {
  test('without a boundary is rejected', async () => {
    for (const broken of [
      'multipart/form-data',
      'multipart/form-data; boundary',
      'multipart/form-data; charset=utf-8',
    ]) {
      const answer = await inject([form(text('a', 'b'))], { 'content-type': broken })
      expect(answer, broken).toEqual(problem('the multipart boundary is missing'))
    }
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'with a field named %s is rejected',
    async (name) => {
      expect(await post(file('file', 'a', Buffer.from('x')), text(name, 'y'))).toEqual(
        problem(`${name} is not a name for a field`),
      )
      expect(await post(file(name, 'a', Buffer.from('x')))).toEqual(problem(`${name} is not a name for a field`))
      await expectNothingStored()
    },
  )

  test.each([
    ['no headers', `--${boundary}\r\n\r\nx\r\n`],
    ['no disposition', `--${boundary}\r\nContent-Type: text/plain\r\n\r\nx\r\n`],
    [
      'a line that is not a header',
      `--${boundary}\r\nnonsense\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n`,
    ],
    ['a bare line break', `--${boundary}\r\nContent-Disposition: form-data; name="a\nb"\r\n\r\nx\r\n`],
    ['no name', `--${boundary}\r\nContent-Disposition: form-data; filename="a"\r\n\r\nx\r\n`],
    ['unterminated headers', `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n`],
  ])('with a part that has %s is rejected', async (_what, broken) => {
    fresh()
    expect(await inject([file('file', 'a', Buffer.from('x')), Buffer.from(broken), end])).toEqual(
      problem('a part of the multipart body has unreadable headers'),
    )
    await expectNothingStored()
  })

  test('is rejected wherever it is cut off, and stores nothing', async () => {
    fresh()
    const whole = form(
      file('file', 'a.bin', Buffer.alloc(300, 'x')),
      text('a', 'b'),
      file('avatar', 'b', Buffer.alloc(50)),
      text('c', ''),
    )
    for (let length = 1; length < whole.length - 2; length += 3) {
      const { status, body } = await inject(cut(whole.subarray(0, length), [97]))
      expect([status, body], `${length} bytes`).toEqual([400, expect.objectContaining({ kind: 'parameter' })])
    }
    await expectNothingStored()
  })

  test('of random bytes returns 200 or 400', async () => {
    fresh()
    const bits = fc.constantFrom(
      '\r\n',
      '\r\n\r\n',
      `--${boundary}`,
      '--',
      'Content-Disposition: form-data; name="a"',
      '; filename="f"',
      'Content-Type: application/json',
      ':',
      'x',
      '\0',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 5, arbitrary: bits }, fc.string()), { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        async (bits, cuts) => {
          const { status } = await inject(cut(Buffer.from(bits.join('')), cuts))
          expect([200, 400]).toContain(status)
        },
      ),
      { numRuns: 400 },
    )
  })

  test('of a disconnected client is dropped and stores nothing', async () => {
    for (const sent of [0, 20, 130, 5000, 70_000]) {
      fresh()
      refusal = undefined
      const socket = await dial()
      const body = form(file('file', 'a', Buffer.from('whole')), file('file', 'b', Buffer.alloc(90_000)))
      socket.write(head(body.length))
      socket.write(body.subarray(0, sent))
      await new Promise((resolve) => setTimeout(resolve, 30))
      socket.destroy()
      await expect.poll(() => refusal, { message: `${sent} bytes`, timeout: 5000 }).toBeInstanceOf(Failure)
      await expectNothingStored()
    }
  })
})

test('a failing store returns 500, and the request stores nothing', async () => {
  fresh()
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const working = objects
  let puts = 0
  objects = {
    ...working,
    async put(key, body) {
      if (++puts === 1) return working.put(key, body)
      for await (const _ of body) throw full
    },
  }
  const answer = await inject(
    cut(form(file('file', 'a', Buffer.from('x')), file('file', 'b', Buffer.alloc(50_000))), [1000]),
  )
  expect(answer).toMatchObject({ status: 500, body: { error: 'Error: no space left on device' } })
  expect(refusal).toBe(full)
  await expectNothingStored()
})

test('a request that is not multipart is rejected', async () => {
  const other = fastify()
  other.post('/', (request) =>
    readMultipart(request, {
      fileFields: [],
      maxTextBytes: 1024,
      receive: () => Promise.reject(new Error()),
      discard: async () => {},
    }),
  )
  other.setErrorHandler((error, _request, reply) => reply.code(error instanceof Failure ? 400 : 500).send({}))
  const { statusCode } = await other.inject({ method: 'POST', url: '/', payload: { a: 1 } })
  expect(statusCode).toBe(400)
})

interface Answer {
  status: number
  body: { fields: [string, string][]; files: { name: string; filename: string; bytes: number; content: string }[] }
}
const tooLarge = { status: 400, body: { kind: 'too-large' } }
const problem = (message: string) => ({ status: 400, body: { kind: 'parameter', message } })

const end = Buffer.from(`--${boundary}--\r\n`)
const text = (name: string, value: string) => part(`form-data; name="${name}"`, Buffer.from(value))
const file = (name: string, filename: string, content: Buffer) =>
  part(`form-data; name="${name}"; filename="${filename}"\r\nContent-Type: application/octet-stream`, content)
const form = (...parts: Buffer[]) => Buffer.concat([...parts, end])

function part(disposition: string, content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ])
}

function cut(body: Buffer, sizes: number[]): Buffer[] {
  const chunks = []
  for (let at = 0, turn = 0; at < body.length; turn++) {
    const size = sizes[turn % sizes.length] ?? body.length
    chunks.push(body.subarray(at, at + size))
    at += size
  }
  return chunks
}

/** Parses a body in process, chunk by chunk. */
async function inject(chunks: Buffer[], headers: Record<string, string> = {}): Promise<Answer> {
  objects ??= openMemoryStore()
  const payload = Readable.from(chunks, { objectMode: false })
  const response = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': type, ...headers },
    payload,
  })
  return { status: response.statusCode, body: response.json() }
}

/** Sends a body over a real connection to a server with an empty store. */
async function post(...parts: Buffer[]): Promise<Answer> {
  fresh()
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port, host: '127.0.0.1', method: 'POST', headers: { 'content-type': type } },
      (response) => {
        buffer(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(body.toString()) }),
          reject,
        )
      },
    )
    request.on('error', reject)
    request.end(form(...parts))
  })
}

function dial(): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
  })
}

const head = (bytes: number) =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`

/** Resolves to the next response when it is complete. Responses are short and have a Content-Length. */
function answerOn(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = ''
    const onData = (chunk: Buffer) => {
      seen += chunk
      const [, length = '', body = ''] = /content-length: (\d+).*?\r\n\r\n(.*)$/is.exec(seen) ?? []
      if (length === '' || body.length < Number(length)) return
      socket.off('data', onData)
      resolve(body)
    }
    socket.on('data', onData).once('error', reject)
  })
}

async function expectNothingStored(): Promise<void> {
  const left = []
  for await (const { key } of objects.list('')) left.push(key)
  expect(left).toEqual([])
}
