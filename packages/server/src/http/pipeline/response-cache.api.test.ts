import { expect, test } from 'vitest'
import { startServer } from '../../testing/server.ts'
import { contentFrom } from '../response/render.ts'
import { openResponseCache, type RenderedResult, type ResponseKey } from './response-cache.ts'

test('a response is cached when its URL is requested twice in a row', async () => {
  const responses = openResponseCache((await startServer()).deps, [])
  let loads = 0
  const load = async (): Promise<RenderedResult> => {
    loads += 1
    return { status: 200, content: contentFrom('[]') }
  }
  const ask = (key: ResponseKey) => responses.get(key, load, (result) => ({ headers: {}, ...result }))
  const [one, two] = [keyOf('/topics?unknown=1'), keyOf('/topics?unknown=2')]
  for (const key of [one, two, one, two]) {
    await ask(key)
    expect(responses.peek(key)).toBeUndefined()
  }
  const asked = await ask(two)
  expect(responses.peek(two)).toBe(asked)
  expect(responses.peek(one)).toBeUndefined()
  expect(loads).toBe(1)
})

test('a long URL is not kept with the result of its input', async () => {
  const responses = openResponseCache((await startServer()).deps, [])
  const result: RenderedResult = { status: 200, content: contentFrom('[]') }
  const key = keyOf(`/topics?unknown=${'x'.repeat(16_000)}`)
  for (let times = 0; times < 3; times++) {
    await responses.get(
      key,
      async () => result,
      (result) => ({ headers: {}, ...result }),
    )
  }
  expect([result.lastUrl, responses.peek(key)]).toEqual([undefined, undefined])
})

/** Requests with an unknown parameter have the same input. */
function keyOf(url: string): ResponseKey {
  return { origin: 'http://localhost', url, input: { page: 1 }, organizationId: undefined, resources: {} }
}
