import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { Failure } from '../../../platform/failure.ts'
import { closeParsing, parseAside } from './parsing.ts'
import { planVocabulary } from './plan-vocabulary.ts'
import { readVocabulary } from './read-vocabulary.ts'
import { completeEntry, frames, type VocabularyFormat, type VocabularyTopic, writeTopic } from './vocabulary.ts'

afterAll(closeParsing)

function write(topics: readonly VocabularyTopic[], format: VocabularyFormat): string {
  const { head, empty, between, tail } = frames[format]
  if (topics.length === 0) return empty
  return `${head}${topics.map((topic) => writeTopic(topic, format)).join(between)}${tail}`
}

async function problemsOf(text: string, format: VocabularyFormat = 'yaml') {
  try {
    readVocabulary(await parseAside(text, format))
    return []
  } catch (error) {
    if (error instanceof Failure && error.cause.kind === 'import-rejected') return error.cause.problems
    throw error
  }
}

const ascii = fc
  .string({ unit: 'binary-ascii', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() !== '' && !/[\r\n\0]/.test(text))
const unicode = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .filter((text) => text.trim() !== '' && !text.includes('\0'))
const words = fc.constantFrom(
  'yes',
  'null',
  '~',
  'true',
  '1e3',
  '0x1f',
  '.inf',
  '- a',
  'a: b',
  '#x',
  '2026-01-01',
  '<<',
  '=',
  '012',
)

test.each(['yaml', 'json'] as const)('random topics are restored from a file in %s', async (format) => {
  const entry = fc.record({
    name: fc.oneof(ascii, words),
    title: fc.oneof(unicode, words),
    description: fc.option(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => !text.includes('\0')),
        words,
      ),
    ),
    aliases: fc.array(ascii, { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 5 }), async (entries) => {
      const seen = new Set<string>()
      const isFresh = (name: string) => !seen.has(name.toLowerCase()) && seen.add(name.toLowerCase())
      const topics = entries
        .filter(({ name }) => isFresh(name))
        .map((topic) => ({ ...topic, aliases: topic.aliases.filter(isFresh).sort(byKey) }))
      const text = write(topics, format)
      const read = readVocabulary(await parseAside(text, format))
      expect(read).toEqual(topics)
      const complete = read.map((entry) => completeEntry(entry, undefined))
      expect(write(complete, format)).toBe(text)
    }),
  )
})

const byKey = (a: string, b: string) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)

describe('rejects a file', () => {
  test.each([
    ['', [{ entry: null, field: null, reason: 'must have `version` and `topics`' }]],
    ['version: 2\ntopics: []', [{ entry: null, field: 'version', reason: 'must be 1' }]],
    ['version: 1', [{ entry: null, field: 'topics', reason: 'must be a list' }]],
    ['version: 1\ntopics: []\nmore: 1', [{ entry: null, field: 'more', reason: 'is unknown' }]],
    ['version: 1\ntopics: [a]', [{ entry: 1, field: null, reason: 'must have a `name`' }]],
    ['version: 1\ntopics: [{title: a}]', [{ entry: 1, field: 'name', reason: 'is missing' }]],
    ['version: 1\ntopics: [{name: 3}]', [{ entry: 1, field: 'name', reason: 'must be text, in quotes' }]],
    [
      'version: 1\ntopics: [{name: ""}]',
      [
        { entry: 1, field: 'name', reason: "can't be blank" },
        { entry: 1, field: 'title', reason: "can't be blank" },
      ],
    ],
    [
      'version: 1\ntopics: [{name: a, title: "x\\0y"}]',
      [{ entry: 1, field: 'title', reason: 'has characters that are not allowed' }],
    ],
    ['version: 1\ntopics: [{name: a, tittle: b}]', [{ entry: 1, field: 'tittle', reason: 'is unknown' }]],
    ['version: 1\ntopics: [{name: a, aliases: b}]', [{ entry: 1, field: 'aliases', reason: 'must be a list' }]],
    [
      'version: 1\ntopics: [{name: a, aliases: [é]}]',
      [{ entry: 1, field: 'aliases', reason: '"é" must only include ASCII characters' }],
    ],
    [
      'version: 1\ntopics: [{name: a, aliases: [b]}, {name: B, aliases: [A, c, C]}]',
      [
        { entry: 1, field: 'aliases', reason: '"b" is the name of entry 2 already' },
        { entry: 2, field: 'aliases', reason: '"A" is the name of entry 1 already' },
        { entry: 2, field: 'aliases', reason: '"C" is an alias of entry 2 already' },
      ],
    ],
  ])('like %j', async (text, problems) => expect(await problemsOf(text)).toEqual(problems))

  test.each([
    ['with an anchor that is used', 'version: 1\ntopics: [&a {name: x}, *a]'],
    ['with a duplicate key', 'version: 1\nversion: 1\ntopics: []'],
    ['with an unknown tag', 'version: 1\ntopics: !!js/function x'],
    ['of two documents', 'version: 1\n---\ntopics: []'],
    ['that is no YAML', 'a: [b'],
  ])('%s', async (_, text) => {
    const problems = await problemsOf(text)
    expect(problems).toHaveLength(1)
    expect(problems[0]?.reason).toMatch(/^cannot be read as YAML: ./)
  })

  test.each([
    ['YAML', 'yaml', '['.repeat(10_000)],
    ['long YAML', 'yaml', `version: 1\ntopics: ${'['.repeat(5000)}${']'.repeat(5000)}\n${'#'.repeat(20_000)}`],
    ['YAML with room on the stack', 'yaml', `version: 1\ntopics: ${'['.repeat(200)}${']'.repeat(200)}`],
    ['JSON', 'json', '['.repeat(8000) + ']'.repeat(8000)],
    ['long JSON', 'json', `{"topics":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ] as const)('that is nested too deeply: %s', async (_, format, text) => {
    expect(await problemsOf(text, format)).toEqual([{ entry: null, field: null, reason: 'is nested too deep' }])
  })

  test('that would expand exponentially, at once', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...Array.from({ length: 20 }, (_, n) => {
        const [now, before] = [String.fromCharCode(98 + n), String.fromCharCode(97 + n)]
        return `${now}: &${now} [${Array.from({ length: 9 }, () => `*${before}`).join()}]`
      }),
    ].join('\n')
    const started = performance.now()
    expect((await problemsOf(bomb))[0]?.reason).toMatch(/^cannot be read as YAML/)
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('that is long and parsed on another thread', async () => {
    const text = `version: 1\ntopics:\n${'  - name: 3\n'.repeat(3000)}`
    expect(await problemsOf(text)).toHaveLength(1000)
    expect(await problemsOf(`${text}x`)).toHaveLength(1)
  })
})

describe('planVocabulary', () => {
  const stored = (id: number, name: string, aliases: string[] = []) => ({
    id,
    name,
    title: name,
    description: null,
    aliases,
    avatarKey: null,
  })
  const wanted = (name: string, aliases: string[] = []): VocabularyTopic => ({
    name,
    title: name,
    description: null,
    aliases,
  })

  test('moves an alias between topics of the file, and turns one into a topic', () => {
    const plan = planVocabulary(
      [wanted('a'), wanted('b', ['x']), wanted('y')],
      [stored(1, 'a', ['x', 'y']), stored(2, 'b')],
      { prune: false },
    )
    expect(plan).toMatchObject({ problems: [], deleted: [], unchanged: 0, created: [{ name: 'y' }] })
    expect(plan.updated.map(({ after, fields }) => [after.name, fields.map(({ from, to }) => [from, to])])).toEqual([
      ['a', [[['x', 'y'], []]]],
      ['b', [[[], ['x']]]],
    ])
  })

  test('leaves the fields that an entry lacks unchanged', () => {
    const before = { ...stored(1, 'a', ['x']), title: 'A', description: 'About' }
    expect(planVocabulary([{ name: 'a' }], [before], { prune: true })).toMatchObject({ updated: [], unchanged: 1 })
    const { updated } = planVocabulary([{ name: 'A', description: null }], [before], { prune: false })
    expect(updated).toMatchObject([
      {
        after: { name: 'A', title: 'A', description: null, aliases: ['x'] },
        fields: [
          { field: 'name', from: 'a', to: 'A' },
          { field: 'description', from: 'About', to: null },
        ],
      },
    ])
  })

  test.each([false, true])('rejects taking an alias from an entry that lists no aliases (prune: %s)', (prune) => {
    const plan = planVocabulary(
      [{ name: 'a' }, { name: 'b', aliases: ['x'] }, { name: 'Y' }],
      [stored(1, 'a', ['x', 'y'])],
      { prune },
    )
    const reason = 'is an alias of "a", whose entry lists no aliases and so keeps them'
    expect(plan.problems).toEqual([
      { entry: 2, field: 'aliases', reason: `"x" ${reason}` },
      { entry: 3, field: 'name', reason: `"Y" ${reason}` },
    ])
  })

  test('rejects names of topics that are not in the file, except with prune', () => {
    const file = [wanted('new', ['old']), wanted('alias')]
    const there = [stored(1, 'old', ['alias'])]
    expect(planVocabulary(file, there, { prune: false }).problems).toEqual([
      {
        entry: 1,
        field: 'aliases',
        reason: '"old" is the name of a topic that is not in the file; merge it, or prune',
      },
      { entry: 2, field: 'name', reason: '"alias" is an alias of "old", which is not in the file' },
    ])
    expect(planVocabulary(file, there, { prune: true })).toMatchObject({ problems: [], deleted: [{ id: 1 }] })
  })
})
