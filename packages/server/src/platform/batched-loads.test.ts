import { expect, test } from 'vitest'
import { openBatchedLoads } from './batched-loads.ts'

function openRecorded(load = async (ids: readonly number[]) => new Map(ids.map((id) => [id, `value ${id}`]))) {
  const calls: number[][] = []
  const loads = openBatchedLoads<number, string>()
  const get = (ids: readonly number[], group = 'rows') =>
    loads(group, ids, (ids) => {
      calls.push([...ids])
      return load(ids)
    })
  return { calls, get }
}

test('callers of one iteration of the event loop share a load, also after promises', async () => {
  const { calls, get } = openRecorded()
  const later = Promise.resolve()
    .then(() => {})
    .then(() => get([3, 4]))
  const [first, second] = await Promise.all([get([1, 3]), get([2]), later])
  expect(calls).toEqual([[1, 3, 2, 4]])
  expect([first.get(1), first.get(3), second.get(2)]).toEqual(['value 1', 'value 3', 'value 2'])
})

test('different groups, and batches that are full, are loaded separately', async () => {
  const { calls, get } = openRecorded()
  const many = Array.from({ length: 99 }, (_, index) => index)
  await Promise.all([get(many), get([200], 'others'), get([99]), get([100])])
  expect(calls.map((ids) => ids.length)).toEqual([100, 1, 1])
})

test('a batch that is full is shared for its own keys', async () => {
  const { calls, get } = openRecorded()
  const many = Array.from({ length: 100 }, (_, index) => index)
  await Promise.all([get(many), get([5, 6])])
  expect(calls).toEqual([many])
})

test('a load that has started is not shared', async () => {
  let end = (_: Map<number, string>) => {}
  const { get } = openRecorded(() => new Promise((resolve) => (end = resolve)))
  const first = get([1])
  await new Promise(setImmediate)
  const endFirst = end
  const second = get([1])
  await new Promise(setImmediate)
  endFirst(new Map([[1, 'before']]))
  end(new Map([[1, 'after']]))
  expect([(await first).get(1), (await second).get(1)]).toEqual(['before', 'after'])
})

test('a failed load fails all of its callers and no later one', async () => {
  let fails = true
  const { get } = openRecorded(async () => {
    if (fails) throw new Error('no connection')
    return new Map([[1, 'one']])
  })
  const results = await Promise.allSettled([get([1]), get([2])])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect((await get([1])).get(1)).toBe('one')
})
