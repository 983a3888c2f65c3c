import { validateHeaderName, validateHeaderValue } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assertHeadersUsable, interpolatedUrl, isUsableHeaderName } from './hook-secrets.ts'

test.each([
  ...['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'Content-Type', 'User-Agent', 'Idempotency-Key'],
  ...[
    'X-Gitlab-Token',
    'x-gitlab-event',
    'X-GITLAB-Instance',
    'webhook-signature',
    'Webhook-Id',
    'Proxy-Authorization',
  ],
  ...['traceparent', '', ' ', 'X Team', 'X-Team:', 'X-Team\r\nHost', '-x', 'x-', 'x--y', '1x', 'ü', 'X-Team\0'],
])('the header name %j is rejected', (name) => {
  expect(isUsableHeaderName(name)).toBe(false)
})

test.each(['X-Team', 'Authorization', 'X-Api-Key', 'x.y', 'Cookie'])('the header name %s is accepted', (name) => {
  expect(isUsableHeaderName(name)).toBe(true)
})

const hostileName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/),
  fc.constantFrom('host', 'x-gitlab-', 'webhook-').chain((start) => fc.string().map((rest) => start + rest)),
)

test('no accepted header breaks the request or begins like one by which receivers verify deliveries', () => {
  fc.assert(
    fc.property(fc.dictionary(hostileName, fc.string({ unit: 'binary' }), { maxKeys: 3 }), (headers) => {
      try {
        assertHeadersUsable(headers)
      } catch {
        return
      }
      for (const [name, value] of Object.entries(headers)) {
        validateHeaderName(name)
        validateHeaderValue(name, value)
        expect(name).not.toMatch(/^(x-gitlab-|webhook-|host$|content-|transfer-|connection$)/i)
        expect(value).toMatch(/^[\x20-\x7e]+$/)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('variables replace their names in the URL, and other braces stay', () => {
  const urlVariables = { team: 'a/{key}', key: '1' }
  expect(interpolatedUrl({ url: 'https://x.test/{team}?k={key}&other={other}', urlVariables })).toBe(
    'https://x.test/a/{key}?k=1&other={other}',
  )
})
