import { expect, test } from 'vitest'
import { openCache } from './cache.ts'

function openOn(limit: number, stampOf: () => number | undefined = () => 1) {
  const changes = {
    version: stampOf,
    watch: () => () => {},
    synchronize: () => undefined,
  }
  return openCache<number[]>(changes, ['rows'], limit, (values) => values.length)
}

/** Load that resolves on demand and counts its calls. */
function slowLoad() {
  const ends: ((value: number[]) => void)[] = []
  const load = () => new Promise<number[]>((resolve) => ends.push(resolve))
  return { load, ends }
}

test('two concurrent callers of one key share one load', async () => {
  const cache = openOn(10)
  const { load, ends } = slowLoad()
  const both = [cache.getShared('list', load), cache.getShared('list', load)]
  expect(ends).toHaveLength(1)
  ends[0]?.([7])
  expect(await Promise.all(both)).toEqual([[7], [7]])
  expect(cache.peek('list')).toEqual([7])
})

test('a load that began before a change is not returned or cached after it', async () => {
  let stamp = 1
  const cache = openOn(10, () => stamp)
  const { load, ends } = slowLoad()
  const before = cache.getShared('list', load)
  stamp = 2
  const after = cache.getShared('list', load)
  expect(ends).toHaveLength(2)
  ends[1]?.([2])
  ends[0]?.([1])
  expect(await Promise.all([before, after])).toEqual([[1], [2]])
  expect(cache.peek('list')).not.toEqual([1])
})

test('while disconnected from notifications, every caller loads alone and nothing is cached', async () => {
  const cache = openOn(10, () => undefined)
  const { load, ends } = slowLoad()
  const both = [cache.getShared('list', load), cache.getShared('list', load)]
  expect(ends).toHaveLength(2)
  for (const end of ends) end([3])
  await Promise.all(both)
  expect(cache.peek('list')).toBeUndefined()
})

test('a failed load rejects all callers, and the next one loads again', async () => {
  const cache = openOn(10)
  const fail = async () => {
    throw new Error('no luck')
  }
  const both = await Promise.allSettled([cache.getShared('list', fail), cache.getShared('list', async () => [1])])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await cache.getShared('list', async () => [2])).toEqual([2])
})

test('a value that is too heavy is not cached and evicts nothing', async () => {
  const cache = openOn(3)
  await cache.get('light', async () => [1, 2])
  expect(await cache.get('heavy', async () => [1, 2, 3, 4])).toEqual([1, 2, 3, 4])
  expect(cache.peek('heavy')).toBeUndefined()
  expect(cache.peek('light')).toEqual([1, 2])
})

test('a value that has grown evicts others, and itself when it is too heavy', async () => {
  const cache = openOn(3)
  await cache.get('other', async () => [1])
  const growing = await cache.get('growing', async () => [1, 2])
  growing.push(3)
  expect(cache.peek('other')).toEqual([1])
  cache.updateWeight('growing', growing)
  expect(cache.peek('other')).toBeUndefined()
  expect(cache.peek('growing')).toEqual([1, 2, 3])
  growing.push(4)
  cache.updateWeight('growing', growing)
  expect(cache.peek('growing')).toBeUndefined()
})

test('a value that grew after its eviction is not cached again', async () => {
  let stamp = 1
  const cache = openOn(10, () => stamp)
  const old = await cache.get('list', async () => [1])
  stamp = 2
  await cache.get('list', async () => [2])
  cache.updateWeight('list', old)
  expect(cache.peek('list')).toEqual([2])
})

test('a value that was loaded before a change is not returned after it is set', () => {
  let stamp: number | undefined = 1
  const cache = openOn(10, () => stamp)
  const before = cache.version()
  cache.set('row', [1], before)
  expect(cache.peek('row')).toEqual([1])
  stamp = 2
  cache.set('row', [1], before)
  expect(cache.peek('row')).toBeUndefined()
  stamp = undefined
  cache.set('row', [1], cache.version())
  stamp = 2
  expect(cache.peek('row')).toBeUndefined()
})
