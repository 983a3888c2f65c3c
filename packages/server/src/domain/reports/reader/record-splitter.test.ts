import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DocumentLimits, documentLimits, openDocument } from './document.ts'
import type { ItemPath } from './item-paths.ts'
import { openRecordSplitter } from './record-splitter.ts'
import { Unreadable } from './unreadable.ts'

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

interface Taken {
  rest: unknown
  entries: [pointer: string, value: unknown][]
}

/** Returns the rest and the entries, or undefined if the reader rejects the text. */
async function take(text: string, paths: readonly ItemPath[], size: number, limits: DocumentLimits = documentLimits) {
  const document = openDocument(() => inPieces(text, size), limits)
  try {
    const { rest } = await document.context(paths)
    const taken: Taken = { rest: rest.value, entries: [] }
    for await (const { pointer, json } of document.items(paths)) taken.entries.push([pointer, json?.value])
    return taken
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

/** Returns the reason why the reader rejects the text, or undefined if it accepts it. */
async function problemOf(text: string, paths: readonly ItemPath[], size: number): Promise<string | undefined> {
  const document = openDocument(() => inPieces(text, size))
  try {
    await document.survey()
    await document.context(paths)
    for await (const _ of document.items(paths));
    return undefined
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
}

const list = ['list', '*']
const inner = ['runs', '*', 'results', '*']
const map = ['map', '{*}']
const both = [list, inner, map]

/** Computes the same with `JSON.parse`; undefined if that rejects the text. */
function expected(text: string): Taken | undefined {
  let root: Record<string, unknown> | unknown
  try {
    root = JSON.parse(text)
  } catch {
    return undefined
  }
  const entries: Taken['entries'] = []
  const empty = (holder: unknown, key: string, pointer: string) => {
    const value = isObject(holder) && holder[key]
    if (!isObject(holder) || !Array.isArray(value)) return
    for (const [index, entry] of value.entries()) entries.push([`${pointer}/${key}/${index}`, entry])
    holder[key] = []
  }
  empty(root, 'list', '')
  const map = isObject(root) && root.map
  if (isObject(root) && isObject(map)) {
    for (const [key, entry] of Object.entries(map)) {
      entries.push([`/map/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, entry])
    }
    root.map = {}
  }
  const runs = isObject(root) && root.runs
  if (Array.isArray(runs)) for (const [index, run] of runs.entries()) empty(run, 'results', `/runs/${index}`)
  return { rest: root, entries }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sorts the entries. Of a key that a broken text repeats, `JSON.parse` returns the last value only. */
const byPointer = (taken: Taken | undefined) =>
  taken && { ...taken, entries: [...new Map(taken.entries)].toSorted(([a], [b]) => (a < b ? -1 : 1)) }

const text = fc.constantFrom('', 'a', '"', '\\', '[', ']', '{', '}', ',', ':', 'é', '😀', '\n', 'list', '\\"', '\u2028')
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, 0, -1.5, 1e21),
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value
const entries = fc.oneof(fc.array(value, { maxLength: 4 }), value)
const run = fc.oneof(fc.record({ results: entries, tool: value }, { requiredKeys: [], noNullPrototype: true }), value)
const document = fc.record(
  {
    first: value,
    list: entries,
    map: fc.dictionary(text, value, { maxKeys: 4, noNullPrototype: true }),
    runs: fc.oneof(fc.array(run, { maxLength: 3 }), value),
    last: value,
  },
  { requiredKeys: [], noNullPrototype: true },
)
const written = fc
  .tuple(document, fc.constantFrom(0, 1, '\t'))
  .map(([root, space]) => JSON.stringify(root, undefined, space))
const size = fc.integer({ min: 1, max: 40 })

test('the split gives the same entries and rest as a whole parse, for all chunk sizes', async () => {
  await fc.assert(
    fc.asyncProperty(written, size, async (text, size) => {
      expect(byPointer(await take(text, both, size))).toEqual(byPointer(expected(text)))
    }),
    { numRuns: 1000 },
  )
})

const noise = fc.constantFrom(
  ...['', ',', ',,', ':', '"', '[', ']', '{', '}', 'x', '1', ' ', '\\', '[]', '{}', 'null', '"a":'],
)
const broken = fc
  .tuple(written, fc.nat(), fc.nat(3), noise)
  .map(([whole, at, drop, noise]) => {
    const position = at % (whole.length + 1)
    return whole.slice(0, position) + noise + whole.slice(position + drop)
  })
  // Half of a character is refused elsewhere.
  .filter((text) => text.isWellFormed())

test('the split rejects a text with the same reason and position for all chunk sizes', async () => {
  await fc.assert(
    fc.asyncProperty(broken, size, async (text, size) => {
      expect(await problemOf(text, both, size)).toBe(await problemOf(text, both, text.length * 4))
    }),
    { numRuns: 2000 },
  )
})

test('the split rejects exactly what a whole parse rejects', async () => {
  await fc.assert(
    fc.asyncProperty(broken, size, async (broken, size) => {
      // A text that does not begin like JSON may be a table.
      fc.pre(/^\s*[{[]/.test(broken))
      const taken = await take(broken, both, size)
      const parsed = expected(broken)
      // A list of entries that stands twice is refused on purpose.
      if (!taken && parsed && hasRepeatedKey(broken)) return
      expect(byPointer(taken)).toEqual(byPointer(parsed))
    }),
    { numRuns: 3000 },
  )
})

const hasRepeatedKey = (text: string): boolean =>
  ['list', 'map', 'runs', 'results'].some((key) => text.split(`"${key}"`).length > 2)

test.for([
  ['[1,,2]', 'unexpected ","'],
  ['[,1]', 'unexpected ","'],
  ['[1,]', 'unexpected "]"'],
  ['[1 2]', 'unexpected "2"'],
  ['[1}', 'unexpected "}"'],
  ['[1:2]', 'unexpected ":"'],
  ['[{}{}]', 'unexpected "{"'],
  ['["a""b"]', 'unexpected """'],
  ['[nul]', 'unexpected "n"'],
  ['[[1}]', 'unexpected "}"'],
  ['{"a":1,,"b":2}', 'unexpected ",", expected a key'],
  ['{,"a":1}', 'unexpected ",", expected a key or "}"'],
  ['{"a":1,}', 'unexpected "}", expected a key'],
  ['{"a":1 "b":2}', 'unexpected """, expected "," or "}"'],
  ['{"a" 1}', 'unexpected "1", expected ":"'],
  ['{"a":}', 'unexpected "}", expected a value'],
  ['{1:2}', 'unexpected "1", expected a key or "}"'],
  ['{"a":1]', 'unexpected "]", expected "," or "}"'],
  ['{"\\q":1}', 'this key is not a valid string'],
] as const)('the split rejects a list or object written as %s, with its position', async ([written, what]) => {
  const [key, path] = written.startsWith('[') ? ['list', list] : ['map', map]
  const document = openDocument(() => inPieces(`{"${key}":${written}}`, 4))
  const read = async () => {
    await document.context([path])
    for await (const _ of document.items([path]));
  }
  await expect(read()).rejects.toThrow(what)
  await expect(read()).rejects.toThrow(/line 1, column \d+:/)
})

test('the split decodes escaped keys, and rejects repeated lists', async () => {
  expect((await take('{"l\\u0069st":[1]}', both, 3))?.entries).toEqual([['/list/0', 1]])
  for (const twice of ['{"list":[1],"list":[2]}', '{"list":[],"l\\u0069st":[2]}', '{"runs":[],"runs":[]}']) {
    expect(await take(twice, both, 100)).toBeUndefined()
  }
  expect(await take('{"list":[1],"list":null}', both, 100)).toEqual({ rest: { list: null }, entries: [['/list/0', 1]] })
  expect((await take('[{"runs":[],"list":[]},{"list":[]}]', [['*', 'list', '*']], 5))?.entries).toEqual([])
})

test('the split drops an entry that is too large, and rejects too much outside of entries', async () => {
  const limits = { ...documentLimits, maxItemBytes: 10, maxRestBytes: 30 }
  const large = `{"list":["${'x'.repeat(1000)}",2]}`
  expect((await take(large, both, 7, limits))?.entries).toEqual([
    ['/list/0', undefined],
    ['/list/1', 2],
  ])
  expect(await take(`{"a":"${'x'.repeat(30)}"}`, both, 7, limits)).toBeUndefined()
  expect(await take('{"list":[1,2,3]}', both, 7, { ...limits, maxItems: 2 })).toBeUndefined()
})

test('the split rejects 1,001 levels of brackets without reading on', () => {
  const splitter = openRecordSplitter([list], documentLimits)
  splitter.push(Buffer.from('{"list":['))
  expect(() => splitter.push(Buffer.alloc(2000, '['))).toThrow('more than 1000 levels')
})
