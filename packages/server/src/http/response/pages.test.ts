import fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { type Page, pageOf } from '../../domain/page.ts'
import { Failure } from '../../platform/failure.ts'
import { compileInput } from '../params/compile-input.ts'
import { optional, text } from '../params/input.ts'
import { parseUrlencoded, type RawParams } from '../params/raw-params.ts'
import { keysetHeaders, pageHeaders, pageInput, pageProperties, readPage } from './pages.ts'

const readInput = compileInput(pageInput)

function request(query: string) {
  try {
    return readPage(readInput(parseUrlencoded(query)))
  } catch (error) {
    if (error instanceof Failure && error.cause.kind === 'parameter') return error.cause.message
    throw error
  }
}

test.each([
  ['', { page: 1, perPage: 20, offset: 0 }],
  ['page=3', { page: 3, perPage: 20, offset: 40 }],
  ['page=0', { page: 1, perPage: 20, offset: 0 }],
  ['page=-5', { page: 1, perPage: 20, offset: 0 }],
  ['page=', { page: 1, perPage: 20, offset: 0 }],
  ['page=x', 'page is invalid'],
  ['page=99999999999999999999', 'page is invalid'],
  ['per_page=2&page=2', { page: 2, perPage: 2, offset: 2 }],
  ['per_page=100', { page: 1, perPage: 100, offset: 0 }],
  ['per_page=101', { page: 1, perPage: 100, offset: 0 }],
  ['per_page=0', 'per_page has a value not allowed'],
  ['per_page=-1', { page: 1, perPage: 20, offset: 0 }],
  ['per_page=', { page: 1, perPage: 20, offset: 0 }],
  ['per_page=abc', 'per_page is invalid'],
  ['page=a&per_page=0', 'page is invalid, per_page has a value not allowed'],
])('the query %j is read as %o', (query, expected) => {
  expect(request(query)).toEqual(expected)
})

test('every page number has an exact offset', () => {
  const requested = readPage({ page: Number.MAX_SAFE_INTEGER, per_page: 100 })
  expect(Number.isSafeInteger(requested.offset + requested.perPage)).toBe(true)
})

test('a list without page parameters has the first page', () => {
  expect(readPage({})).toEqual({ page: 1, perPage: 20, offset: 0 })
})

const url = 'https://git.example.test/api/v4/projects/7/uploads'

function headers(
  page: number,
  perPage: number,
  list: Omit<Page<unknown>, 'rows'>,
  rowCount = 1,
  parameters: RawParams = { id: 7 },
) {
  return pageHeaders({ page, perPage, rowCount, ...list, url, parameters })
}

test('a middle page links in all directions', () => {
  const at = (page: number) => `<${url}?id=7&page=${page}&per_page=2>`
  expect(headers(2, 2, { total: 6 })).toEqual({
    'X-Per-Page': '2',
    'X-Page': '2',
    'X-Next-Page': '3',
    'X-Prev-Page': '1',
    'X-Total': '6',
    'X-Total-Pages': '3',
    Link: `${at(1)}; rel="prev", ${at(3)}; rel="next", ${at(1)}; rel="first", ${at(3)}; rel="last"`,
  })
})

const relations = (link: string | undefined) => [...(link ?? '').matchAll(/rel="(\w+)"/g)].map((match) => match[1])

test.each([
  ['first of three', 1, { total: 6 }, 2, '2', '', '6', '3', ['next', 'first', 'last']],
  ['last of three', 3, { total: 5 }, 1, '', '2', '5', '3', ['prev', 'first', 'last']],
  ['only one', 1, { total: 2 }, 2, '', '', '2', '1', ['first', 'last']],
  ['empty list', 1, { total: 0 }, 0, '', '', '0', '1', ['first', 'last']],
  ['past the end', 4, { total: 6 }, 0, '', '', '6', '3', ['first', 'last']],
  ['past the end of an empty list', 2, { total: 0 }, 0, '', '', '0', '1', ['first', 'last']],
  ['10,000 rows', 2, { total: 10_000 }, 2, '3', '1', '10000', '5000', ['prev', 'next', 'first', 'last']],
  ['more than 10,000', 2, { total: 10_001 }, 2, '3', '1', undefined, undefined, ['prev', 'next', 'first']],
  ['uncounted, more to come', 2, { hasNext: true }, 2, '3', '1', undefined, undefined, ['prev', 'next', 'first']],
  ['uncounted, the last', 2, { hasNext: false }, 1, '', '1', undefined, undefined, ['prev', 'first']],
  ['uncounted, the first', 1, { hasNext: true }, 2, '2', '', undefined, undefined, ['next', 'first']],
  ['uncounted, empty', 1, {}, 0, '', '', undefined, undefined, ['first']],
  ['uncounted, past the end', 9, {}, 0, '', '', undefined, undefined, ['first']],
])('page headers: %s', (_, page, list, rowCount, next, previous, total, totalPages, links) => {
  const answer = headers(page, 2, list, rowCount)
  expect(answer['X-Next-Page']).toBe(next)
  expect(answer['X-Prev-Page']).toBe(previous)
  expect(answer['X-Total']).toBe(total)
  expect(answer['X-Total-Pages']).toBe(totalPages)
  expect(relations(answer['Link'])).toEqual(links)
})

test('one row more than the page holds means that there is a next page', () => {
  const requested = { page: 1, perPage: 2, offset: 0 }
  expect(pageOf(requested, [1, 2, 3])).toEqual({ rows: [1, 2], hasNext: true })
  expect(pageOf(requested, [1, 2])).toEqual({ rows: [1, 2], hasNext: false })
})

/** Returns the query of the first link of a header. */
const queryOf = (link: string | undefined) => /\?([^>]*)>/.exec(link ?? '')?.[1] ?? ''

test('links repeat all parameters in effect, sorted by name', () => {
  const compiled = compileInput(
    Type.Object({ ...pageProperties, search: optional(text()), id: text(), sort: text({ default: 'desc' }) }),
  )
  const bag = parseUrlencoded(
    'search=a+b%26c&zzz[]=1&zzz[]=2&flags[b]=2&flags[a]=1&page=9&blank=&id=acme%2Fsite&per_page=5',
  )
  const answer = headers(1, 5, { total: 1 }, 1, { ...bag, ...compiled(bag) })
  expect(queryOf(answer['Link'])).toBe(
    'blank=&flags%5Ba%5D=1&flags%5Bb%5D=2&id=acme%2Fsite&page=1&per_page=5&search=a+b%26c&sort=desc&zzz%5B%5D=1&zzz%5B%5D=2',
  )
})

test.each([['__proto__=a'], ['__proto__%5Bb%5D=a'], ['constructor=a']])(
  'links repeat the parameter %s, whose name every object has',
  (query) => {
    expect(queryOf(headers(1, 20, { total: 1 }, 1, parseUrlencoded(query))['Link'])).toContain(query)
  },
)

test('links without parameters contain the page', () => {
  expect(queryOf(headers(1, 20, { total: 1 }, 1, {})['Link'])).toBe('page=1&per_page=20')
})

test('links that are too long are reduced to the next page', () => {
  const search = 'x'.repeat(5000)
  const long = (page: number) => headers(page, 20, { total: 60 }, 20, { search })['Link']
  expect(long(2)).toBe(`<${url}?page=3&per_page=20&search=${search}>; rel="next"`)
  expect(long(3)).toBeUndefined()
})

test('links never contain a secret', () => {
  const bag = parseUrlencoded('private_token=s3&access_token=s3&bearer_token=s3&job_token[]=s3&sudo=root')
  expect(queryOf(headers(1, 20, { total: 1 }, 1, bag)['Link'])).toBe('page=1&per_page=20&sudo=root')
  expect(keysetHeaders({ url, parameters: bag, perPage: 20, next: { id_after: 7 } })['Link']).not.toContain('s3')
})

test('an address cannot escape from its link', () => {
  const strange = 'https://git.example.test/api/v4/topics>;rel="next"?search=x'
  const parameters = { search: 'a>b\r\nX: y' }
  const { Link } = pageHeaders({ page: 1, perPage: 20, rowCount: 0, url: strange, parameters })
  expect(Link).toBe(
    '<https://git.example.test/api/v4/topics%3E;rel=%22next%22?page=1&per_page=20&search=a%3Eb%0D%0AX%3A+y>; rel="first"',
  )
})

test.each([
  [{ id_after: 41 }, 'id_after=41&owned=true&pagination=keyset&per_page=2'],
  [{ id_before: 41 }, 'id_before=41&owned=true&pagination=keyset&per_page=2'],
  [{ cursor: 'WyJhIiw0MV0' }, 'cursor=WyJhIiw0MV0&owned=true&pagination=keyset&per_page=2'],
] as const)('a keyset page with next %j links only to that page', (next, query) => {
  const parameters = { pagination: 'keyset', owned: true, page: 3, per_page: 2, cursor: undefined }
  expect(keysetHeaders({ url, parameters, perPage: 2, next })).toEqual({ Link: `<${url}?${query}>; rel="next"` })
  expect(keysetHeaders({ url, parameters, perPage: 2, next: undefined })).toEqual({})
})

test('the query of a link is parsed to the same parameters', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((key) => !/[[\]]/.test(key) && !['page', 'per_page'].includes(key))
  const value = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }),
    fc.dictionary(name, fc.string(), { minKeys: 1 }),
  )
  fc.assert(
    fc.property(fc.dictionary(name, value), (parameters) => {
      const bag = parseUrlencoded(queryOf(headers(1, 20, { total: 40 }, 20, parameters)['Link']))
      expect(JSON.parse(JSON.stringify(bag))).toEqual(
        JSON.parse(JSON.stringify({ ...parameters, page: '2', per_page: '20' })),
      )
    }),
  )
})

test('any parameters give a valid header', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.anything({ maxDepth: 4 })), (parameters) => {
      expect(headers(1, 20, { total: 40 }, 20, parameters)['Link']).toMatch(/^[\x21-\x7e ]*$/)
    }),
  )
})
