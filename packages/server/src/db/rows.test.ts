import { expect, test } from 'vitest'
import { rowReader } from './rows.ts'

const upper = (value: unknown) => String(value).toUpperCase()

test('a row has the columns as camelCase keys in their order, with converted values', () => {
  const read = rowReader([{ name: 'full_path' }, { name: 'state', read: upper }])
  expect(JSON.stringify(read(['a/b', 'open']))).toBe('{"fullPath":"a/b","state":"OPEN"}')
})

test('readers of the same columns keep their own conversions', () => {
  const read = rowReader([{ name: 'state', read: upper }])
  const other = rowReader([{ name: 'state', read: String }])
  const plain = rowReader([{ name: 'state' }])
  expect([read, other, plain].map((reader) => reader(['open']))).toEqual([
    { state: 'OPEN' },
    { state: 'open' },
    { state: 'open' },
  ])
})

test('columns with a dot become a nested object, or null when the first of them is null', () => {
  const read = rowReader([{ name: 'id' }, { name: 'owner.id' }, { name: 'owner.home_page.url', read: upper }])
  expect(read([1, 2, 'x'])).toEqual({ id: 1, owner: { id: 2, homePage: { url: 'X' } } })
  expect(read([1, null, null])).toEqual({ id: 1, owner: null })
})

test('the last of two columns with one name counts', () => {
  expect(rowReader([{ name: 'id' }, { name: 'id' }])([1, 2])).toEqual({ id: 2 })
})

test('names of columns are text, whatever they contain', () => {
  const read = rowReader([{ name: '?column?' }, { name: `a"]: x, 'b` }])
  expect(read([1, 2])).toEqual({ '?column?': 1, [`a"]: x, 'b`]: 2 })
})
