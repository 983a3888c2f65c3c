import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Dicer } from '@fastify/busboy'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HeaderLines } from './part-headers.ts'
import { type Part, splitParts } from './split-parts.ts'

const boundary = 'a-boundary'
const delimiter = `\r\n--${boundary}`

/** Texts that resemble a boundary: prefixes of it, line breaks, dashes. */
const lookAlike = fc.oneof(
  fc.nat(delimiter.length - 1).map((length) => delimiter.slice(0, length)),
  fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    '\r\r\n',
    '--',
    '-',
    `--${boundary}`,
    `--${boundary}--`,
    `\r\n-${boundary}`,
    '\r\n\r\n',
  ),
)
const bytes = fc
  .array(fc.oneof(lookAlike, fc.uint8Array({ maxLength: 60 })), { maxLength: 8 })
  .map((bits) => Buffer.concat(bits.map((bit) => Buffer.from(bit))))
const content = bytes.filter((content) => !`\r\n${content.toString('latin1')}`.includes(delimiter))
const cuts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 10 })

interface Whole {
  headers: HeaderLines
  content: string
}

describe('a multipart body in any chunks', () => {
  const part = fc.record({
    name: fc.stringMatching(/^[a-z]{1,8}$/),
    more: fc.constantFrom(
      '',
      'Content-Type: text/plain\r\n',
      'X-Long: one\r\n two\r\n',
      'x-twice: 1\r\nX-Twice: 2\r\n',
    ),
    content,
  })
  const form = fc.record({
    preamble: fc.constantFrom('', 'preamble\r\n', '\r\n', '--\r\n', `--${boundary.slice(0, -1)}\r\n`),
    parts: fc.array(part, { maxLength: 5 }),
    epilogue: fc.constantFrom('', '\r\n', '\r\nepilogue', `--${delimiter}\r\n`),
  })

  test('is split into its parts', async () => {
    await fc.assert(
      fc.asyncProperty(form, cuts, async ({ preamble, parts, epilogue }, cuts) => {
        const given = parts.map(({ name, more, content }) => [
          Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n${more}\r\n`),
          content,
          Buffer.from('\r\n'),
        ])
        const whole = [Buffer.from(preamble), ...given.flat(), Buffer.from(`--${boundary}--${epilogue}`)]
        const found = await read(Buffer.concat(whole), cuts)
        expect(found.map(({ content }) => content)).toEqual(parts.map(({ content }) => content.toString('latin1')))
        expect(found.map(({ headers }) => headers['content-disposition'])).toEqual(
          parts.map(({ name }) => [`form-data; name="${name}"`]),
        )
      }),
      { numRuns: 200 },
    )
  })
})

test('random bytes are split as by another parser, or rejected where it finds no headers or no end', async () => {
  const block = fc.constantFrom(
    `--${boundary}`,
    delimiter,
    `${delimiter}--`,
    `${delimiter}\r\n`,
    `${delimiter}\r\nContent-Disposition: form-data; name="a"\r\n\r\n`,
    `${delimiter}\r\nA: b\r\nc: d\r\n\r\n`,
    `${delimiter}\r\n\r\n`,
    'A: b',
    'no header',
    '\r\n',
    '\r\n\r\n',
  )
  const body = fc
    .array(fc.oneof({ weight: 3, arbitrary: block.map((text) => Buffer.from(text)) }, content), { maxLength: 12 })
    .map((bits) => Buffer.concat(bits))
    // For two adjacent boundaries, the result of the other parser depends on the chunks.
    .filter((body) => !/a-boundary-?\r\n--a-boundary/.test(body.toString('latin1')))
  let compared = 0
  await fc.assert(
    fc.asyncProperty(body, cuts, async (body, cuts) => {
      const expected = await readWithDicer(body, cuts)
      const found = await read(body, cuts).catch(() => 'refused')
      if (found !== 'refused' && found.length > 0) compared++
      expect(found).toEqual(expected)
    }),
    { numRuns: 600 },
  )
  expect(compared).toBeGreaterThan(20)
})

test('two boundaries with nothing between them are rejected in all chunks', async () => {
  for (let cut = 1; cut < 30; cut++) {
    const body = Buffer.from(`--${boundary}${delimiter}--`)
    await expect(read(body, [cut]), `${cut}`).rejects.toThrow('unreadable headers')
  }
})

test('a part that is not read to its end is skipped', async () => {
  const one = `--${boundary}\r\nA: 1\r\n\r\n${'x'.repeat(1000)}\r\n`
  for (const most of [0, 1, 3]) {
    let read = 0
    let parts = 0
    for await (const { content } of splitParts(source(Buffer.from(`${one}${one}--${boundary}--`), [100]), boundary)) {
      parts++
      for (let turn = 0; turn < most; turn++) read += (await content.next()).value?.length ?? 0
      if (most === 3) await content.return()
    }
    expect(parts).toBe(2)
    expect(read > 0).toBe(most > 0)
  }
})

test('a boundary may be followed by spaces, and header lines may be folded', async () => {
  const body = `--${boundary} \t\r\nA: one\r\n two\r\nB:\tthree\r\n\r\nx${delimiter}--  \r\n`
  expect(await read(Buffer.from(body), [7])).toEqual([{ headers: { a: ['one two'], b: ['three'] }, content: 'x' }])
})

test('headers of 16 KiB are accepted, longer ones rejected', async () => {
  const withHeader = (length: number) =>
    Buffer.from(`--${boundary}\r\nA: ${'x'.repeat(length - 5)}\r\n\r\n${delimiter}--`)
  for (const cut of [100_000, 1000, 16_384, 16_385, 16_388]) {
    expect((await read(withHeader(16 * 1024), [cut])).length, `${cut}`).toBe(1)
    await expect(read(withHeader(16 * 1024 + 1), [cut]), `${cut}`).rejects.toThrow('unreadable headers')
  }
  await expect(read(Buffer.from(`--${boundary}\r\n${'A'.repeat(100_000)}`), [5000])).rejects.toThrow(
    'unreadable headers',
  )
})

test('the content of a part is not copied after its first bytes', async () => {
  const chunk = Buffer.alloc(65536, 'x')
  const head = Buffer.from(`--${boundary}\r\nA: b\r\n\r\n`)
  const chunks = [head, ...Array(8).fill(chunk), Buffer.from(`${delimiter}--`)]
  const isSame: boolean[] = []
  for await (const { content } of splitParts(async () => chunks.shift(), boundary)) {
    for await (const piece of content) isSame.push(piece.buffer === chunk.buffer)
  }
  expect(isSame).toEqual([false, ...Array(7).fill(true)])
})

function source(body: Buffer, cuts: readonly number[]): () => Promise<Buffer | undefined> {
  let at = 0
  let turn = 0
  return async () => {
    const chunk = body.subarray(at, at + (cuts[turn++ % cuts.length] ?? 1))
    at += chunk.length
    return chunk.length > 0 ? chunk : undefined
  }
}

async function read(body: Buffer, cuts: readonly number[]): Promise<Whole[]> {
  const found: Whole[] = []
  for await (const { headers, content } of splitParts(source(body, cuts), boundary)) {
    found.push({ headers: { ...headers }, content: await textOf(content) })
  }
  return found
}

async function textOf(content: Part['content']): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

/** Returns `refused` when the headers of a part or the body do not end. */
async function readWithDicer(body: Buffer, cuts: readonly number[]): Promise<Whole[] | 'refused'> {
  if (body.length === 0) return []
  const next = source(body, cuts)
  const dicer = new Dicer({ boundary })
  const found: Promise<Whole | 'refused'>[] = []
  dicer.on('part', (part) => {
    let headers: HeaderLines | undefined
    part.on('header', (lines) => {
      headers = { ...(lines as HeaderLines) }
    })
    found.push(
      buffer(part).then(
        (content) => (headers ? { headers, content: content.toString('latin1') } : 'refused'),
        () => 'refused',
      ),
    )
  })
  const isWhole = await new Promise<boolean>((resolve) => {
    dicer.on('error', () => resolve(false)).on('finish', () => resolve(true))
    Readable.from(chunks(next)).pipe(dicer)
  })
  const parts = await Promise.all(found)
  const whole = parts.filter((part) => part !== 'refused')
  return isWhole && whole.length === parts.length ? whole : 'refused'
}

async function* chunks(next: () => Promise<Buffer | undefined>): AsyncGenerator<Buffer> {
  for (let chunk = await next(); chunk; chunk = await next()) yield chunk
}
