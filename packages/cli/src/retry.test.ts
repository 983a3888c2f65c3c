import { describe, expect, test } from 'vitest'
import type { Io } from './io.ts'
import { retryingFetch } from './retry.ts'

type Attempt = number | Error | Response

/** Sends a request whose attempts end in these ways, the last one repeatedly. Returns the outcome and the delays. */
async function send(attempts: readonly Attempt[], init: RequestInit = {}) {
  const delays: number[] = []
  let sent = 0
  const io = {
    env: {},
    now: () => delays.reduce((sum, ms) => sum + ms, 0),
    sleep: async (ms: number) => void delays.push(ms),
    fetch: async () => {
      const attempt = attempts[Math.min(sent++, attempts.length - 1)] ?? 200
      if (attempt instanceof Error) throw attempt
      return typeof attempt === 'number' ? new Response('{}', { status: attempt }) : attempt
    },
  } as Partial<Io> as Io // what the function uses
  const fetch = retryingFetch(io, { retryMs: 10_000, attemptMs: 1000 })
  const outcome = await fetch('https://alcove.example.com/x', init).then(
    ({ status }) => status,
    (error: Error) => error.message,
  )
  return { outcome, sent, delays }
}

const reset = Object.assign(new TypeError('fetch failed'), {
  cause: Object.assign(new Error(''), { code: 'ECONNRESET' }),
})
const withKey: RequestInit = { method: 'POST', headers: { 'idempotency-key': 'k' } }

describe('a request', () => {
  test.each([429, 502, 503, 504])('is repeated after %d', async (status) => {
    expect(await send([status, status, 200])).toMatchObject({ outcome: 200, sent: 3 })
  })

  test('is repeated after network errors', async () => {
    expect(await send([reset, 200], withKey)).toMatchObject({ outcome: 200, sent: 2 })
  })

  test.each([200, 400, 401, 409, 422, 500])('is not repeated after %d', async (status) => {
    expect(await send([status], withKey)).toMatchObject({ outcome: status, sent: 1 })
  })

  test('is repeated after a 409 with a time to wait, because its first attempt is still running', async () => {
    const busy = new Response('{}', { status: 409, headers: { 'retry-after': '2' } })
    expect(await send([busy, 201], withKey)).toEqual({ outcome: 201, sent: 2, delays: [2000] })
  })

  test('that cannot be repeated safely is sent once', async () => {
    expect(await send([503], { method: 'POST' })).toMatchObject({ outcome: 503, sent: 1 })
    expect((await send([reset], { method: 'POST' })).sent).toBe(1)
  })

  test('fails within a bounded time, with the reason', async () => {
    const { outcome, delays } = await send([reset])
    expect(outcome).toBe('The server at https://alcove.example.com does not respond: it closed the connection.')
    expect(delays.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(10_000)
    expect((await send([503])).outcome).toBe(503)
  })

  test('waits no longer than the limit, whatever the server names', async () => {
    const busy = new Response('{}', { status: 429, headers: { 'retry-after': '86400' } })
    expect(await send([busy])).toEqual({ outcome: 429, sent: 1, delays: [] })
  })
})
