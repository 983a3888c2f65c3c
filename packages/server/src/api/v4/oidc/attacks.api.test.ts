import { generateKeyPair } from 'jose'
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { removeExpiredFlows } from '../../../domain/oidc/flows.ts'
import type { OidcProvider } from '../../../platform/settings/oidc-settings.ts'
import { begin, complete, cookiesOf, problemIn, sessionOf, signInAt } from '../../../testing/provider-sign-in.ts'
import { startServer, type TestOptions } from '../../../testing/server.ts'
import { type ScriptedProvider, startScriptedProvider } from '../../../testing/stand-ins/scripted-provider.ts'

const nadia = { sub: 'n-1', preferred_username: 'nadia' }

async function start(settings: Partial<OidcProvider> = {}, options: TestOptions = {}) {
  const provider = await startScriptedProvider(settings)
  const oidc = { providers: [provider.settings], reachesPrivate: true }
  return { provider, server: await startServer({ ...options, settings: { oidc } }) }
}

/** Lets the provider answer the next exchange for this sign-in. */
function prepare(provider: ScriptedProvider, { url }: { url: URL }, claims = nadia): void {
  provider.nonce = url.searchParams.get('nonce') ?? undefined
  provider.claims = claims
}

describe('the ID token', () => {
  const seconds = () => Math.floor(Date.now() / 1000)
  test.each<[string, () => object, string | null]>([
    ['of another audience', () => ({ aud: 'another-client' }), 'invalid'],
    ['of another issuer', () => ({ iss: 'https://accounts.example.test' }), 'invalid'],
    ['for several audiences and another party', () => ({ aud: ['alcove', 'x'], azp: 'x' }), 'invalid'],
    ['with another nonce', () => ({ nonce: 'other' }), 'invalid'],
    ['without a nonce', () => ({ nonce: undefined }), 'invalid'],
    ['that has expired', () => ({ iat: seconds() - 400, exp: seconds() - 90 }), 'invalid'],
    ['from the future', () => ({ nbf: seconds() + 90 }), 'invalid'],
    ['without an expiry', () => ({ exp: undefined }), 'invalid'],
    ['without a subject', () => ({ sub: undefined }), 'invalid'],
    ['with a subject of 256 characters', () => ({ sub: 'x'.repeat(256) }), 'invalid'],
    ['of a clock that is slow by half a minute', () => ({ iat: seconds() - 330, exp: seconds() - 30 }), null],
    ['of a clock that is fast by half a minute', () => ({ iat: seconds() + 30, nbf: seconds() + 30 }), null],
  ])('%s', async (_title, claims, problem) => {
    const { provider, server } = await start()
    const reply = await signInAt(server, provider, { ...nadia, ...claims() })
    expect(problemIn(reply)).toBe(problem)
    expect(reply.cookies).toHaveLength(problem === null ? 2 : 0)
  })

  test('is accepted only with a signature of a published key', async () => {
    const { provider, server } = await start()
    const right = provider.signing
    const stolen = await generateKeyPair('ES256')
    provider.signing = { ...right, key: stolen.privateKey }
    expect(problemIn(await signInAt(server, provider, nadia))).toBe('invalid')
    provider.signing = { key: Buffer.from('secret-of-alcove'.repeat(2)), header: { alg: 'HS256' } }
    expect(problemIn(await signInAt(server, provider, nadia))).toBe('invalid')
    provider.signing = { key: right.key, header: { alg: 'ES256', kid: 'unknown' } }
    expect(problemIn(await signInAt(server, provider, nadia))).toBe('invalid')
    provider.signing = right
    expect(problemIn(await signInAt(server, provider, nadia))).toBeNull()
  })

  test('may be signed with a key that the provider has published since', async () => {
    const clock = { now: new Date().toISOString() }
    const { provider, server } = await start({}, { clock })
    expect(problemIn(await signInAt(server, provider, nadia))).toBeNull()
    await provider.rotateKey()
    clock.now = new Date(Date.now() + 31_000).toISOString()
    expect(problemIn(await signInAt(server, provider, nadia))).toBeNull()
  })

  test('must have the subject of the userinfo endpoint', async () => {
    const { provider, server } = await start({ readsUserInfo: true })
    provider.respond.set('/userinfo', { status: 200, body: '{"sub":"someone-else","name":"x"}' })
    expect(problemIn(await signInAt(server, provider, nadia))).toBe('invalid')
  })
})

describe('the response of the provider', () => {
  test('completes a sign-in once', async () => {
    const { provider, server } = await start()
    const begun = await begin(server)
    prepare(provider, begun)
    const first = await complete(server, begun)
    expect(problemIn(first)).toBeNull()
    const replay = await complete(server, begun)
    expect(problemIn(replay)).toBe('expired')
    expect(replay.cookies).toEqual([])
  })

  test('is refused in another browser, and the right one can still complete it', async () => {
    const { provider, server } = await start()
    const begun = await begin(server)
    prepare(provider, begun)
    const other = await begin(server)
    expect(problemIn(await complete(server, { ...begun, cookie: '' }))).toBe('expired')
    expect(problemIn(await complete(server, { ...begun, cookie: other.cookie }))).toBe('expired')
    expect(problemIn(await complete(server, begun))).toBeNull()
  })

  test('is refused at the callback of another provider', async () => {
    const [corp, evil] = [await startScriptedProvider(), await startScriptedProvider({ key: 'evil' })]
    const providers = [corp.settings, evil.settings]
    const server = await startServer({ settings: { oidc: { providers, reachesPrivate: true } } })
    const begun = await begin(server)
    const state = begun.url.searchParams.get('state')
    const path = `//-/oidc/evil/callback?code=c&state=${state}`
    expect(problemIn(await server.anonymous.get(path, { headers: { cookie: begun.cookie } }))).toBe('expired')
    expect(evil.lastExchange.toString()).toBe('')
  })

  test('is refused when it names another issuer', async () => {
    const { provider, server } = await start()
    const begun = await begin(server)
    prepare(provider, begun)
    expect(problemIn(await complete(server, begun, { iss: 'https://evil.test' }))).toBe('invalid')
    expect(provider.lastExchange.toString()).toBe('')
  })

  test('is refused after a quarter of an hour', async () => {
    const clock = { now: new Date().toISOString() }
    const { provider, server } = await start({}, { clock })
    const begun = await begin(server)
    prepare(provider, begun)
    clock.now = new Date(Date.now() + 15 * 60_000 + 1000).toISOString()
    expect(problemIn(await complete(server, begun))).toBe('expired')
  })

  test.each([
    ['access_denied', 'denied'],
    ['login_required', 'denied'],
    ['temporarily_unavailable', 'unavailable'],
    ['<script>', 'invalid'],
  ])('with the error %s is reported as %s, without the text of the provider', async (error, problem) => {
    const { server } = await start()
    const reply = await complete(server, await begin(server), { error, error_description: '<b>hush</b>' })
    expect(problemIn(reply)).toBe(problem)
    expect(reply.headers['location']).not.toMatch(/hush|script/)
  })

  test('never ends or replaces the session of a browser when it is refused', async () => {
    const { provider, server } = await start()
    const signedIn = await signInAt(server, provider, nadia)
    const begun = await begin(server, {}, cookiesOf(signedIn))
    const reply = await complete(server, begun, { error: 'access_denied' })
    expect(reply.cookies).toEqual([])
    expect((await sessionOf(server, signedIn)).user.username).toBe('nadia')
  })
})

describe('the browser', () => {
  test('gets a new session at each sign-in, whatever cookie it sent', async () => {
    const { provider, server } = await start()
    const fixed = `alcove_session=${'x'.repeat(43)}`
    const begun = await begin(server, {}, fixed)
    prepare(provider, begun)
    const reply = await complete(server, begun)
    expect(cookiesOf(reply)).not.toContain('x'.repeat(43))
    expect(reply.cookies[0]).toMatch(/^alcove_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax/)
  })

  test.each([
    '//evil.test/x',
    '/\\evil.test',
    'https://evil.test/',
    'javascript:alert(1)',
    '/\t/evil.test',
    '/..//evil.test',
    'evil',
    `/${'x'.repeat(2001)}`,
  ])('is never redirected to %s', async (to) => {
    const { provider, server } = await start()
    expect((await signInAt(server, provider, nadia, { to })).headers['location']).toBe('/')
  })

  test('cannot be made to begin a sign-in by the page of another site', async () => {
    const { server } = await start()
    const headers = { origin: 'https://evil.test' }
    expect((await server.anonymous.post('//-/oidc/corp', {}, { headers })).status).toBe(403)
  })
})

test('the database holds neither state nor verifier, and expired flows are removed', async () => {
  const clock = { now: new Date().toISOString() }
  const { server } = await start({}, { clock })
  const { url, cookie } = await begin(server)
  const rows = JSON.stringify(await server.deps.db.all(sql`select * from oidc_flows`))
  expect(rows).not.toContain(url.searchParams.get('state'))
  expect(rows).not.toContain(cookie.split('=')[1])
  clock.now = new Date(Date.now() + 15 * 60_000 + 1000).toISOString()
  await removeExpiredFlows(server.deps)
  expect(await server.deps.db.all(sql`select * from oidc_flows`)).toEqual([])
})

test('secrets of a sign-in do not reach the log', async () => {
  const lines: string[] = []
  const { provider, server } = await start({}, { log: (line) => lines.push(JSON.stringify(line)) })
  const begun = await begin(server)
  prepare(provider, begun)
  await complete(server, begun, { code: 'hush-hush' })
  await complete(server, begun, { code: 'hush-hush' })
  expect(lines.join('\n')).toContain('"event":"sign_in.failed"')
  expect(lines.join('\n')).not.toMatch(/hush-hush|secret-of-alcove/)
})

describe('a provider that does not respond', () => {
  test('is reported when a sign-in begins and when it is completed', async () => {
    const { provider, server } = await start()
    const begun = await begin(server)
    prepare(provider, begun)
    provider.respond.set('/token', { status: 503, body: '{}' })
    expect(problemIn(await complete(server, begun))).toBe('unavailable')

    const fresh = await start()
    await fresh.provider.close()
    expect(await fresh.server.anonymous.post('//-/oidc/corp', {})).toMatchObject({ status: 503 })
  })

  test('does not keep a local administrator from signing in with a password', async () => {
    const { provider, server } = await start()
    await server.user('ada', { admin: true })
    await provider.close()
    const reply = await server.anonymous.post('//-/sessions', { login: 'ada', password: 'correct horse battery' })
    expect(reply.status).toBe(201)
  })

  test.each([
    ['page of a proxy', 200, '<html>'],
    ['error', 500, '{"error":"server_error"}'],
    ['redirect', 302, ''],
  ])('counts as unavailable when its metadata are a %s', async (_title, status, body) => {
    const { provider, server } = await start()
    provider.respond.set('/.well-known/openid-configuration', { status, body })
    expect((await server.anonymous.post('//-/oidc/corp', {})).status).toBe(503)
  })
})

test('metadata of another issuer are refused', async () => {
  const { provider, server } = await start()
  const metadata = { issuer: 'https://evil.test', authorization_endpoint: 'https://evil.test/auth' }
  provider.respond.set('/.well-known/openid-configuration', { status: 200, body: JSON.stringify(metadata) })
  expect((await server.anonymous.post('//-/oidc/corp', {})).status).toBe(503)
})

test('a private address is not requested unless the setting allows it', async () => {
  const provider = await startScriptedProvider()
  const oidc = { providers: [provider.settings], reachesPrivate: false }
  const server = await startServer({ settings: { oidc } })
  expect((await server.anonymous.post('//-/oidc/corp', {})).status).toBe(503)
})

test('an unknown provider is 404', async () => {
  const { server } = await start()
  expect((await server.anonymous.post('//-/oidc/other', {})).status).toBe(404)
})
