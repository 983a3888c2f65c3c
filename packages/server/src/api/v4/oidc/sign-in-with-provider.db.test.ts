import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { OidcProvider } from '../../../platform/settings/oidc-settings.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { begin, complete, cookiesOf, problemIn, sessionOf, signInAt } from '../../../testing/provider-sign-in.ts'
import { startServer, type TestOptions } from '../../../testing/server.ts'
import { startScriptedProvider } from '../../../testing/stand-ins/scripted-provider.ts'

const nadia = {
  sub: 'n-1',
  preferred_username: 'nadia',
  name: 'Nadia Noor',
  email: 'nadia@corp.test',
  email_verified: true,
}

async function start(settings: Partial<OidcProvider> = {}, options: TestOptions = {}) {
  const provider = await startScriptedProvider(settings)
  const oidc = { providers: [provider.settings], reachesPrivate: true }
  const server = await startServer({ ...options, settings: { oidc, ...options.settings } })
  return { provider, server }
}

test.runIf(onSqlite)(
  'a first sign-in creates a user with the claims of the provider and opens the requested page',
  async () => {
    const { provider, server } = await start()
    const reply = await signInAt(server, provider, nadia, { to: '/acme/site?tab=1#top' })
    expect(reply).toMatchObject({ status: 303, headers: { location: '/acme/site?tab=1#top' } })
    expect(await sessionOf(server, reply)).toMatchObject({
      user: { username: 'nadia', name: 'Nadia Noor' },
      is_admin: false,
      has_password: false,
      signed_in_with: 'provider',
      provider: 'corp',
      providers: [{ key: 'corp', name: 'Corp' }],
      scopes: ['api', 'admin_mode'],
    })
    const [user] = (await server.admin.get('/users?username=nadia')).body
    expect(user).toMatchObject({ email: 'nadia@corp.test', namespace_id: expect.any(Number) })
  },
)

test.runIf(onSqlite)(
  'later sign-ins reach the same user by issuer and subject, whatever the other claims are',
  async () => {
    const { provider, server } = await start()
    const first = await sessionOf(server, await signInAt(server, provider, nadia))
    const renamed = { sub: 'n-1', preferred_username: 'root', email: 'root@alcove.invalid', email_verified: true }
    expect((await sessionOf(server, await signInAt(server, provider, renamed))).user.id).toBe(first.user.id)
    expect(
      (await sessionOf(server, await signInAt(server, provider, { ...nadia, sub: 'n-2', email: '' }))).user,
    ).toMatchObject({
      username: 'nadia-1',
    })
  },
)

test.runIf(onSqlite)(
  'the request to the provider has PKCE, state and nonce, and the code is exchanged with the verifier',
  async () => {
    const { provider, server } = await start()
    const { url, cookie } = await begin(server)
    const asked = Object.fromEntries(url.searchParams)
    expect(asked).toMatchObject({
      response_type: 'code',
      client_id: 'alcove',
      scope: 'openid profile email',
      code_challenge_method: 'S256',
      redirect_uri: 'http://localhost/-/oidc/corp/callback',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]).toMatch(/^[\w-]{43}$/)
    provider.nonce = asked['nonce']
    provider.claims = nadia
    await complete(server, { url, cookie })
    const verifier = provider.lastExchange.get('code_verifier') ?? ''
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(asked['code_challenge'])
  },
)

test.runIf(onSqlite)(
  'usernames keep only what a username may contain, and get a suffix when they are taken',
  async () => {
    const { provider, server } = await start()
    await server.admin.post('/groups', { name: 'taken', path: 'ops' })
    const names: [Record<string, unknown>, string][] = [
      [{ preferred_username: 'Zoë.Müller@corp.test' }, 'Zoe.Muller'],
      [{ preferred_username: '../../admin.git' }, 'admin-1'],
      [{ preferred_username: 'root' }, 'root-1'],
      [{ preferred_username: 'ops' }, 'ops-1'],
      [{ preferred_username: ['a'], email: 'mail.box@corp.test' }, 'mail.box'],
      [{ preferred_username: '***', name: '李小龙' }, 'user'],
      [{ preferred_username: '***', name: '李小龙' }, 'user-1'],
    ]
    for (const [index, [claims, username]] of names.entries()) {
      const session = await sessionOf(server, await signInAt(server, provider, { sub: `s-${index}`, ...claims }))
      expect(session.user?.username, JSON.stringify(claims)).toBe(username)
    }
  },
)

test.runIf(onSqlite)('an unverified e-mail address is not stored', async () => {
  const { provider, server } = await start()
  await signInAt(server, provider, { ...nadia, email_verified: false })
  const [user] = (await server.admin.get('/users?username=nadia')).body
  expect(user.email).toMatch(/@noreply\.alcove\.invalid$/)
})

test.runIf(onSqlite)(
  'an existing user is linked by verified e-mail address only where the setting allows it',
  async () => {
    const cautious = await start()
    await cautious.server.user('nadia')
    const claims = { ...nadia, email: 'Nadia@Example.test' }
    expect(problemIn(await signInAt(cautious.server, cautious.provider, claims))).toBe('email_taken')

    const { provider, server } = await start({ linksByEmail: true })
    const existing = await server.user('nadia')
    const unverified = await signInAt(server, provider, { ...claims, email_verified: false })
    expect((await sessionOf(server, unverified)).user.id).not.toBe(existing.user?.id)
    const linked = await sessionOf(server, await signInAt(server, provider, { ...claims, sub: 'n-2' }))
    expect(linked.user.id).toBe(existing.user?.id)
    // The provider has given the address to another account.
    expect(problemIn(await signInAt(server, provider, { ...claims, sub: 'n-3' }))).toBe('email_taken')
  },
)

test.runIf(onSqlite)('users are not created where the setting forbids it, and need a required claim', async () => {
  const closed = await start({ createsUsers: false })
  expect(problemIn(await signInAt(closed.server, closed.provider, nadia))).toBe('no_account')
  expect((await closed.server.admin.get('/users?username=nadia')).body).toEqual([])

  const requires = [{ claim: 'realm.groups', value: 'staff' }]
  const { provider, server } = await start({ requires })
  for (const groups of ['staf', ['guests'], [['staff']], { staff: true }, undefined]) {
    expect(problemIn(await signInAt(server, provider, { ...nadia, realm: { groups } }))).toBe('not_allowed')
  }
  expect((await server.admin.get('/users?username=nadia')).body).toEqual([])
  expect(problemIn(await signInAt(server, provider, { ...nadia, realm: { groups: ['staff', 'x'] } }))).toBeNull()
})

test.each(['block', 'ban', 'deactivate'])('a user after %s cannot sign in and stays so', async (change) => {
  const { provider, server } = await start()
  const { user } = await sessionOf(server, await signInAt(server, provider, nadia))
  await server.admin.post(`/users/${user.id}/${change}`)
  const reply = await signInAt(server, provider, nadia)
  expect(problemIn(reply)).toBe('blocked')
  expect(reply.cookies).toEqual([])
  expect((await server.admin.get(`/users/${user.id}`)).body.state).not.toBe('active')
})

test.runIf(onSqlite)('claims of the userinfo endpoint are added, and those of the signed ID token win', async () => {
  const { provider, server } = await start({ readsUserInfo: true })
  provider.userInfo = { preferred_username: 'from-userinfo', name: 'From userinfo' }
  const session = await sessionOf(server, await signInAt(server, provider, { sub: 'n-1', name: 'From the token' }))
  expect(session.user).toMatchObject({ username: 'from-userinfo', name: 'From the token' })
})

test('first sign-ins of one account that began together create one user', async () => {
  const { provider, server } = await start()
  const begun = await Promise.all([begin(server), begin(server), begin(server)])
  const replies = []
  for (const one of begun) {
    provider.nonce = one.url.searchParams.get('nonce') ?? undefined
    provider.claims = nadia
    replies.push(await complete(server, one))
  }
  const ids = await Promise.all(replies.map(async (reply) => (await sessionOf(server, reply)).user?.id))
  expect(new Set(ids).size).toBe(1)
})

test.runIf(onSqlite)('a session is reauthenticated by the same account at its provider', async () => {
  const clock = { now: new Date().toISOString() }
  const { provider, server } = await start({}, { clock })
  const signedIn = await signInAt(server, provider, nadia)
  const session = cookiesOf(signedIn)
  const list = () => server.anonymous.get('//-/sessions', { headers: { cookie: session } })
  expect((await list()).status).toBe(200)
  clock.now = new Date(Date.parse(clock.now) + 16 * 60_000).toISOString()
  expect(await list()).toMatchObject({ status: 403, body: { error: 'reauthentication_required' } })

  const at = (seconds: number) => Math.floor(Date.parse(clock.now) / 1000) + seconds
  const times = () => ({ iat: at(0), exp: at(300) })
  const confirm = async (claims: object) => {
    const begun = await begin(server, { confirm: true, to: '/-/profile' }, session)
    expect(begun.url.searchParams.get('prompt')).toBe('login')
    provider.nonce = begun.url.searchParams.get('nonce') ?? undefined
    provider.claims = { ...nadia, ...times(), ...claims }
    return complete(server, begun)
  }
  expect(problemIn(await confirm({ sub: 'n-2' }))).toBe('other_user')
  expect(problemIn(await confirm({ auth_time: at(-120) }))).toBe('invalid')
  expect((await list()).status).toBe(403)
  const confirmed = await confirm({ auth_time: at(0) })
  expect(confirmed).toMatchObject({ status: 303, headers: { location: '/-/profile' } })
  expect(confirmed.cookies).toEqual([])
  expect((await list()).status).toBe(200)
})

test.runIf(onSqlite)('a sign-in long ago at the provider is not a recent authentication here', async () => {
  const { provider, server } = await start()
  const auth_time = Math.floor(Date.now() / 1000) - 3600
  const cookie = cookiesOf(await signInAt(server, provider, { ...nadia, auth_time }))
  const reply = await server.anonymous.get('//-/sessions', { headers: { cookie } })
  expect(reply).toMatchObject({ status: 403, body: { error: 'reauthentication_required' } })
})

test.runIf(onSqlite)('admin mode needs a recent authentication instead of a password', async () => {
  const clock = { now: new Date().toISOString() }
  const { provider, server } = await start({ linksByEmail: true }, { clock, settings: { adminMode: true } })
  await server.user('nadia', { admin: true })
  const cookie = cookiesOf(await signInAt(server, provider, { ...nadia, email: 'nadia@example.test' }))
  const enter = () => server.anonymous.post('//-/sessions/admin_mode', {}, { headers: { cookie } })
  const isAdmin = async () => (await server.anonymous.get('//-/session', { headers: { cookie } })).body.is_admin
  expect(await isAdmin()).toBe(false)
  expect((await enter()).status).toBe(204)
  expect(await isAdmin()).toBe(true)
  clock.now = new Date(Date.parse(clock.now) + 16 * 60_000).toISOString()
  expect((await enter()).status).toBe(403)
})
