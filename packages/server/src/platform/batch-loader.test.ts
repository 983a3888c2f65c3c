import { expect, test } from 'vitest'
import { openBatchLoader } from './batch-loader.ts'

function openRecorded(load = async (keys: readonly number[]) => new Map(keys.map((key) => [key, `value ${key}`]))) {
  const calls: number[][] = []
  const loader = openBatchLoader<number, string>()
  const get = (keys: readonly number[], name: string | null = 'rows') =>
    loader(name ?? undefined, keys, (keys) => {
      calls.push([...keys])
      return load(keys)
    })
  return { calls, get }
}

test('callers share a load until all promise callbacks have run', async () => {
  const { calls, get } = openRecorded()
  const later = Promise.resolve()
    .then(() => {})
    .then(() => get([3, 4]))
  const [first, second] = await Promise.all([get([1, 3]), get([2]), later])
  expect(calls).toEqual([[1, 3, 2, 4]])
  expect([first.get(1), first.get(3), second.get(2)]).toEqual(['value 1', 'value 3', 'value 2'])
})

test('loads other names, keys beyond a hundred, and without a name separately', async () => {
  const { calls, get } = openRecorded()
  const many = Array.from({ length: 99 }, (_, index) => index)
  await Promise.all([get(many), get([200], 'others'), get([99]), get([100]), get([1], null), get([1], null)])
  expect(calls.map((keys) => keys.length).sort((a, b) => a - b)).toEqual([1, 1, 1, 1, 100])
})

test('a full batch still serves keys that it contains', async () => {
  const { calls, get } = openRecorded()
  const many = Array.from({ length: 100 }, (_, index) => index)
  await Promise.all([get(many), get([5, 6])])
  expect(calls).toEqual([many])
})

test('shares a load that has started for its own keys only', async () => {
  const ends: ((values: Map<number, string>) => void)[] = []
  const { calls, get } = openRecorded(() => new Promise((resolve) => ends.push(resolve)))
  const first = get([1, 2])
  await new Promise(setImmediate)
  const [same, other] = [get([2]), get([2, 3])]
  await new Promise(setImmediate)
  for (const end of ends) end(new Map())
  expect(await same).toBe(await first)
  expect(await other).not.toBe(await first)

  const next = get([1, 2])
  await new Promise(setImmediate)
  ends.at(-1)?.(new Map())
  expect(await next).not.toBe(await first)
  expect(calls).toEqual([
    [1, 2],
    [2, 3],
    [1, 2],
  ])
})

test('a failed load rejects all of its callers, and the next call loads again', async () => {
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
