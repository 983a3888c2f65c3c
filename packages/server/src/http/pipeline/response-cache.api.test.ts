import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { startServer } from '../../testing/server.ts'
import { contentFrom } from '../response/render.ts'
import { openResponseCache, type RenderedResult, type ResponseCache, type ResponseKey } from './response-cache.ts'

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

test('two routes never share a cached response to the same URL, but share one limit', async () => {
  const { deps } = await startServer()
  const open = () => openResponseCache(deps, [], { isPerCaller: true })
  const [one, two] = [open(), open()]
  const keyOfInput = (url: string) => ({ ...keyOf(url), input: { url } })
  const add = async (responses: ResponseCache, url: string, text: string) => {
    const load = async () => ({ status: 200, content: contentFrom(text) })
    const build = (result: RenderedResult) => ({ headers: {}, ...result })
    for (const _ of ['first', 'second']) await responses.get(keyOfInput(url), load, build)
  }
  const shown = (responses: ResponseCache, url: string) => responses.peek(keyOfInput(url))?.content.bytes.toString()
  await add(one, '/same', '[1]')
  await add(two, '/same', '[2]')
  expect([shown(one, '/same'), shown(two, '/same')]).toEqual(['[1]', '[2]'])

  await add(two, '/large', 'x'.repeat(3_000_000))
  expect(shown(two, '/large')).toHaveLength(3_000_000)
  await add(two, '/other', 'x'.repeat(3_000_000))
  expect([shown(one, '/same'), shown(two, '/large')]).toEqual([undefined, undefined])
})

test('a full cache keeps the results of inputs that are requested twice', async () => {
  const { deps } = await startServer()
  const responses = openResponseCache(deps, ['topics'], { isPerCaller: true })
  const loads: string[] = []
  const ask = async (url: string, bytes = 10) => {
    const load = async ({ isCached }: { isCached: boolean }): Promise<RenderedResult> => {
      loads.push(`${url} ${isCached ? 'cached' : 'once'}`)
      return { status: 200, content: contentFrom('x'.repeat(bytes)) }
    }
    await responses.get({ ...keyOf(url), input: { url } }, load, (result) => ({ headers: {}, ...result }))
  }
  await ask('/large', 3_900_000)
  for (const url of ['/one', '/two', '/one', '/one', '/two', '/large']) await ask(url)
  expect(loads).toEqual(['/large cached', '/one once', '/two once', '/one cached', '/two cached'])

  // An input whose result was cached is cached again after a change, at its first request.
  for (let n = 0; n < 2000; n++) await ask(`/page-${n}`)
  loads.length = 0
  await deps.db.run(sql`update topics set title = title where id = 0`)
  for (const url of ['/one', '/new']) await ask(url)
  expect(loads).toEqual(['/one cached', '/new once'])
})

/** Requests with an unknown parameter have the same input. */
function keyOf(url: string): ResponseKey {
  return { origin: 'http://localhost', url, input: { page: 1 }, organizationId: undefined, resources: {} }
}
