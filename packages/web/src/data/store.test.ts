import { expect, test } from 'vitest'
import { createStore } from './store.ts'

test('reset returns every slot to its initial value and notifies subscribers', () => {
  const store = createStore()
  const count = store.slot(() => 1)
  const names = store.slot<string[]>(() => [])
  let changes = 0
  const unsubscribe = count.subscribe(() => changes++)
  count.set(2)
  names.get().push('a')

  store.reset()
  expect([count.get(), names.get(), changes]).toEqual([1, [], 2])

  unsubscribe()
  count.set(3)
  expect(changes).toBe(2)
})
