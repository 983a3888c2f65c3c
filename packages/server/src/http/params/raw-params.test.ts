import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Failure } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import {
  emptyParams,
  isReceivedFile,
  mergeParams,
  paramsFromPairs,
  parseJsonObject,
  parseUrlencoded,
  type RawParams,
  wellFormed,
} from './raw-params.ts'

const json = (text: string) => parseJsonObject(new TextEncoder().encode(text))

/** Compares contents only: raw params have no prototype, object literals have one. */
const plain = (bag: RawParams) => JSON.parse(JSON.stringify(bag))

function messageOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof Failure && error.cause.kind === 'parameter') return error.cause.message
    throw error
  }
  return 'no problem'
}

test.each([
  ['', {}],
  ['a=1', { a: '1' }],
  ['a=1&b=2', { a: '1', b: '2' }],
  ['a=1&a=2', { a: '2' }],
  ['a', { a: '' }],
  ['a=', { a: '' }],
  ['=1', {}],
  ['&&a=1&', { a: '1' }],
  ['a=b=c', { a: 'b=c' }],
  ['a+b=c+d', { 'a b': 'c d' }],
  ['a=%2B%20%C3%A4', { a: '+ ä' }],
  ['search=Grüße', { search: 'Grüße' }],
  ['topics[]=a&topics[]=b', { topics: ['a', 'b'] }],
  ['topics%5B%5D=a', { topics: ['a'] }],
  ['topics[]=', { topics: [''] }],
  ['a[b]=1&a[c]=2', { a: { b: '1', c: '2' } }],
  ['a[b][c][]=1', { a: { b: { c: ['1'] } } }],
  ['a[][b]=1&a[][c]=2', { a: [{ b: '1', c: '2' }] }],
  ['a[][b]=1&a[][b]=2', { a: [{ b: '1' }, { b: '2' }] }],
  ['a[][b][]=1&a[][b][]=2', { a: [{ b: ['1', '2'] }] }],
  ['a[][b][c]=1&a[][b][c]=2', { a: [{ b: { c: '1' } }, { b: { c: '2' } }] }],
  ['a[b]=1&a[b]=2', { a: { b: '2' } }],
  ['a[]=1&a=2', { a: '2' }],
  ['[a]=1', { '[a]': '1' }],
  ['a]=1', { 'a]': '1' }],
  ['a[b=1', { a: { '[b': '1' } }],
])('the query %j is parsed like in Rack', (query, expected) => {
  expect(plain(parseUrlencoded(query))).toEqual(expected)
})

test.each(['a=1&a[b]=2', 'a=1&a[]=2', 'a[]=1&a[b]=2', 'a[b]=1&a[]=2', 'a[b]=1&a[b][c]=2'])(
  'the query %j is rejected because a name has two shapes',
  (query) => {
    expect(messageOf(() => parseUrlencoded(query))).toMatch(/^[ab] is given in two different shapes$/)
  },
)

test.each(['a=%', 'a=%4', 'a=%GG', 'a=%E9', '%C3=1', 'a=%ED%A0%80'])(
  'the query %j is rejected because it is not percent-encoded UTF-8',
  (query) => {
    expect(messageOf(() => parseUrlencoded(query))).toBe('the parameters must be percent-encoded UTF-8')
  },
)

test('a form must be UTF-8', () => {
  expect(plain(parseUrlencoded(new TextEncoder().encode('a=ä')))).toEqual({ a: 'ä' })
  expect(messageOf(() => parseUrlencoded(Uint8Array.of(0x61, 0x3d, 0xe9)))).toBe('the form must be UTF-8')
})

test('names like __proto__ are ordinary names', () => {
  for (const bag of [
    parseUrlencoded('__proto__[polluted]=1&constructor[prototype]=2&a[__proto__][polluted]=3'),
    json('{"__proto__":{"polluted":"1"},"constructor":{"prototype":"2"},"a":{"__proto__":{"polluted":"3"}}}'),
    mergeParams(json('{"__proto__":{"polluted":"1"}}'), json('{"a":{"__proto__":1}}'), emptyParams()),
  ]) {
    for (const name of ['toString', 'hasOwnProperty', 'valueOf']) {
      expect(name in bag).toBe(false)
      expect(name in Object(bag['a'] ?? emptyParams())).toBe(false)
    }
    expect(Object.hasOwn(bag, '__proto__')).toBe(true)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  }
})

test('parameters can be nested 32 levels deep', () => {
  expect(messageOf(() => parseUrlencoded(`a${'[b]'.repeat(31)}=1`))).toBe('no problem')
  expect(messageOf(() => parseUrlencoded(`a${'[b]'.repeat(32)}=1`))).toBe('parameters may be nested 32 levels deep')
  expect(messageOf(() => parseUrlencoded(`a${'[][b]'.repeat(100_000)}=1`))).toMatch(/nested 32 levels/)
})

test('a request can have 4,096 parameters', () => {
  expect(messageOf(() => parseUrlencoded('a[]=1&'.repeat(4096)))).toBe('no problem')
  expect(messageOf(() => parseUrlencoded('a[]=1&'.repeat(4097)))).toBe('a request may carry at most 4096 parameters')
  const json = (names: number) => {
    const nested = Object.fromEntries(Array.from({ length: names - 1 }, (_, name) => [`n${name}`, [1, 2]]))
    return messageOf(() => parseJsonObject(Buffer.from(JSON.stringify({ nested }))))
  }
  expect(json(4096)).toBe('no problem')
  expect(json(4097)).toBe('a request may carry at most 4096 parameters')
})

test('a file part is a value like others, and cannot be forged in JSON', () => {
  const file: ReceivedFile = { key: 'k', filename: 'f', bytes: 0, sha256: '', head: new Uint8Array(), kept: false }
  const bag = paramsFromPairs([
    ['file', file],
    ['files[]', file],
  ])
  expect(bag['file']).toBe(file)
  expect(bag['files']).toEqual([file])
  expect(isReceivedFile(file)).toBe(true)
  expect(isReceivedFile(json(JSON.stringify({ file }))['file'])).toBe(false)
  expect(
    messageOf(() =>
      paramsFromPairs([
        ['a', file],
        ['a[b]', 'x'],
      ]),
    ),
  ).toBe('a is given in two different shapes')
})

test.each([
  ['', {}],
  [' \n', {}],
  ['{}', {}],
  ['\ufeff{"a":1}', { a: 1 }],
  ['{"a":[{"b":null}],"c":true}', { a: [{ b: null }], c: true }],
])('the JSON body %j is accepted', (body, expected) => {
  expect(plain(json(body))).toEqual(expected)
})

test.each([
  ['[]', 'the JSON body must be an object'],
  ['null', 'the JSON body must be an object'],
  ['"a"', 'the JSON body must be an object'],
  ['7', 'the JSON body must be an object'],
  ['{', 'the JSON body cannot be parsed'],
  ['a=1', 'the JSON body cannot be parsed'],
  [`{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 'the JSON body may be nested 100 levels deep'],
  [`{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, 'the JSON body may be nested 100 levels deep'],
  ['['.repeat(500_000), 'the JSON body may be nested 100 levels deep'],
  [`{"a":[${'{},'.repeat(50_000)}{}]}`, 'the JSON body may hold at most 50000 values'],
  [`{"a":[${'[],'.repeat(50_000)}[]]}`, 'the JSON body may hold at most 50000 values'],
  [`{"a":[${'0,'.repeat(50_000)}0]}`, 'the JSON body may hold at most 50000 values'],
  [`{${'"a":0,'.repeat(25_000)}"a":0}`, 'the JSON body may hold at most 50000 values'],
])('a JSON body like %.20j is rejected', (body, message) => {
  expect(messageOf(() => json(body))).toBe(message)
})

test('a JSON body can be nested 99 levels deep and must be UTF-8', () => {
  expect(messageOf(() => json(`{"a":${'['.repeat(99)}${']'.repeat(99)}}`))).toBe('no problem')
  expect(messageOf(() => parseJsonObject(Uint8Array.of(0x7b, 0xff, 0x7d)))).toBe('the JSON body must be UTF-8')
})

test('strings of a JSON body do not count towards its limits', () => {
  const text = `${'[{,:'.repeat(30_000)}"\\`
  expect(json(JSON.stringify({ text }))['text']).toBe(text)
})

test('path parameters override the body, and the body overrides the query', () => {
  const merged = mergeParams(parseUrlencoded('a=query&b=query&c=query'), json('{"b":"body","c":"body"}'), { c: 'path' })
  expect(plain(merged)).toEqual({ a: 'query', b: 'body', c: 'path' })
})

test('lone surrogates become U+FFFD, pairs are kept', () => {
  expect(wellFormed('a\ud83d\ude00b')).toBe('a\ud83d\ude00b')
  expect(wellFormed('\ud83d|\ude00')).toBe('\ufffd|\ufffd')
})

const nestedName = fc
  .array(fc.constantFrom('a', 'b', '[', ']', '[]', '[a]', '[b]', '__proto__', '%', ''), { maxLength: 8 })
  .map((parts) => parts.join(''))

test('pairs with random names give parameters or a parameter problem', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.oneof(nestedName, fc.string()), fc.string()), { maxLength: 12 }), (pairs) => {
      messageOf(() => paramsFromPairs(pairs))
    }),
    { numRuns: 2000 },
  )
})

test('random text and bytes give parameters or a parameter problem', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webQueryParameters()), (text) => {
      messageOf(() => parseUrlencoded(text))
    }),
    { numRuns: 1000 },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => new TextEncoder().encode(text)),
      ),
      (bytes) => {
        messageOf(() => parseJsonObject(bytes))
        messageOf(() => parseUrlencoded(bytes))
      },
    ),
    { numRuns: 1000 },
  )
})

test('queries written by URLSearchParams are parsed', () => {
  const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('['))
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, fc.string()), { selector: ([key]) => key }), (pairs) => {
      const bag = parseUrlencoded(new URLSearchParams(pairs).toString())
      expect(Object.entries(bag).sort()).toEqual([...pairs].sort())
    }),
  )
})
