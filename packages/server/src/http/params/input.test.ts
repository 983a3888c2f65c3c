import fc from 'fast-check'
import { type TObject, type TSchema, Type } from 'typebox'
import { expect, expectTypeOf, test } from 'vitest'
import { Failure } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import { compileInput, filePartNames } from './compile-input.ts'
import {
  blankableImage,
  date,
  dateTime,
  filePart,
  filePath,
  flag,
  freeForm,
  integer,
  integerList,
  listOf,
  nullable,
  number,
  oneOf,
  optional,
  text,
  textList,
  uuid,
} from './input.ts'
import { mergeParams, parseJsonObject, parseUrlencoded, type RawParams } from './raw-params.ts'

const file: ReceivedFile = { key: 'k', filename: 'f', bytes: 0, sha256: '', head: new Uint8Array(), kept: false }

const form = (query: string) => parseUrlencoded(query)
const json = (body: unknown) => parseJsonObject(new TextEncoder().encode(JSON.stringify(body)))

/** Returns the input, or the message of the problem. */
function read(schema: TObject, bag: RawParams): unknown {
  try {
    return compileInput(schema)(bag)
  } catch (error) {
    if (error instanceof Failure && error.cause.kind === 'parameter') return error.cause.message
    throw error
  }
}

const absent = Symbol('absent')

/** Returns the parsed value of a parameter named `x`. */
function readOne(schema: TSchema, raw: unknown): unknown {
  const bag = raw === absent ? json({}) : raw === file ? { x: file } : json({ x: raw })
  const input = read(Type.Object({ x: schema }), bag)
  if (typeof input === 'string') return input
  return Object.hasOwn(input as object, 'x') ? (input as RawParams)['x'] : absent
}

const missing = 'x is missing'
const wrong = 'x is invalid'
const unlisted = 'x does not have a valid value'

const cases: (readonly [kind: string, schema: TSchema, raw: unknown, expected: unknown])[] = [
  ['integer', integer(), absent, missing],
  ['integer', optional(integer()), absent, absent],
  ['integer', integer({ default: 5 }), absent, 5],
  ['integer', integer({ default: 5 }), '', 5],
  ['integer', integer({ default: 5 }), null, 5],
  ['integer', integer(), '', wrong],
  ['integer', integer(), null, wrong],
  ['integer', optional(integer()), ' ', absent],
  ['integer', optional(integer()), null, absent],
  ['integer', integer(), 12, 12],
  ['integer', integer(), '12', 12],
  ['integer', integer(), ' +12 ', 12],
  ['integer', integer(), '-0', 0],
  ['integer', integer(), '007', 7],
  ['integer', integer(), 2.0, 2],
  ['integer', integer(), 1.5, wrong],
  ['integer', integer(), '1.5', wrong],
  ['integer', integer(), '1e3', wrong],
  ['integer', integer(), '0x10', wrong],
  ['integer', integer(), '12abc', wrong],
  ['integer', integer(), 'abc', wrong],
  ['integer', integer(), '1\u0000', wrong],
  ['integer', integer(), true, wrong],
  ['integer', integer(), [1], wrong],
  ['integer', integer(), { a: 1 }, wrong],
  ['integer', integer(), '9007199254740991', 9007199254740991],
  ['integer', integer(), '9007199254740992', wrong],
  ['integer', integer(), 9007199254740992, wrong],
  ['integer', integer({ forbidden: [0] }), '0', 'x has a value not allowed'],
  ['integer', integer({ forbidden: [0] }), 0, 'x has a value not allowed'],
  ['integer', integer({ minimum: 1, maximum: 3 }), '4', unlisted],
  ['integer', integer({ minimum: 1, maximum: 3 }), '3', 3],

  ['number', number(), '1.5', 1.5],
  ['number', number(), '-1e2', -100],
  ['number', number(), 1.5, 1.5],
  ['number', number(), '1.', wrong],
  ['number', number(), 'NaN', wrong],
  ['number', number(), 'Infinity', wrong],
  ['number', number(), '1e999', wrong],

  ...['true', 'True', 'TRUE', 't', 'T', 'yes', 'on', 'y', '1', 1, true].map(
    (raw) => ['flag', flag(), raw, true] as const,
  ),
  ...['false', 'False', 'FALSE', 'f', 'F', 'no', 'off', 'n', '0', 0, false].map(
    (raw) => ['flag', flag(), raw, false] as const,
  ),
  ['flag', flag(), 'maybe', wrong],
  ['flag', flag(), 2, wrong],
  ['flag', flag(), '', wrong],
  ['flag', flag(), absent, missing],
  ['flag', optional(flag()), '', absent],
  ['flag', flag({ default: false }), absent, false],
  ['flag', flag(), [true], wrong],

  ['text', text(), absent, missing],
  ['text', text(), '', ''],
  ['text', text(), null, ''],
  ['text', optional(text()), null, absent],
  ['text', optional(text()), '', ''],
  ['text', nullable(text()), null, null],
  ['text', nullable(text()), '', ''],
  ['text', text(), ' a ', ' a '],
  ['text', text(), 7, '7'],
  ['text', text(), 1.5, '1.5'],
  ['text', text(), true, 'true'],
  ['text', text(), ['a'], wrong],
  ['text', text(), { a: 'b' }, wrong],
  ['text', text(), 'a\u0000b', wrong],
  ['text', text(), '\ud800', '\ufffd'],
  ['text', text(), file, wrong],
  ['text', text({ allowBlank: false }), '', 'x is empty'],
  ['text', text({ allowBlank: false }), ' \t\n', 'x is empty'],
  ['text', text({ allowBlank: false }), null, 'x is empty'],
  ['text', text({ allowBlank: false }), absent, missing],
  ['text', optional(text({ allowBlank: false })), absent, absent],
  ['text', optional(text({ allowBlank: false })), '', 'x is empty'],

  ['oneOf', oneOf(['asc', 'desc']), 'asc', 'asc'],
  ['oneOf', oneOf(['asc', 'desc']), 'ASC', unlisted],
  ['oneOf', oneOf(['asc', 'desc'], { default: 'desc' }), absent, 'desc'],
  ['oneOf', oneOf(['asc', 'desc'], { default: 'desc' }), 'up', unlisted],
  ['oneOf', optional(oneOf(['asc', 'desc'])), '', unlisted],
  ['oneOf', optional(oneOf(['asc', 'desc'])), null, absent],
  ['oneOf', oneOf(['asc', 'desc']), ['asc'], wrong],
  ['oneOf', oneOf([10, 20]), '20', 20],
  ['oneOf', oneOf([10, 20]), 30, unlisted],
  ['oneOf', oneOf([10, 20]), 'guest', wrong],
  ['oneOf', optional(oneOf([10, 20])), '', absent],

  ['textList', textList(), ['a', 'b'], ['a', 'b']],
  ['textList', textList(), 'a', ['a']],
  ['textList', textList(), 'a,b', ['a,b']],
  ['textList', textList(), '', []],
  ['textList', textList(), [], []],
  ['textList', textList(), [1, true, null], ['1', 'true']],
  ['textList', textList(), [['a']], wrong],
  ['textList', textList(), { 0: 'a' }, wrong],
  ['textList', textList(), ['a\u0000'], wrong],
  ['textList', textList({ allowBlank: false }), [], 'x is empty'],
  ['textList', textList({ default: [] }), absent, []],
  ['textList', optional(textList()), null, absent],
  ['textList', textList({ commaSeparated: true }), 'a, b,c', ['a', 'b', 'c']],
  ['textList', textList({ commaSeparated: true }), ['a,b', 'c'], ['a', 'b', 'c']],
  ['textList', textList({ commaSeparated: true }), ',', []],
  ['textList', textList({ commaSeparated: true }), 'a,,b,,', ['a', '', 'b']],
  ['textList', textList({ commaSeparated: true }), ' ', ['']],

  ['integerList', integerList(), ['1', 2], [1, 2]],
  ['integerList', integerList(), '3', [3]],
  ['integerList', integerList(), '1,2', wrong],
  ['integerList', integerList(), [''], []],
  ['integerList', integerList({ commaSeparated: true }), '1, 2,,3', [1, 2, 3]],
  ['integerList', integerList({ commaSeparated: true }), '1,b', wrong],

  ['listOf', listOf(['api', 'sudo']), ['api'], ['api']],
  ['listOf', listOf(['api', 'sudo']), ['api', 'root'], unlisted],
  ['listOf', listOf(['sast', 'dast'], { commaSeparated: true }), 'sast,dast', ['sast', 'dast']],
  ['listOf', listOf(['sast', 'dast'], { commaSeparated: true }), 'sast,x', unlisted],
  ['listOf', listOf(['sast', 'dast'], { commaSeparated: true }), '', []],

  ['freeForm', freeForm(), { a: { b: [1, null] } }, { a: { b: [1, null] } }],
  ['freeForm', freeForm(), [], wrong],
  ['freeForm', freeForm(), 'a', wrong],
  ['freeForm', freeForm(), { 'a\u0000': 1 }, wrong],
  ['freeForm', freeForm(), { a: { b: '\u0000' } }, wrong],
  ['freeForm', freeForm(), file, wrong],

  ['date', date(), '2024-12-31', '2024-12-31'],
  ['date', date(), '2024-02-29', '2024-02-29'],
  ['date', date(), '2023-02-29', wrong],
  ['date', date(), '2024-13-01', wrong],
  ['date', date(), '0000-01-01', wrong],
  ['date', date(), '2024-1-1', wrong],
  ['date', date(), '2024-12-31T00:00:00Z', wrong],
  ['date', date(), 20241231, wrong],
  ['date', optional(date()), '', absent],
  ['date', optional(nullable(date())), null, null],
  ['date', optional(nullable(date())), '', null],
  ['date', optional(nullable(date())), absent, absent],

  ['dateTime', dateTime(), '2020-04-07T14:01:04.655Z', '2020-04-07T14:01:04.655Z'],
  ['dateTime', dateTime(), '2020-04-07T14:01:04Z', '2020-04-07T14:01:04.000Z'],
  ['dateTime', dateTime(), '2020-04-07T14:01:04.6559+02:00', '2020-04-07T12:01:04.655Z'],
  ['dateTime', dateTime(), '2020-04-07T14:01-0330', '2020-04-07T17:31:00.000Z'],
  ['dateTime', dateTime(), '2020-04-07 14:01:04', '2020-04-07T14:01:04.000Z'],
  ['dateTime', dateTime(), '2020-04-07', '2020-04-07T00:00:00.000Z'],
  ['dateTime', dateTime(), '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['dateTime', dateTime(), '0001-01-01T00:00:00+01:00', wrong],
  ['dateTime', dateTime(), '9999-12-31T23:59:59-01:00', wrong],
  ['dateTime', dateTime(), '2020-02-30T00:00:00Z', wrong],
  ['dateTime', dateTime(), '2020-04-07T24:00:00Z', wrong],
  ['dateTime', dateTime(), '2020-04-07T14:01:04+99:00', wrong],
  ['dateTime', dateTime(), 'false', wrong],
  ['dateTime', dateTime(), 'yesterday', wrong],

  ['filePart', filePart, file, file],
  ['filePart', filePart, absent, missing],
  ['filePart', filePart, '', wrong],
  ['filePart', filePart, 'text', wrong],
  ['filePart', filePart, { ...file, head: [] }, wrong],
  ['filePart', optional(filePart), null, absent],
  ['filePart', optional(filePart), '', wrong],
  ['blankableImage', optional(blankableImage), file, file],
  ['blankableImage', optional(blankableImage), '', ''],
  ['blankableImage', optional(blankableImage), null, ''],
  ['blankableImage', optional(blankableImage), absent, absent],
  ['blankableImage', optional(blankableImage), 'text', wrong],

  ['filePath', filePath(), 'floor_plan.png', 'floor_plan.png'],
  ['filePath', filePath(), 'a..b.png', 'a..b.png'],
  ['filePath', filePath(), '.hidden', '.hidden'],
  ...[
    '..',
    '.',
    '../a',
    'a/../b',
    'a/..',
    '..\\a',
    '..%2Fa',
    '%2e%2e%2fa',
    '%252e%252e%252fa',
    '/etc/passwd',
    'a\nb',
  ].map((raw) => ['filePath', filePath(), raw, 'x should be a valid file path'] as const),
  ['filePath', filePath(), 'a\u0000', wrong],

  ['uuid', uuid(), '8461BCD9-5a49-5996-abfc-abfe87fe20e3', '8461bcd9-5a49-5996-abfc-abfe87fe20e3'],
  ['uuid', uuid(), '8461bcd95a495996abfcabfe87fe20e3', wrong],
  ['uuid', uuid(), '', wrong],
  ['union', Type.Union([integer(), uuid()]), '7', 7],
  [
    'union',
    Type.Union([integer(), uuid()]),
    '8461bcd9-5a49-5996-abfc-abfe87fe20e3',
    '8461bcd9-5a49-5996-abfc-abfe87fe20e3',
  ],
  ['union', Type.Union([integer(), uuid()]), 'abc', wrong],
  ['union', Type.Union([integer(), uuid()]), '', wrong],
  ['union', Type.Union([integer(), uuid()]), absent, missing],
  ['union', Type.Optional(Type.Union([integer(), uuid(), Type.Null()])), '', null],
  ['union', nullable(Type.Union([integer(), uuid()])), null, null],
  ['union', nullable(Type.Union([integer(), uuid()])), 'abc', wrong],

  ['plain TypeBox', Type.Optional(Type.Integer()), '7', 7],
  ['plain TypeBox', Type.String(), 7, '7'],
  ['plain TypeBox', Type.Boolean({ default: true }), absent, true],
  ['plain TypeBox', Type.Array(Type.String()), 'a', ['a']],
  ['plain TypeBox', Type.Enum(['a', 'b']), 'c', unlisted],
]

test.each(cases)('%s %j given %o is read as %o', (_, schema, raw, expected) => {
  expect(readOne(schema, raw)).toEqual(expected)
})

test('a default list is not shared between requests', () => {
  const list = compileInput(Type.Object({ x: textList({ default: ['a'] }) }))
  list({}).x.push('b')
  expect(list({})).toEqual({ x: ['a'] })
})

test('problems are listed in the order of declaration, one per parameter, groups last', () => {
  const schema = Type.Object(
    { name: text(), path: text(), id: integer(), sort: oneOf(['asc']), a: optional(text()), b: optional(text()) },
    { atLeastOneOf: [['a', 'b']] },
  )
  expect(read(schema, form('sort=up&id=x'))).toBe(
    'name is missing, path is missing, id is invalid, sort does not have a valid value, ' +
      'a, b are missing, at least one parameter must be provided',
  )
})

const two = { a: optional(text()), b: optional(text()), c: optional(text()) }

test.each([
  [{ exclusive: [['a', 'b', 'c']] }, 'a=1&c=2', 'a, c are mutually exclusive'],
  [{ exclusive: [['a', 'b']] }, 'a=1', { a: '1' }],
  [{ exclusive: [['a', 'b']] }, '', {}],
  [{ atLeastOneOf: [['a', 'b']] }, 'c=1', 'a, b are missing, at least one parameter must be provided'],
  [{ atLeastOneOf: [['a', 'b']] }, 'a=', { a: '' }],
  [{ exactlyOneOf: [['a', 'b']] }, '', 'a, b are missing, exactly one parameter must be provided'],
  [{ exactlyOneOf: [['a', 'b']] }, 'a=1&b=2', 'a, b are mutually exclusive'],
  [{ exactlyOneOf: [['a', 'b']] }, 'b=2', { b: '2' }],
  [{ allOrNone: [['a', 'b']] }, 'a=1', 'a, b provide all or none of parameters'],
  [{ allOrNone: [['a', 'b']] }, 'a=1&b=2', { a: '1', b: '2' }],
  [{ allOrNone: [['a', 'b']] }, 'c=1', { c: '1' }],
])('the groups %o are checked for %j', (groups, query, expected) => {
  expect(read(Type.Object(two, groups), form(query))).toEqual(expected)
})

test('null counts as given in a group', () => {
  expect(read(Type.Object(two, { atLeastOneOf: [['a', 'b']] }), json({ a: null }))).toEqual({})
})

test('requests of GitLab clients are accepted', () => {
  const merge = Type.Object({ source_topic_id: integer(), target_topic_id: integer() })
  expect(read(merge, form(''))).toBe('source_topic_id is missing, target_topic_id is missing')
  expect(read(merge, json({ source_topic_id: 'x', target_topic_id: '2' }))).toBe('source_topic_id is invalid')
  const upload = Type.Object({ id: text(), file: filePart })
  expect(read(upload, { id: 'acme/site', file, avatar: '' })).toEqual({ id: 'acme/site', file })
  expect(read(upload, { id: '7' })).toBe('file is missing')
  const token = Type.Object({ name: text(), scopes: textList(), expires_at: optional(nullable(date())) })
  expect(read(token, form('name=ci&scopes[]=api&scopes[]=sudo'))).toEqual({ name: 'ci', scopes: ['api', 'sudo'] })
  expect(read(token, json({ name: 'ci', scopes: ['api'], expires_at: null }))).toEqual({
    name: 'ci',
    scopes: ['api'],
    expires_at: null,
  })
  expect(read(token, form(''))).toBe('name is missing, scopes is missing')
  const topic = Type.Object({ id: integer(), name: optional(text()), avatar: optional(blankableImage) })
  expect(read(topic, mergeParams(form(''), json({ avatar: '', id: 9 }), { id: '3' }))).toEqual({ id: 3, avatar: '' })
})

test('a schema that would not be enforced is rejected at the start', () => {
  expect(() => compileInput(Type.Object({ x: Type.String({ pattern: '^a' }) }))).toThrow(/pattern is not enforced/)
  expect(() => compileInput(Type.Object({ x: Type.Null() }))).toThrow(/without a coercion/)
  expect(() => compileInput(Type.Object({ x: text() }, { exclusive: [['x', 'y']] }))).toThrow(/names y/)
})

test('a parameter with a default is not required', () => {
  const schema = Type.Object({
    a: text(),
    b: integer({ default: 1 }),
    c: optional(text()),
    d: nullable(flag({ default: true })),
  })
  expect(JSON.parse(JSON.stringify(schema))).toEqual({
    type: 'object',
    required: ['a'],
    properties: {
      a: { type: 'string' },
      b: { type: 'integer', default: 1 },
      c: { type: 'string' },
      d: { anyOf: [{ type: 'boolean', default: true }, { type: 'null' }], default: true },
    },
  })
  expect(read(schema, form('a='))).toEqual({ a: '', b: 1, d: true })
})

test('compileInput infers the types', () => {
  const compiled = compileInput(
    Type.Object({
      id: integer(),
      page: integer({ default: 1 }),
      sort: oneOf(['asc', 'desc'], { default: 'desc' }),
      level: optional(oneOf([10, 20])),
      topics: optional(textList({ commaSeparated: true })),
      types: listOf(['sast', 'dast']),
      expires_at: nullable(date()),
      finding_id: Type.Union([integer(), uuid()]),
      file: filePart,
      avatar: optional(blankableImage),
    }),
  )
  expectTypeOf(compiled).returns.toEqualTypeOf<{
    id: number
    page: number
    sort: 'asc' | 'desc'
    level?: 10 | 20
    topics?: string[]
    types: ('sast' | 'dast')[]
    expires_at: string | null
    finding_id: number | string
    file: ReceivedFile
    avatar?: ReceivedFile | ''
  }>()
})

test('filePartNames returns the file parts of a schema', () => {
  const schema = Type.Object({ id: text(), file: filePart, avatar: optional(blankableImage), logo: nullable(filePart) })
  expect(filePartNames(schema)).toEqual(['file', 'avatar', 'logo'])
})

const everything = Type.Object(
  {
    integer: integer({ forbidden: [0], maximum: 9 }),
    number: optional(number()),
    flag: optional(flag()),
    text: text({ allowBlank: false }),
    nullableText: optional(nullable(text())),
    path: optional(filePath()),
    enum: oneOf(['asc', 'desc'], { default: 'asc' }),
    texts: textList({ commaSeparated: true }),
    integers: optional(integerList({ commaSeparated: true })),
    listed: optional(listOf(['a', 'b'], { commaSeparated: true })),
    bag: optional(freeForm()),
    date: optional(nullable(date())),
    dateTime: optional(dateTime()),
    file: optional(filePart),
    avatar: optional(blankableImage),
  },
  { exclusive: [['text', 'path']], atLeastOneOf: [['date', 'file']], allOrNone: [['texts', 'integers']] },
)

test('any raw parameters give an input or a parameter problem', () => {
  const compiled = compileInput(everything)
  const value = fc.oneof(
    fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true, withMap: true }),
    fc.constantFrom(
      '',
      ' ',
      '1',
      'a,b',
      ',',
      '2024-02-30',
      '2024-01-01T00:00:00Z',
      '\ud800',
      '\0',
      file,
      null,
      Symbol('x'),
    ),
    fc.string({ unit: 'binary' }),
    fc.date().map(String),
  )
  const bags = fc.record(Object.fromEntries(Object.keys(everything.properties).map((name) => [name, value])), {
    requiredKeys: [],
    noNullPrototype: false,
  })
  fc.assert(
    fc.property(bags, (bag) => {
      try {
        const input = compiled(bag)
        expect(Object.keys(input).every((name) => name in everything.properties)).toBe(true)
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        expect((error as Failure).cause.kind).toBe('parameter')
      }
    }),
    { numRuns: 3000 },
  )
})

test('raw parameters that contain themselves are invalid', () => {
  const bag: RawParams = {}
  bag['x'] = bag
  expect(read(Type.Object({ x: freeForm() }), bag)).toBe('x is invalid')
})

test('a long text is read in time proportional to its length', () => {
  const schema = Type.Object({ a: integer(), b: number(), c: dateTime(), d: flag() })
  const started = performance.now()
  for (const long of ['1'.repeat(1e6), ' '.repeat(1e6), `${'1'.repeat(1e6)}x`, `${' '.repeat(1e6)}x`]) {
    read(schema, { a: long, b: long, c: long, d: long })
  }
  expect(performance.now() - started).toBeLessThan(4_000)
})
