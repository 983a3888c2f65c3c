import { expect, test } from 'vitest'
import { lazyComponent } from './lazy-component.tsx'

test('code whose fetch failed is fetched again at the next attempt, and only once when it is there', async () => {
  let attempts = 0
  const component = lazyComponent(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('offline')
    return () => null
  })
  await expect(component.preload()).rejects.toThrow('offline')
  await component.preload()
  await component.preload()
  expect(attempts).toBe(2)
})
