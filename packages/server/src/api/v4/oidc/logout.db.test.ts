import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { removeUsedLogoutTokens } from '../../../domain/oidc/backchannel-logout.ts'
import type { OidcProvider } from '../../../platform/settings/oidc-settings.ts'
import { newestEvents } from '../../../testing/audit-events.ts'
import type { Reply } from '../../../testing/client.ts'
import { freshDatabase, onSqlite, testEngine } from '../../../testing/databases/database.ts'
import { cookiesOf, sessionOf, signInAt } from '../../../testing/provider-sign-in.ts'
import { startServer, type TestOptions, type TestServer } from '../../../testing/server.ts'
import { type ScriptedProvider, startScriptedProvider } from '../../../testing/stand-ins/scripted-provider.ts'

const nadia = { sub: 'n-1', preferred_username: 'nadia', sid: 's-1' }
const seconds = () => Math.floor(Date.now() / 1000)

async function start(settings: Partial<OidcProvider> = {}, options: TestOptions = {}) {
  const provider = await startScriptedProvider(settings)
  const oidc = { providers: [provider.settings], reachesPrivate: true }
  return { provider, server: await startServer({ ...options, settings: { oidc, ...options.settings } }) }
}

function signOut(server: TestServer, signedIn: Reply): Promise<Reply> {
  return server.anonymous.delete('//-/sessions', undefined, { headers: { cookie: cookiesOf(signedIn) } })
}

/** Accepts connections at an address and never responds. */
async function startSilent({ hostname, port }: URL): Promise<void> {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => sockets.add(socket)).listen(Number(port), hostname)
  await once(silent, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    silent.close()
    await once(silent, 'close')
  })
}

async function isSignedIn(server: TestServer, signedIn: Reply): Promise<boolean> {
  return (await sessionOf(server, signedIn)).user !== null
}

describe.runIf(onSqlite)('signing out', () => {
  test('ends the session here and returns the address that ends it at the provider', async () => {
    const { provider, server } = await start()
    const signedIn = await signInAt(server, provider, nadia)
    const reply = await signOut(server, signedIn)
    expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    const url = new URL(reply.body.url)
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/logout`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      id_token_hint: provider.lastIdToken,
      client_id: 'alcove',
      post_logout_redirect_uri: 'http://localhost/-/sign_in',
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(await isSignedIn(server, signedIn)).toBe(false)
  })

  test('names the subject in place of an ID token that is too long for an address', async () => {
    const { provider, server } = await start()
    const { body } = await signOut(server, await signInAt(server, provider, { ...nadia, groups: ['x'.repeat(5000)] }))
    const { searchParams } = new URL(body.url)
    expect(searchParams.get('id_token_hint')).toBeNull()
    expect(searchParams.get('logout_hint')).toBe('n-1')
    expect(searchParams.get('client_id')).toBe('alcove')
  })

  test('returns no address for another session, or where the provider or the operator does not want it', async () => {
    const { provider, server } = await start()
    await server.user('ada')
    const login = { login: 'ada', password: 'correct horse battery' }
    const local = await server.anonymous.post('//-/sessions', login)
    expect((await signOut(server, local)).body).toEqual({ url: null })
    expect((await server.anonymous.delete('//-/sessions')).body).toEqual({ url: null })

    const quiet = await start({ signsOut: false })
    const signedIn = await signInAt(quiet.server, quiet.provider, nadia)
    expect((await signOut(quiet.server, signedIn)).body).toEqual({ url: null })
    expect(await isSignedIn(quiet.server, signedIn)).toBe(false)

    provider.metadata = { ...provider.metadata, end_session_endpoint: undefined }
    expect((await signOut(server, await signInAt(server, provider, nadia))).body).toEqual({ url: null })
  })

  // Less time than the server waits for a provider elsewhere.
  test.for(['refuses connections', 'never responds'])(
    'works while the provider %s',
    { timeout: 8000 },
    async (fault) => {
      const { provider, server } = await start()
      const signedIn = await signInAt(server, provider, nadia)
      await provider.close()
      if (fault === 'never responds') await startSilent(new URL(provider.issuer))
      // Another process does not have the provider's metadata.
      const settings = {
        ...server.deps.settings,
        oidc: { ...server.deps.settings.oidc, providers: [{ ...provider.settings }] },
      }
      const { openApp } = await import('../../../app.ts')
      const other = await openApp({ ...server.deps, settings })
      const reply = await other.server.inject({
        method: 'DELETE',
        url: '/-/sessions',
        headers: { cookie: cookiesOf(signedIn) },
      })
      expect(reply.json()).toEqual({ url: null })
      expect(await isSignedIn(server, signedIn)).toBe(false)
      await other.server.close()
    },
  )

  test('does not lead to an address that is no web page', async () => {
    const { provider, server } = await start()
    provider.metadata = { ...provider.metadata, end_session_endpoint: 'javascript:alert(1)' }
    const { body } = await signOut(server, await signInAt(server, provider, nadia))
    expect(body.url).toBeNull()
  })
})

let tokens = 0

/** Returns the claims of a valid logout token. */
function logoutClaims(provider: ScriptedProvider): Record<string, unknown> {
  return {
    iss: provider.issuer,
    aud: 'alcove',
    iat: seconds(),
    exp: seconds() + 120,
    jti: `token ${++tokens}`,
    sub: 'n-1',
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  }
}

function send(server: TestServer, token: string, key = 'corp'): Promise<Reply> {
  return server.anonymous.post(`//-/oidc/${key}/backchannel_logout`, new URLSearchParams({ logout_token: token }))
}

describe('a logout token of the provider', () => {
  test.runIf(onSqlite)('ends the sessions of its subject with the next request', async () => {
    const { provider, server } = await start()
    const [one, other] = [await signInAt(server, provider, nadia), await signInAt(server, provider, nadia)]
    const omar = await signInAt(server, provider, { sub: 'o-1', preferred_username: 'omar' })
    expect(await isSignedIn(server, one)).toBe(true)
    const reply = await send(server, await provider.sign(logoutClaims(provider)))
    expect(reply).toMatchObject({ status: 200, text: '', headers: { 'cache-control': 'no-store' } })
    expect(await isSignedIn(server, one)).toBe(false)
    expect(await isSignedIn(server, other)).toBe(false)
    expect(await isSignedIn(server, omar)).toBe(true)
    const [event] = await newestEvents(server, 1)
    expect(event).toMatchObject({ name: 'user_sessions_revoked', authorId: null, details: { issuer: provider.issuer } })
  })

  test('with a session ends only that session, with or without a subject', async () => {
    const { provider, server } = await start()
    const first = await signInAt(server, provider, nadia)
    const second = await signInAt(server, provider, { ...nadia, sid: 's-2' })
    const third = await signInAt(server, provider, { ...nadia, sid: 's-3' })
    await send(server, await provider.sign({ ...logoutClaims(provider), sid: 's-1' }))
    await send(server, await provider.sign({ ...logoutClaims(provider), sub: undefined, sid: 's-2' }))
    const signedIn = [first, second, third].map((reply) => isSignedIn(server, reply))
    expect(await Promise.all(signedIn)).toEqual([false, false, true])
  })

  test.runIf(onSqlite)('with session and subject ends the sessions of that subject only', async () => {
    const { provider, server } = await start()
    const signedIn = await signInAt(server, provider, nadia)
    await send(server, await provider.sign({ ...logoutClaims(provider), sub: 'o-1', sid: 's-1' }))
    expect(await isSignedIn(server, signedIn)).toBe(true)
  })

  test.runIf(onSqlite)('leaves sessions that began with a password, and tokens', async () => {
    const { provider, server } = await start({ linksByEmail: true })
    const ada = await server.user('ada')
    const local = await server.anonymous.post('//-/sessions', { login: 'ada', password: 'correct horse battery' })
    const claims = { sub: 'n-1', email: 'ada@example.test', email_verified: true }
    const signedIn = await signInAt(server, provider, claims)
    await send(server, await provider.sign(logoutClaims(provider)))
    expect(await isSignedIn(server, signedIn)).toBe(false)
    expect(await isSignedIn(server, local)).toBe(true)
    expect((await ada.get('/user')).status).toBe(200)
  })

  test.runIf(onSqlite)('has the same response for an unknown subject', async () => {
    const { provider, server } = await start()
    await signInAt(server, provider, nadia)
    const known = await send(server, await provider.sign(logoutClaims(provider)))
    const unknown = await send(server, await provider.sign({ ...logoutClaims(provider), sub: 'no one' }))
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
  })

  test('is accepted once', async () => {
    const { provider, server } = await start()
    const token = await provider.sign(logoutClaims(provider))
    expect((await send(server, token)).status).toBe(200)
    const signedIn = await signInAt(server, provider, nadia)
    expect(await send(server, token)).toMatchObject(refusal)
    expect(await isSignedIn(server, signedIn)).toBe(true)
    await removeUsedLogoutTokens(server.deps)
    expect(await send(server, token)).toMatchObject(refusal)
  })

  test('is forgotten when it is too old to be accepted', async () => {
    const clock = { now: new Date().toISOString() }
    const { provider, server } = await start({}, { clock })
    const token = await provider.sign({ ...logoutClaims(provider), exp: seconds() + 86_400 })
    expect((await send(server, token)).status).toBe(200)
    clock.now = new Date(Date.parse(clock.now) + 16 * 60_000).toISOString()
    await removeUsedLogoutTokens(server.deps)
    expect(await send(server, token)).toMatchObject(refusal)
  })

  test.runIf(onSqlite).each<[string, Record<string, unknown>]>([
    ['of another issuer', { iss: 'https://accounts.example.test' }],
    ['of another audience', { aud: 'another-client' }],
    ['without an audience', { aud: undefined }],
    ['without a time', { iat: undefined }],
    ['from the future', { iat: seconds() + 300 }],
    ['older than ten minutes', { iat: seconds() - 800 }],
    ['that has expired', { exp: seconds() - 120 }],
    ['without an id', { jti: undefined }],
    ['without events', { events: undefined }],
    ['with another event', { events: { 'https://example.test/event': {} } }],
    ['with a list of events', { events: ['http://schemas.openid.net/event/backchannel-logout'] }],
    ['with a nonce', { nonce: 'x' }],
    ['without subject and session', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a number as its session', { sid: 7 }],
  ])('%s is refused', async (_title, claims) => {
    const { provider, server } = await start()
    const signedIn = await signInAt(server, provider, nadia)
    expect(await send(server, await provider.sign({ ...logoutClaims(provider), ...claims }))).toMatchObject(refusal)
    expect(await isSignedIn(server, signedIn)).toBe(true)
  })

  test.runIf(onSqlite)('needs a signature of the provider, and the type of a logout token', async () => {
    const { provider, server } = await start()
    const forger = await startScriptedProvider()
    const signedIn = await signInAt(server, provider, nadia)
    expect(await send(server, await forger.sign(logoutClaims(provider)))).toMatchObject(refusal)
    const { key, header } = provider.signing
    provider.signing = { key, header: { ...header, typ: 'at+jwt' } }
    expect(await send(server, await provider.sign(logoutClaims(provider)))).toMatchObject(refusal)
    const parts = [{ alg: 'none' }, logoutClaims(provider)].map((part) => Buffer.from(JSON.stringify(part)))
    const unsigned = `${parts.map((part) => part.toString('base64url')).join('.')}.`
    for (const token of [unsigned, '', 'x', 'a.b.c']) expect(await send(server, token)).toMatchObject(refusal)
    expect(await isSignedIn(server, signedIn)).toBe(true)
    provider.signing = { key, header: { ...header, typ: 'logout+jwt' } }
    expect((await send(server, await provider.sign(logoutClaims(provider)))).status).toBe(200)
  })

  test.runIf(onSqlite)(
    'is refused when it is missing, and while the keys of the provider cannot be loaded',
    async () => {
      const { provider, server } = await start()
      expect(await server.anonymous.post('//-/oidc/corp/backchannel_logout')).toMatchObject(refusal)
      const token = await provider.sign(logoutClaims(provider))
      provider.respond.set('/.well-known/openid-configuration', { status: 503, body: '{}' })
      expect(await send(server, token)).toMatchObject(refusal)
      provider.respond.clear()
      expect((await send(server, token)).status).toBe(200)
      expect((await send(server, token, 'unknown')).status).toBe(404)
    },
  )

  test.runIf(onSqlite)('is limited per address when it is invalid, and never when it is valid', async () => {
    const lines: Record<string, unknown>[] = []
    const { provider, server } = await start({}, { log: (line) => lines.push(line) })
    const statuses = []
    for (let count = 0; count < 11; count++) statuses.push((await send(server, 'x')).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429])
    expect(lines.filter(({ event }) => event === 'logout_token.refused')).toHaveLength(10)
    expect((await send(server, await provider.sign(logoutClaims(provider)))).status).toBe(200)
  })

  test('of many sent at once ends every session, and one that is sent twice at once counts once', async () => {
    const { provider, server } = await start()
    const signedIn = []
    for (let sid = 0; sid < 20; sid++) signedIn.push(await signInAt(server, provider, { ...nadia, sid: `s-${sid}` }))
    const claims = signedIn.map((_, sid) => ({ ...logoutClaims(provider), sid: `s-${sid}` }))
    const signed = await Promise.all(claims.map((claim) => provider.sign(claim)))
    const replies = await Promise.all([...signed, ...signed].map((token) => send(server, token)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20)
    for (const reply of signedIn) expect(await isSignedIn(server, reply)).toBe(false)
  })

  test.runIf(testEngine === 'postgres')('ends the session in every process before the response', async () => {
    const database = await freshDatabase()
    const provider = await startScriptedProvider()
    const settings = { oidc: { providers: [provider.settings], reachesPrivate: true } }
    const here = await startServer({ database, settings })
    const there = await startServer({ database: { db: await database.openSecond(), drop: async () => {} }, settings })
    for (let round = 0; round < 10; round++) {
      const signedIn = await signInAt(here, provider, nadia)
      expect(await isSignedIn(there, signedIn)).toBe(true)
      expect((await send(here, await provider.sign(logoutClaims(provider)))).status).toBe(200)
      expect(await isSignedIn(there, signedIn)).toBe(false)
    }
  })
})

const refusal = {
  status: 400,
  headers: { 'cache-control': 'no-store', 'content-type': 'application/json' },
  body: { error: 'invalid_request', error_description: expect.any(String) },
}
