import { PassThrough } from 'node:stream'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { findBlocking, findExpensive, type Subject } from '../../testing/cost.ts'
import { readCredentials } from '../pipeline/credentials.ts'
import { attachment } from '../response/content-disposition.ts'
import { pageHeaders } from '../response/pages.ts'
import { compileInput } from './compile-input.ts'
import { date, dateTime, filePath, freeForm, integer, integerList, number, text, textList, uuid } from './input.ts'
import { readMultipart } from './multipart/multipart.ts'
import { readParameters } from './multipart/part-headers.ts'
import { parseJsonObject, parseUrlencoded } from './raw-params.ts'

/*
 * Runs every parser of HTTP input on generated worst cases of 64 KiB and 128 KiB. Compares CPU with plain text of the
 * same length, checks its growth, and how long it blocks the event loop. Add every new parser here.
 */

async function findCostly<Input>(subject: Subject<Input>, limits: { size?: number; maxRatio?: number } = {}) {
  return [...(await findExpensive(subject, limits)), ...(await findBlocking(subject, limits.size))]
}

/** Repeats the text up to about this size. */
const filled = (part: string) => (size: number) => part.repeat(Math.ceil(size / part.length))
const between = (before: string, part: string, after: string) => (size: number) => before + filled(part)(size) + after
const plain = filled('plain text ')

/** Texts that often slow down parsers. */
const texts = {
  'percent signs': filled('%'),
  'encoded bytes': filled('%41'),
  'encoded half characters': filled('%C3'),
  pluses: filled('+'),
  spaces: between('a', ' ', 'b'),
  'spaces between letters': filled('a '),
  commas: filled(','),
  semicolons: filled(';'),
  quotes: filled('"'),
  'an open quote': between('"', 'a', ''),
  backslashes: filled('\\'),
  'escaped quotes': between('"', '\\"', ''),
  slashes: between('a', '/', 'b'),
  dots: filled('.'),
  digits: filled('1'),
  'digits and a letter': between('', '1', 'x'),
  brackets: between('a', '[]', ''),
  'open brackets': filled('['),
  'named brackets': between('a', '[b]', ''),
  colons: filled(':'),
  emoji: filled('😀'),
  'combining marks': between('a', '\u0301', ''),
  'line breaks': filled('\r\n'),
  'equals signs': filled('='),
  stars: filled('*'),
  dashes: filled('-'),
}

test('parsing queries and forms costs no more than plain text', async () => {
  const hostile = {
    ...texts,
    ampersands: filled('&'),
    names: filled('a&'),
    'different names': (size: number) => Array.from({ length: size / 6 }, (_, index) => index).join('&'),
    elements: filled('a[]=&'),
    'elements of elements': filled('a[][b]=&'),
    'elements with many names': (size: number) =>
      Array.from({ length: size / 12 }, (_, index) => `a[][${index}]=`).join('&'),
    'nested parameters': between('', `a${'[b]'.repeat(31)}=1&`, ''),
    'nested lists': filled(`a${'[][b]'.repeat(15)}=1&`),
    'long nested names': filled(`a[${'x'.repeat(1000)}][]=1&`),
  }
  expect(await findCostly({ run: parseUrlencoded, plain: (size) => `a=${plain(size)}`, hostile })).toEqual([])
})

test('parsing JSON costs no more than plain text', async () => {
  const json = (generate: (size: number) => string) => (size: number) => Buffer.from(generate(size))
  const subject = {
    run: parseJsonObject,
    plain: json((size) => JSON.stringify({ a: plain(size) })),
    hostile: {
      objects: json((size) => `{"a":[${filled('{},')(size)}{}]}`),
      lists: json((size) => `{"a":[${filled('[],')(size)}[]]}`),
      numbers: json((size) => `{"a":[${filled('1,')(size)}1]}`),
      'a long number': json((size) => `{"a":${filled('1')(size)}}`),
      'a number with a long exponent': json((size) => `{"a":1e${filled('1')(size)}}`),
      'the same name': json((size) => `{${filled('"a":1,')(size)}"a":1}`),
      'different names': json((size) =>
        JSON.stringify(Object.fromEntries(Array.from({ length: size / 12 }, (_, at) => [`n${at}`, at]))),
      ),
      'numbers as names': json((size) =>
        JSON.stringify(Object.fromEntries(Array.from({ length: size / 12 }, (_, at) => [at * 65_537, at]))),
      ),
      'open brackets': json((size) => `{"a":${filled('[')(size)}`),
      'nested objects': json((size) => `{"a":[${filled(`${'{"a":'.repeat(98)}1${'}'.repeat(98)},`)(size)}1]}`),
      escapes: json((size) => `{"a":"${filled('\\u0041')(size)}"}`),
      'escaped quotes': json((size) => `{"a":"${filled('\\"')(size)}"}`),
      spaces: json((size) => `{${filled(' ')(size)}}`),
      'an open text': json((size) => `{"a":"${filled('x')(size)}`),
      'no UTF-8': (size: number) => Buffer.alloc(size, 0xc3),
      'long characters': json((size) => JSON.stringify({ a: filled('😀')(size / 4) })),
    },
  }
  expect(await findCostly(subject)).toEqual([])
})

/** Returns a body as chunks of this size. */
interface Arrival {
  body: string
  chunkBytes: number
  boundary: string
}

test('parsing multipart costs no more than a plain part', async () => {
  const boundary = 'b'.repeat(70)
  const part = (content: string, headers = 'Content-Disposition: form-data; name="a"') =>
    `--${boundary}\r\n${headers}\r\n\r\n${content}\r\n`
  const arrival =
    (generate: (size: number) => string, chunkBytes = 64 * 1024) =>
    (size: number): Arrival => ({
      body: `${generate(size)}--${boundary}--\r\n`,
      chunkBytes,
      boundary,
    })
  const subject = {
    run: readForm,
    plain: arrival((size) => part(plain(size))),
    hostile: {
      'chunks of one byte': arrival((size) => part(plain(size / 8)), 1),
      'chunks of four bytes': arrival((size) => part(plain(size / 8)), 4),
      parts: arrival(filled(part(''))),
      'parts without headers': arrival(filled(`--${boundary}\r\n\r\n\r\n`)),
      'line breaks': arrival((size) => part(filled('\r\n')(size))),
      'almost boundaries': arrival((size) => part(filled(`\r\n--${'b'.repeat(69)}`)(size))),
      'the letter of the boundary': arrival((size) => part(filled('b')(size))),
      'boundaries in a line': arrival((size) => part(filled(`--${boundary}`)(size))),
      dashes: arrival((size) => part(filled('-')(size))),
      'a preamble': arrival(filled('\r\n--b')),
      'an epilogue': (size: number): Arrival => ({ ...arrival(() => '')(size), body: `--${boundary}--${plain(size)}` }),
      'header lines': arrival(filled(part('', `${filled('a:b\r\n')(15_000)}Content-Disposition: form-data; name="a"`))),
      'folded header lines': arrival(
        filled(part('', `Content-Disposition: form-data; name="a"${'\r\n '.repeat(5000)}`)),
      ),
      'parameters of headers': arrival(
        filled(part('', `Content-Disposition: form-data; name="a"${'; b=c'.repeat(3000)}`)),
      ),
      'escaped names': arrival(filled(part('', `Content-Disposition: form-data; name="${'\\"'.repeat(7000)}"`))),
      'encoded file names': arrival(
        filled(part('', `Content-Disposition: form-data; name="a"; filename*=utf-8''${'%41'.repeat(5000)}`)),
      ),
      'character sets': arrival(
        filled(part('', 'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=gb18030')),
      ),
    },
  }
  expect(await findCostly(subject, { maxRatio: 60 })).toEqual([])
})

async function readForm({ body, chunkBytes, boundary }: Arrival): Promise<void> {
  const raw = new PassThrough({ highWaterMark: 1024 * 1024 })
  const request = { raw, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
  const read = readMultipart(request, {
    fileFields: [],
    maxTextBytes: 4 * 1024 * 1024,
    receive: () => Promise.reject(new Error('no field takes a file')),
    discard: async () => {},
  })
  const refused = read.catch((error: unknown) => error)
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length; at += chunkBytes) raw.write(bytes.subarray(at, at + chunkBytes))
  raw.end()
  await refused
}

test.each([
  ['the Authorization header', (value: string) => ({ authorization: `Bearer ${value}` })],
  ['cookies', (value: string) => ({ cookie: value })],
  ['the PRIVATE-TOKEN header', (value: string) => ({ 'private-token': value })],
  ['the Sudo header', (value: string) => ({ sudo: value })],
])('reading %s costs no more than plain text', async (_, headers) => {
  const sender = { isReading: true, address: '127.0.0.1', isLocal: true }
  const options = { sender, isCookieRead: true, origin: 'https://alcove.test' }
  const hostile = { ...texts, cookies: filled('alcove_session;'), 'cookie values': filled('alcove_session=a;') }
  const run = (value: string) => readCredentials(headers(value), options, {})
  expect(await findCostly({ run, plain, hostile })).toEqual([])
})

test('parsing part headers costs no more than plain text', async () => {
  const hostile = {
    ...texts,
    parameters: filled('; a=b'),
    'different parameters': (size: number) => Array.from({ length: size / 8 }, (_, at) => `; a${at}=b`).join(''),
    'quoted parameters': filled('; a="b"'),
    'spaces in parameters': filled(';     a     =     "b"     '),
    'an open parameter': between('; a="', '\\a', ''),
    'a long name': between('; ', 'a', ''),
    'spaces before an equals sign': between('; a', ' ', 'b'),
    'spaces behind an equals sign': between('; a=', ' ', '"'),
  }
  expect(await findCostly({ run: readParameters, plain, hostile })).toEqual([])
})

test.each(
  Object.entries({
    integer: integer(),
    number: number(),
    text: text(),
    date: date(),
    dateTime: dateTime(),
    uuid: uuid(),
    filePath: filePath(),
    textList: textList({ commaSeparated: true }),
    integerList: integerList({ commaSeparated: true }),
    freeForm: freeForm(),
  }),
)('reading a parameter of type %s costs no more than plain text', async (_, value) => {
  const read = compileInput(Type.Object({ value }))
  const run = (value: string) => read({ value })
  expect(await findCostly({ run, plain, hostile: texts })).toEqual([])
})

test('writing filenames and links in responses costs no more than plain text', async () => {
  // Stored names have at most 255 bytes.
  expect(await findCostly({ run: attachment, plain, hostile: texts }, { size: 1024 })).toEqual([])
  const run = (search: string) =>
    pageHeaders({
      page: 1,
      perPage: 20,
      rowCount: 20,
      url: 'https://alcove.test/',
      parameters: { search },
      total: 100,
      hasNext: true,
    })
  expect(await findCostly({ run, plain, hostile: texts })).toEqual([])
})
