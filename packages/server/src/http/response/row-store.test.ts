import { expect, test } from 'vitest'
import { renderRow } from './rendered-row.ts'
import { openRowStore, type RowKey, type RowStore } from './row-store.ts'

const at = (id: string): RowKey => ({ source: 'source', id })
const mib = 1024 * 1024
const json = (id: number, size = 100) => JSON.stringify({ id, text: 'ü'.repeat(size) })

function contentOf(store: RowStore, key: string): string | undefined {
  const place = store.find(at(key))
  return place === undefined ? undefined : store.rowAt(place).json.toString()
}

/** Adds rows with these numbers, of 64 KiB each. */
function addLarge(store: RowStore, from: number, to: number): void {
  for (let id = from; id < to; id++)
    store.add(at(`row ${id}`), { ...renderRow(json(id, 32_000)), version: '', checkedAt: 1 })
}

test('a stored row has its JSON, digest and version', () => {
  const store = openRowStore(mib)
  store.add(at('a'), { ...renderRow(json(1)), version: 'Version ½', checkedAt: 7 })
  store.add(at('b'), { ...renderRow(json(2)), version: '', checkedAt: undefined })
  const [a = -1, b = -1] = [store.find(at('a')), store.find(at('b'))]
  expect(store.rowAt(a)).toEqual(renderRow(json(1)))
  expect(store.rowAt(b)).toEqual(renderRow(json(2)))
  expect([store.versionAt(a), store.versionAt(b)]).toEqual(['Version ½', ''])
  expect(store.find(at('c'))).toBeUndefined()
})

test('a row counts as current only at the version of the tables at which it was checked', () => {
  const store = openRowStore(mib)
  store.add(at('a'), { ...renderRow(json(1)), version: '1', checkedAt: 7 })
  const place = store.find(at('a')) ?? -1
  expect([store.isCheckedAt(place, 7), store.isCheckedAt(place, 8)]).toEqual([true, false])
  store.markChecked(place, 8)
  expect([store.isCheckedAt(place, 7), store.isCheckedAt(place, 8)]).toEqual([false, true])
  // While commits of other processes may be missed, no version is known.
  store.markChecked(place, undefined)
  expect([store.isCheckedAt(place, undefined), store.isCheckedAt(place, 8)]).toEqual([false, false])
})

test('a replaced row is found under its key, even after the buffer of the older one was dropped', () => {
  const store = openRowStore(2 * mib)
  store.add(at('a'), { ...renderRow(json(1)), version: '1', checkedAt: 1 })
  addLarge(store, 0, 20) // more than one buffer
  store.add(at('a'), { ...renderRow(json(2)), version: '2', checkedAt: 1 })
  expect(contentOf(store, 'a')).toBe(json(2))
  for (let id = 20; store.find(at('row 0')) !== undefined && id < 40; id++) addLarge(store, id, id + 1)
  expect(store.find(at('row 0'))).toBeUndefined()
  expect(contentOf(store, 'a')).toBe(json(2))
})

test('a full store drops its oldest rows without changing rows that callers still hold', () => {
  const store = openRowStore(2 * mib)
  store.add(at('first'), { ...renderRow(json(0)), version: '', checkedAt: 1 })
  const sent = store.rowAt(store.find(at('first')) ?? -1)
  // Twice, because a full store adds a row at the second time only.
  for (let id = 1; id < 100; id++) for (const _ of [1, 2]) addLarge(store, id, id + 1)
  expect(store.find(at('first'))).toBeUndefined()
  expect(contentOf(store, 'row 99')).toBe(json(99, 32_000))
  expect(sent).toEqual(renderRow(json(0)))
})

test('a client that reads all rows once does not displace those that are used', () => {
  const store = openRowStore(2 * mib)
  addLarge(store, 0, 40)
  const kept = Array.from({ length: 40 }, (_, id) => id).filter((id) => store.find(at(`row ${id}`)) !== undefined)
  expect(kept.length).toBeGreaterThan(10)
  addLarge(store, 1000, 2000)
  expect(kept.filter((id) => contentOf(store, `row ${id}`) !== json(id, 32_000))).toEqual([])
})

test('a row of more than 256 KiB or with a version of more than 64 KiB is not stored', () => {
  const store = openRowStore(mib)
  store.add(at('a'), { ...renderRow(json(1, 150_000)), version: '', checkedAt: 1 })
  store.add(at('a'), { ...renderRow(json(1)), version: 'v'.repeat(70_000), checkedAt: 1 })
  expect(store.find(at('a'))).toBeUndefined()
})

test('rows that change do not displace rows that do not', () => {
  const store = openRowStore(3 * mib)
  store.add(at('a'), { ...renderRow(json(1)), version: '1', checkedAt: 1 })
  for (let id = 0; id < 10_000; id++)
    store.add(at('b'), { ...renderRow(json(id, 1000)), version: `${id}`, checkedAt: id })
  expect(contentOf(store, 'a')).toBe(json(1))
  expect(contentOf(store, 'b')).toBe(json(9_999, 1000))
})

test('a row that was rendered again without a change takes no more room', () => {
  const store = openRowStore(mib)
  for (let time = 0; time < 100; time++) {
    addLarge(store, 0, 10)
    store.add(at('a'), { ...renderRow(json(1)), version: '', checkedAt: time })
    expect(contentOf(store, 'a')).toBe(json(1))
  }
  expect(contentOf(store, 'row 0')).toBe(json(0, 32_000))
  expect(store.isCheckedAt(store.find(at('a')) ?? -1, 99)).toBe(true)
})

test('a client that reads all rows twice displaces few of those that are used', () => {
  const store = openRowStore(4 * mib)
  addLarge(store, 0, 70)
  const kept = Array.from({ length: 70 }, (_, id) => id).filter((id) => store.find(at(`row ${id}`)) !== undefined)
  addLarge(store, 1000, 1200)
  addLarge(store, 1000, 1200)
  const displaced = kept.filter((id) => store.find(at(`row ${id}`)) === undefined)
  expect(displaced.length).toBeLessThan(kept.length / 2)
})
