import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, startPostgres } from '../testing/databases/postgres.ts'
import { columnValues } from './column-values.ts'
import type { Database } from './db.ts'
import { openDatabase } from './open.ts'
import { containsAll, similarity } from './sql.ts'

const engines = ['sqlite', 'postgres'] as const
const databases: { [engine in (typeof engines)[number]]?: Database } = {}
const undo: (() => Promise<void>)[] = []

beforeAll(async () => {
  const server = await startPostgres()
  const place = await createTestDatabase(server)
  const folder = await mkdtemp(join(tmpdir(), 'alcove-db-'))
  const sqlite = await openDatabase({ kind: 'sqlite', file: join(folder, 'alcove.db') })
  const postgres = await openDatabase({ kind: 'postgres', url: place.url })
  Object.assign(databases, { sqlite, postgres })
  await postgres.run(sql`create extension if not exists pg_trgm`)
  undo.push(sqlite.close, postgres.close, place.drop, () => rm(folder, { recursive: true }), server.stop)
})
afterAll(async () => {
  for (const step of undo) await step()
})

const database = (engine: (typeof engines)[number]): Database => {
  const db = databases[engine]
  if (!db) throw new Error('not open')
  return db
}

describe.each(engines)('%s', (engine) => {
  test.each([0, 1, 50_000])('passes %i integers and texts as one parameter', async (length) => {
    const db = database(engine)
    const numbers = Array.from({ length }, (_, n) => n * 3)
    const texts = numbers.map((n) => `text ${n} "%\\ {,}\n`)
    const { integers, texts: textList } = db.dialect
    expect(await db.one(sql`select count(*) as n from ${integers(numbers)} as listed`)).toEqual({ n: length })
    expect(await db.one(sql`select count(*) as n from ${textList(texts)} as listed`)).toEqual({ n: length })
    const found = sql`select 1 as found where 3 in ${integers(numbers)} and ${texts[1] ?? ''} in ${textList(texts)}`
    expect(await db.one(found)).toEqual(length > 1 ? { found: 1 } : undefined)
  })

  test('inserts records with their types', async () => {
    const db = database(engine)
    const [json, time] = engine === 'sqlite' ? ['json', 'text'] : ['jsonb', 'timestamptz(3)']
    const type = { json: raw(json), time: raw(time) }
    await db.run(sql`create table samples (n bigint, name text, ok boolean, data ${type.json}, at ${type.time},
      score double precision)`)
    // More values than PostgreSQL binds as parameters.
    const rows = Array.from({ length: 12_000 }, (_, n) => ({
      n,
      name: `name ${n} '"\\ é`,
      ok: n % 2 === 0,
      data: n % 3 === 0 ? { n, list: ['a', null] } : n % 3 === 1 ? 'a "text"' : [n, false],
      at: new Date(n * 1001).toISOString(),
      score: n / 7,
      other: 'not a column',
    }))
    const listed = db.dialect.records([...rows, { n: 12_000, ok: undefined, data: null }], {
      n: 'integer',
      name: 'text',
      ok: 'boolean',
      data: 'json',
      at: 'timestamp',
      score: 'float',
    })
    const inserted = await db.run(sql`
      insert into samples (n, name, ok, data, at, score)
      select r.n, r.name, r.ok, r.data, r.at, r.score from ${listed} as r`)
    expect(inserted).toBe(12_001)
    const stored = await db.all(sql`select * from samples order by n`)
    expect(stored.pop()).toEqual({ n: 12_000, name: null, ok: null, data: null, at: null, score: null })
    expect(stored).toEqual(rows.map(({ other: _, ...row }) => row))
    const none = db.dialect.records([], { n: 'integer' })
    expect(await db.run(sql`insert into samples (n) select r.n from ${none} as r`)).toBe(0)
    await db.run(sql`drop table samples`)
  })

  test.each([0, 1, 12_000])('inserts %i records of integers', async (count) => {
    const db = database(engine)
    await db.run(sql`create table pairs (n bigint, the_other bigint)`)
    const rows = Array.from({ length: count }, (_, n) => ({
      n,
      theOther: n % 2 ? -n * 1e12 : n % 4 ? null : undefined,
    }))
    const listed = db.dialect.records(rows, { theOther: 'integer', n: 'integer' })
    const inserted = await db.run(sql`insert into pairs (n, the_other) select r.n, r.the_other from ${listed} as r`)
    expect(inserted).toBe(count)
    expect(await db.all(sql`select * from pairs order by n`)).toEqual(
      rows.map(({ n, theOther = null }) => ({ n, theOther })),
    )
    await db.run(sql`drop table pairs`)
  })

  test.runIf(engine === 'postgres')('a plan with records of integers does not depend on their number', async () => {
    const planFor = (count: number) => {
      const rows = Array.from({ length: count }, (_, n) => ({ n, other: n }))
      return database(engine).all(sql`
        explain select c.relname from pg_class c join ${database(engine).dialect.records(rows, { n: 'integer', other: 'integer' })} as r on r.n = c.oid`)
    }
    expect(await planFor(10_000)).toEqual(await planFor(1))
  })

  test.each([1, 2, 10, 11, 50])('inserts %i bound rows', async (count) => {
    const db = database(engine)
    const json = raw(engine === 'sqlite' ? 'json' : 'jsonb')
    await db.run(sql`create table wide (name text, the_number bigint, data ${json}, note text)`)
    const columns = { name: 'text', theNumber: 'integer', data: 'json', note: 'text' } as const
    const rows = Array.from({ length: count }, (_, n) => ({
      name: `name ${n} '"\\ é \u{1f600}`,
      theNumber: n % 2 === 0 ? n * 1e12 : null,
      data: n % 3 === 0 ? null : n % 3 === 1 ? { n, list: ['a "text"', null] } : 'null',
      note: n % 2 === 0 ? undefined : '',
    }))
    const listed = db.dialect.boundRows(
      rows.map((row) => columnValues(row, columns)),
      columns,
    )
    const inserted = await db.run(sql`
      insert into wide (name, the_number, data, note) select r.name, r.the_number, r.data, r.note from ${listed} as r`)
    expect(inserted).toBe(count)
    const stored = await db.all(sql`select * from wide`)
    expect(stored).toEqual(rows.map(({ note = null, ...row }) => ({ ...row, note })))
    await db.run(sql`drop table wide`)
  })

  test('contains matches the literal text in any case', async () => {
    const db = database(engine)
    const contains = async (text: string | null, part: string) => {
      const column = sql`cast(${text} as text)`
      const row = await db.one<{ found: boolean | number | null }>(
        sql`select ${db.dialect.contains(column, part)} as found`,
      )
      return Boolean(row?.found)
    }
    for (const [text, part] of [
      ['100% sure', '0%'],
      ['snake_case', 'E_C'],
      ['back\\slash', 'K\\S'],
      ['ÄÖÜ Straße', 'äöü s'],
      ['ΟΔΟΣ', 'οδοσ'],
      ['İstanbul', 'is'],
      ['anything', ''],
    ] as const) {
      expect([text, part, await contains(text, part)]).toEqual([text, part, true])
    }
    for (const [text, part] of [
      ['1000 sure', '0%'],
      ['snakeXcase', 'e_c'],
      ['Strasse', 'straße'],
      [null, 'a'],
      ['', '%'],
    ] as const) {
      expect([text, part, await contains(text, part)]).toEqual([text, part, false])
    }
  })
})

test('similarity is the same on both engines and in code', async () => {
  const character = fc.constantFrom(...'abcABC019 -_.,/%ÄöüßéИЖжΣσςİıñ漢字한글😀٣ǅ½²')
  const text = fc.oneof(fc.string({ unit: character, maxLength: 40 }), fc.string({ maxLength: 20 }))
  const fixed: [string, string][] = [
    ['', ''],
    ['web', 'Web'],
    ['word', 'two words'],
    ['a b c', 'c b a'],
    ['release', 'releases'],
  ]
  const pairs = [
    ...fixed,
    ...fc.sample(fc.tuple(text, text), 300),
    ...fc.sample(text, 100).map((one) => [one, `${one}s`]),
  ]
  const values = await Promise.all(
    engines.map(async (engine) => {
      const db = database(engine)
      const rows = db.dialect.records(
        pairs.map(([text], n) => ({ n, text })),
        { n: 'integer', text: 'text' },
      )
      const answers = await db.transaction((tx) =>
        Promise.all(
          pairs.map(([, other = ''], n) =>
            tx.one<{ value: number }>(
              sql`select ${db.dialect.similarity(sql`text`, other)} as value from ${rows} as r where n = ${n}`,
            ),
          ),
        ),
      )
      return answers.map((answer) => answer?.value)
    }),
  )
  const expected = pairs.map(([a = '', b = '']) => similarity(a, b))
  const compared = (actual: (number | undefined)[] = []) => pairs.map((pair, index) => [...pair, actual[index]])
  expect(compared(values[0])).toEqual(compared(expected))
  expect(compared(values[1])).toEqual(compared(expected))
  expect(similarity('word', 'two words')).toBe(0.36)
})

test.each([
  ['Search for Words', ['words', 'SEARCH'], true],
  ['search for words', ['words', 'missing'], false],
  ['ΟΔΟΣ', ['οδος'], true],
  ['οδος', ['ΟΔΟΣ'], true],
  ['5 \u{b5}m', ['\u{3bc}m'], true],
  ['', ['abc'], false],
])('contains_all finds in %j all of %j: %j', (text, terms, expected) => {
  expect(containsAll(text, JSON.stringify(terms))).toBe(expected)
})
