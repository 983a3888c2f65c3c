import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fetchOnce, forgetEarlyResponses } from './early-responses.ts'

const early = '/api/v4/projects?starred=true'

beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0)
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('sent'))
  globalThis.alcoveEarly = new Map([[early, Promise.resolve(new Response('early'))]])
})
afterEach(() => vi.restoreAllMocks())

const get = async (url: string, init?: RequestInit) => (await fetchOnce(url, init)).text()

test('an early response is used once, for its own address', async () => {
  expect(await get(`${early}&page=2`)).toBe('sent')
  expect(await get(early)).toBe('early')
  expect(await get(early)).toBe('sent')
})

test('an early response is not used after a change, ten seconds later, or for another user', async () => {
  await get('/-/sessions', { method: 'POST' })
  expect(await get(early)).toBe('sent')

  globalThis.alcoveEarly = new Map([[early, Promise.resolve(new Response('early'))]])
  vi.spyOn(performance, 'now').mockReturnValue(10_001)
  expect(await get(early)).toBe('sent')

  vi.spyOn(performance, 'now').mockReturnValue(0)
  globalThis.alcoveEarly = new Map([[early, Promise.resolve(new Response('early'))]])
  forgetEarlyResponses()
  expect(await get(early)).toBe('sent')
})
