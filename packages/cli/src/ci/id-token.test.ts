import { expect, test } from 'vitest'
import { run } from '../testing/command-run.ts'

const job = {
  ALCOVE_URL: 'https://alcove.example.com/',
  ACTIONS_ID_TOKEN_REQUEST_URL: 'https://actions.example.com/token?api-version=2.0',
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
}

/** Lists topics in a job with these variables. Returns the requests with their credentials, and the outcome. */
async function listTopics(env: Record<string, string>, issued: Response) {
  const sent: [url: string, authorization: string | null][] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    sent.push([String(input), new Headers(init?.headers).get('authorization')])
    return sent.length === 1 && String(input).startsWith('https://actions.') ? issued : Response.json([])
  }
  return { ...(await run(['topics', 'list'], { env, fetch })), sent }
}

test('without a token, a job of GitHub Actions requests an identity token for the server', async () => {
  const { code, sent } = await listTopics(job, Response.json({ value: 'header.payload.signature' }))
  expect(code).toBe(0)
  expect(sent).toEqual([
    [
      'https://actions.example.com/token?api-version=2.0&audience=https%3A%2F%2Falcove.example.com',
      'Bearer request-token',
    ],
    [expect.stringContaining('https://alcove.example.com/api/v4/topics'), 'Bearer header.payload.signature'],
  ])
})

test('a token in ALCOVE_TOKEN is preferred', async () => {
  const { sent } = await listTopics({ ...job, ALCOVE_TOKEN: 'stored' }, Response.json({}))
  expect(sent.map(([, authorization]) => authorization)).toEqual(['Bearer stored'])
})

test.each([
  ['a refusal', () => new Response('{}', { status: 403 }), '(403)'],
  ['a response without a token', () => Response.json({}), '(200)'],
])('%s is reported and sends nothing to the server', async (_, respond, status) => {
  const { code, stderr, sent } = await listTopics(job, respond())
  expect([code, stderr]).toEqual([2, expect.stringContaining(`did not issue an identity token ${status}`)])
  expect(sent).toHaveLength(1)
})
