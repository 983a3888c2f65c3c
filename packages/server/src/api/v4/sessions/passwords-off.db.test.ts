import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { openApp } from '../../../app.ts'
import { endUnconfiguredSessions } from '../../../domain/oidc/configured-sessions.ts'
import { createSignInLink, removeExpiredSignInLinks } from '../../../domain/sign-in/sign-in-links.ts'
import { readSettings } from '../../../platform/settings/settings.ts'
import { createClient } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { cookiesOf, sessionOf, signInAt } from '../../../testing/provider-sign-in.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import { startScriptedProvider } from '../../../testing/stand-ins/scripted-provider.ts'

const password = 'correct horse battery'
const refusal = {
  status: 403,
  body: { message: 'Passwords are turned off on this server. Sign in with an identity provider.' },
}

/** Starts a server with passwords, and a second process on its database that has them turned off. */
async function start() {
  const server = await startServer()
  await server.user('ada', { admin: true })
  const deps = { ...server.deps, settings: { ...server.deps.settings, hasPasswords: false } }
  const { server: app } = await openApp(deps)
  const off: TestServer = {
    ...server,
    deps,
    anonymous: createClient(app),
    admin: createClient(app, { token: server.admin.token ?? '' }),
  }
  return { server, off }
}

describe('with passwords turned off', () => {
  test.runIf(onSqlite)('the right password is refused as a wrong one is, for administrators too', async () => {
    const { off } = await start()
    for (const given of [password, 'wrong']) {
      expect(await off.anonymous.post('//-/sessions', { login: 'ada', password: given })).toMatchObject(refusal)
    }
    expect(await off.anonymous.post('//-/sessions', { login: 'unknown', password })).toMatchObject(refusal)
    expect((await off.anonymous.get('//-/session')).body).toMatchObject({ passwords: false, user: null })
  })

  test.runIf(onSqlite)('links that set a password are neither created nor accepted', async () => {
    const { server, off } = await start()
    const [{ id }] = (await server.admin.get('/users?username=ada')).body
    const { token } = (await server.admin.post(`/users/${id}/password_links`)).body
    expect(await off.admin.post(`/users/${id}/password_links`)).toMatchObject(refusal)
    const body = { token, password: 'another long password' }
    expect(await off.anonymous.post('//-/password', body)).toMatchObject(refusal)
    expect((await server.anonymous.post('//-/password', body)).status).toBe(201)
  })

  test.runIf(onSqlite)('passwords are not changed by their users or by administrators', async () => {
    const { server, off } = await start()
    const signedIn = await server.anonymous.post('//-/sessions', { login: 'ada', password })
    const headers = { cookie: cookiesOf(signedIn) }
    const change = { current_password: password, password: 'another long password' }
    expect(await off.anonymous.put('//-/password', change, { headers })).toMatchObject(refusal)
    expect(await off.anonymous.post('//-/sessions/confirm', { password }, { headers })).toMatchObject(refusal)
    const [{ id }] = (await server.admin.get('/users?username=ada')).body
    expect(await off.admin.put(`/users/${id}`, { password: 'another long password' })).toMatchObject(refusal)
    const account = { username: 'new', name: 'New', email: 'new@example.test' }
    expect(await off.admin.post('/users', { ...account, password: 'another long password' })).toMatchObject(refusal)
    expect((await off.admin.post('/users', { ...account, force_random_password: true })).status).toBe(201)
    expect((await server.anonymous.post('//-/sessions', { login: 'ada', password })).status).toBe(201)
  })

  test('sessions that began with a password end at the start, and others stay', async () => {
    const { server, off } = await start()
    const signedIn = await server.anonymous.post('//-/sessions', { login: 'ada', password })
    const byToken = await server.anonymous.post('//-/sessions', { token: server.admin.token })
    await endUnconfiguredSessions(server.deps)
    expect((await sessionOf(server, signedIn)).user).toMatchObject({ username: 'ada' })
    await endUnconfiguredSessions(off.deps)
    expect((await sessionOf(server, signedIn)).user).toBeNull()
    expect((await sessionOf(server, byToken)).user).toMatchObject({ username: 'root' })
  })

  test.runIf(onSqlite)('the settings need an identity provider', () => {
    expect(() => readSettings({ ALCOVE_PASSWORDS: 'off' })).toThrow(
      'ALCOVE_PASSWORDS is off, so ALCOVE_OIDC_PROVIDERS must name a provider to sign in with.',
    )
    const provider = {
      ALCOVE_OIDC_PROVIDERS: 'corp',
      ALCOVE_OIDC_CORP_ISSUER: 'https://id.example.test',
      ALCOVE_OIDC_CORP_CLIENT_ID: 'alcove',
    }
    expect(readSettings({ ALCOVE_PASSWORDS: 'off', ...provider }).hasPasswords).toBe(false)
    expect(readSettings({}).hasPasswords).toBe(true)
  })
})

test('sessions of a provider that was removed, or has another issuer, end at the start', async () => {
  const provider = await startScriptedProvider()
  const oidc = { providers: [provider.settings], reachesPrivate: true }
  const server = await startServer({ settings: { oidc } })
  const signIn = () => signInAt(server, provider, { sub: 'n-1', preferred_username: 'nadia' })
  const restart = (providers: (typeof provider.settings)[]) =>
    endUnconfiguredSessions({ ...server.deps, settings: { ...server.deps.settings, oidc: { ...oidc, providers } } })
  for (const providers of [[], [{ ...provider.settings, issuer: 'https://id.example.test' }]]) {
    const signedIn = await signIn()
    await restart([{ ...provider.settings, issuer: `${provider.issuer}/` }])
    expect((await sessionOf(server, signedIn)).user).toMatchObject({ username: 'nadia' })
    await restart(providers)
    expect((await sessionOf(server, signedIn)).user).toBeNull()
  }
})

describe('a sign-in link', () => {
  const redeem = ({ anonymous }: TestServer, link: string) => anonymous.post('//-/sessions', { link })

  test.runIf(onSqlite)('signs in an administrator once, without a password or a provider', async () => {
    const { off } = await start()
    const { secret } = await createSignInLink(off.deps, 'ADA')
    const signedIn = await redeem(off, secret)
    expect(signedIn).toMatchObject({ status: 201, body: { username: 'ada' } })
    const session = await off.anonymous.get('//-/session', { headers: { cookie: cookiesOf(signedIn) } })
    expect(session.body).toMatchObject({ user: { username: 'ada' }, is_admin: true, signed_in_with: 'link' })
    expect(await redeem(off, secret)).toMatchObject({ status: 401 })
  })

  test('is used by one of many requests', async () => {
    const { off } = await start()
    const { secret } = await createSignInLink(off.deps, 'ada@example.test')
    const replies = await Promise.all(Array.from({ length: 5 }, () => redeem(off, secret)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401, 401])
  })

  test('expires after 15 minutes, and is then removed', async () => {
    const clock = { now: new Date().toISOString() }
    const server = await startServer({ clock })
    const { secret } = await createSignInLink(server.deps, 'root')
    clock.now = new Date(Date.parse(clock.now) + 15 * 60_000).toISOString()
    expect((await redeem(server, secret)).status).toBe(401)
    await removeExpiredSignInLinks(server.deps)
    expect(await server.deps.db.all(sql`select * from sign_in_links`)).toEqual([])
  })

  test.runIf(onSqlite)('is for active administrators, when it is created and when it is used', async () => {
    const { server } = await start()
    const omar = await server.user('omar')
    const create = (login: string) => createSignInLink(server.deps, login)
    await expect(create('unknown-user')).rejects.toThrow('there is no user unknown-user')
    await expect(create('omar')).rejects.toThrow('omar is not an administrator')
    await server.admin.put(`/users/${omar.user?.id}`, { admin: true })
    const [{ secret: beforeBlock }, { secret: beforeLoss }] = [await create('omar'), await create('omar')]
    await server.admin.post(`/users/${omar.user?.id}/block`)
    await expect(create('omar')).rejects.toThrow('omar is not active (blocked)')
    expect((await redeem(server, beforeBlock)).status).toBe(401)
    await server.admin.post(`/users/${omar.user?.id}/unblock`)
    await server.admin.put(`/users/${omar.user?.id}`, { admin: false })
    expect((await redeem(server, beforeLoss)).status).toBe(401)
  })

  test.runIf(onSqlite)('is logged when it is created and used, without its secret, which is not stored', async () => {
    const lines: Record<string, unknown>[] = []
    const server = await startServer({ log: (line) => lines.push(line) })
    const { secret } = await createSignInLink(server.deps, 'root')
    expect(JSON.stringify(await server.deps.db.all(sql`select * from sign_in_links`))).not.toContain(secret)
    await redeem(server, secret)
    await redeem(server, secret)
    const events = lines.filter(({ method }) => method === 'link').map(({ event, username }) => [event, username])
    expect(events).toEqual([
      ['sign_in_link.created', 'root'],
      ['sign_in.succeeded', 'root'],
      ['sign_in.failed', undefined],
    ])
    expect(JSON.stringify(lines)).not.toContain(secret)
  })
})
