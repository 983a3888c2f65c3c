import { beforeEach, describe, expect, test } from 'vitest'
import { removeExpiredChallenges } from '../../../domain/second-factors/challenges.ts'
import { createAuthenticator } from '../../../testing/authenticator.ts'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { addPasskey, browserOf, codeAt, password, setUpTotp, signIn } from '../../../testing/second-factors.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

const start = '2026-05-01T10:00:00.000Z'
const later = (seconds: number) => new Date(Date.parse(start) + seconds * 1000).toISOString()

let server: TestServer
let clock: { now: string }
let nadia: Client
let browser: Client
beforeEach(async () => {
  clock = { now: start }
  server = await startServer({ clock })
  nadia = await server.user('nadia')
  browser = browserOf(server, await signIn(server, 'nadia'))
})

const complete = (challenge: string, proof: object) =>
  server.anonymous.post('//-/sessions/second_factor', { challenge, ...proof })
const challengeFor = async (login: string): Promise<string> => (await signIn(server, login)).body.challenge
const passkeyOptions = async (challenge?: string) =>
  (await server.anonymous.post('//-/passkeys/challenge', { ...(challenge && { challenge }) })).body

describe('a sign-in with one-time codes', () => {
  test('gets no session for the password, and one for the code', async () => {
    const { secret, codes } = await setUpTotp(server, browser)
    expect(codes).toHaveLength(10)
    const first = await signIn(server, 'nadia')
    expect(first).toMatchObject({
      status: 202,
      cookies: [],
      body: { methods: ['totp', 'recovery_code'], expires_at: later(600) },
    })
    clock.now = later(30)
    const done = await complete(first.body.challenge, { code: codeAt(secret, clock.now) })
    expect(done).toMatchObject({ status: 201, body: { username: 'nadia' } })
    expect((await browserOf(server, done).get('/user')).body).toMatchObject({ two_factor_enabled: true })
  })

  test('accepts each code once, and none of an earlier step', async () => {
    const { secret } = await setUpTotp(server, browser)
    // The code of the set-up is used up too.
    expect((await complete(await challengeFor('nadia'), { code: codeAt(secret, start) })).status).toBe(401)
    clock.now = later(60)
    const code = codeAt(secret, clock.now)
    const [one, other] = [await challengeFor('nadia'), await challengeFor('nadia')]
    const both = await Promise.all([complete(one, { code }), complete(other, { code })])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401])
    expect((await complete(await challengeFor('nadia'), { code: codeAt(secret, later(30)) })).status).toBe(401)
  })

  test.each(['a link', 'an administrator', 'the user'])(
    'ends a sign-in that waits for a code when %s changes the password',
    async (by) => {
      const { codes } = await setUpTotp(server, browser)
      const waiting = await challengeFor('nadia')
      const id = nadia.user?.id
      const changed = 'another horse battery'
      if (by === 'the user') {
        const own = browserOf(server, await complete(await challengeFor('nadia'), { code: codes[0] }))
        await own.put('//-/password', { current_password: password, password: changed })
      } else if (by === 'an administrator') {
        await server.admin.put(`/users/${id}`, { password: changed })
      } else {
        const { token } = (await server.admin.post(`/users/${id}/password_links`)).body
        const set = await server.anonymous.post('//-/password', { token, password: changed })
        // The sign-in that the link has begun needs a code, too.
        expect(await complete(set.body.challenge, { code: codes[1] })).toMatchObject({ status: 201 })
      }
      expect(await complete(waiting, { code: codes[2] })).toMatchObject({ status: 400 })
      const next = await server.anonymous.post('//-/sessions', { login: 'nadia', password: changed })
      expect(await complete(next.body.challenge, { code: codes[2] })).toMatchObject({ status: 201 })
    },
  )

  test('uses a challenge once, for ten minutes', async () => {
    const { codes } = await setUpTotp(server, browser)
    const expired = { status: 400, body: { message: 'This sign-in has expired. Enter your password again.' } }
    const challenge = await challengeFor('nadia')
    const both = await Promise.all([complete(challenge, { code: codes[0] }), complete(challenge, { code: codes[1] })])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(await complete(challenge, { code: codes[2] })).toMatchObject(expired)
    const old = await challengeFor('nadia')
    clock.now = later(600)
    expect(await complete(old, { code: codes[2] })).toMatchObject(expired)
    await removeExpiredChallenges(server.deps)
    expect(await complete('unknown', { code: codes[2] })).toMatchObject(expired)
    // The code of the refused request is not used up.
    expect((await complete(await challengeFor('nadia'), { code: codes[2] })).status).toBe(201)
  })

  test.runIf(onSqlite)('limits wrong codes for the user, whatever the challenge', async () => {
    const { codes } = await setUpTotp(server, browser)
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await complete(await challengeFor('nadia'), { code: '000000' })).status).toBe(401)
    }
    expect((await complete(await challengeFor('nadia'), { code: codes[0] })).status).toBe(429)
    clock.now = later(300)
    const challenge = await challengeFor('nadia')
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await complete(challenge, { code: 'wrong' })).status).toBe(401)
    }
    expect((await complete(challenge, { code: codes[0] })).status).toBe(201)
    // A success resets the count.
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await complete(await challengeFor('nadia'), { code: '000000' })).status).toBe(401)
    }
  })

  test.runIf(onSqlite)('responds as for any user when the password is wrong', async () => {
    await setUpTotp(server, browser)
    await server.user('omar')
    const wrong = (login: string) => server.anonymous.post('//-/sessions', { login, password: 'wrong' })
    const [withFactor, without] = [await wrong('nadia'), await wrong('omar')]
    expect(withFactor.status).toBe(401)
    expect(withFactor.text).toBe(without.text)
  })

  test('is asked for after a password link, and not of tokens', async () => {
    const { codes } = await setUpTotp(server, browser)
    const { body } = await server.admin.post(`/users/${nadia.user?.id}/password_links`)
    const link = { token: body.token, password: 'another horse battery' }
    const changed = await server.anonymous.post('//-/password', link)
    expect(changed).toMatchObject({ status: 202, cookies: [] })
    expect((await complete(changed.body.challenge, { code: codes[0] })).status).toBe(201)
    expect((await nadia.get('/user')).status).toBe(200)
    expect((await server.anonymous.post('//-/sessions', { token: nadia.token })).status).toBe(201)
  })
})

describe('a recovery code', () => {
  test('signs in once, also of two requests at once', async () => {
    const { codes } = await setUpTotp(server, browser)
    const [one, other] = [await challengeFor('nadia'), await challengeFor('nadia')]
    const both = await Promise.all([complete(one, { code: codes[0] }), complete(other, { code: codes[0] })])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401])
    const written = codes[1]?.toUpperCase().replaceAll('-', ' ')
    expect((await complete(await challengeFor('nadia'), { code: written })).status).toBe(201)
    expect((await browser.get('//-/second_factors')).body).toMatchObject({ recovery_codes: 8 })
  })

  test.runIf(onSqlite)('is replaced with the others', async () => {
    expect(await browser.post('//-/second_factors/recovery_codes')).toMatchObject({ status: 400 })
    const { codes } = await setUpTotp(server, browser)
    const renewed = await browser.post('//-/second_factors/recovery_codes')
    expect(new Set([...codes, ...renewed.body.recovery_codes]).size).toBe(20)
    expect((await complete(await challengeFor('nadia'), { code: codes[0] })).status).toBe(401)
    const [code] = renewed.body.recovery_codes
    expect((await complete(await challengeFor('nadia'), { code })).status).toBe(201)
  })
})

describe('a passkey', () => {
  test.runIf(onSqlite)(
    'signs in without a username, and its session is confirmed with it or with the password',
    async () => {
      const { authenticator, added } = await addPasskey(browser)
      expect(added).toMatchObject({ passkey: { name: 'Laptop', last_used_at: null } })
      expect(added.recovery_codes).toHaveLength(10)
      const credential = authenticator.use(await passkeyOptions())
      const done = await server.anonymous.post('//-/sessions/passkey', { credential })
      expect(done).toMatchObject({ status: 201, body: { username: 'nadia' } })
      const mine = browserOf(server, done)
      expect((await mine.get('//-/session')).body).toMatchObject({ signed_in_with: 'passkey', has_password: false })
      expect((await mine.get('//-/second_factors')).body.passkeys).toMatchObject([{ last_used_at: start }])
      clock.now = later(16 * 60)
      expect((await mine.get('//-/sessions')).status).toBe(403)
      const proof = { passkey: authenticator.use(await passkeyOptions()) }
      expect((await mine.post('//-/sessions/confirm', proof)).status).toBe(204)
      expect((await mine.get('//-/sessions')).status).toBe(200)
      expect((await mine.post('//-/sessions/confirm', { password })).status).toBe(204)
    },
  )

  test.runIf(onSqlite)('is the second step after the password', async () => {
    const { authenticator } = await addPasskey(browser)
    const { body } = await signIn(server, 'nadia')
    expect(body.methods).toEqual(['passkey', 'recovery_code'])
    const options = await passkeyOptions(body.challenge)
    expect(options.allowCredentials).toHaveLength(1)
    const passkey = authenticator.use(options)
    expect((await complete(body.challenge, { passkey })).status).toBe(201)
  })

  test('is rejected when its response is repeated, of another origin, or without verification of the user', async () => {
    const { authenticator } = await addPasskey(browser)
    const attempt = (credential: object) => server.anonymous.post('//-/sessions/passkey', { credential })
    const used = authenticator.use(await passkeyOptions())
    const both = await Promise.all([attempt(used), attempt(used)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401])
    expect((await attempt(authenticator.use(await passkeyOptions(), { origin: 'http://evil.test' }))).status).toBe(401)
    expect((await attempt(authenticator.use(await passkeyOptions(), { flags: 1 }))).status).toBe(401)
    expect((await attempt(authenticator.use({ challenge: 'bm90IG91cnM' }))).status).toBe(401)
    expect((await attempt(createAuthenticator().use(await passkeyOptions()))).status).toBe(401)
    expect((await attempt({ id: 7, response: { clientDataJSON: '%' } })).status).toBe(401)
    clock.now = later(600)
    expect((await attempt(authenticator.use(await passkeyOptions()))).status).toBe(201)
  })

  test('is rejected when its counter does not grow, as that of a copy', async () => {
    const { authenticator } = await addPasskey(browser)
    const attempt = async () =>
      server.anonymous.post('//-/sessions/passkey', { credential: authenticator.use(await passkeyOptions()) })
    authenticator.count = 10
    expect((await attempt()).status).toBe(201)
    authenticator.count = 9
    expect((await attempt()).status).toBe(401)
  })

  test('cannot be added twice, or by another user', async () => {
    const authenticator = createAuthenticator()
    const add = async (by: Client) => {
      const options = await by.post('//-/passkeys/options')
      return by.post('//-/passkeys', { name: 'Key', credential: authenticator.create(options.body) })
    }
    expect((await add(browser)).status).toBe(201)
    expect(await add(browser)).toMatchObject({ status: 400 })
    await server.user('omar')
    const omar = browserOf(server, await signIn(server, 'omar'))
    expect(await add(omar)).toMatchObject({ status: 400, body: { message: 'This passkey is already registered.' } })
    // The challenge belongs to the user who began.
    const options = await browser.post('//-/passkeys/options')
    const credential = createAuthenticator().create(options.body)
    expect(await omar.post('//-/passkeys', { name: 'Key', credential })).toMatchObject({ status: 400 })
    expect((await omar.get('/user')).body.two_factor_enabled).toBe(false)
  })

  test('can be renamed and removed by its user', async () => {
    const { added } = await addPasskey(browser)
    const path = `//-/passkeys/${added.passkey.id}`
    expect((await browser.put(path, { name: ' Phone ' })).body).toMatchObject({ name: 'Phone' })
    expect(await browser.put(path, { name: ' ' })).toMatchObject({ status: 400 })
    expect(await browser.put(path, { name: 'x'.repeat(101) })).toMatchObject({ status: 400 })
    await server.user('omar')
    const omar = browserOf(server, await signIn(server, 'omar'))
    expect((await omar.put(path, { name: 'Mine' })).status).toBe(404)
    expect((await omar.delete(path)).status).toBe(404)
    expect((await browser.delete(path)).status).toBe(204)
    expect((await browser.delete(path)).status).toBe(404)
    expect((await signIn(server, 'nadia')).status).toBe(201)
  })
})

describe.runIf(onSqlite)('the second factors of a user', () => {
  test('end the other sessions when the first one is set up, and recovery codes with the last', async () => {
    const other = browserOf(server, await signIn(server, 'nadia'))
    const { codes } = await setUpTotp(server, browser)
    expect((await other.get('/user')).status).toBe(401)
    expect((await browser.get('/user')).status).toBe(200)
    const { added } = await addPasskey(browser)
    expect(added.recovery_codes).toBeNull()
    expect((await browser.delete('//-/second_factors/totp')).status).toBe(204)
    expect((await browser.delete('//-/second_factors/totp')).status).toBe(404)
    expect((await signIn(server, 'nadia')).status).toBe(202)
    expect((await browser.delete(`//-/passkeys/${added.passkey.id}`)).status).toBe(204)
    expect((await browser.get('//-/second_factors')).body).toEqual({
      totp_since: null,
      passkeys: [],
      recovery_codes: 0,
      is_required: false,
    })
    const again = await setUpTotp(server, browserOf(server, await signIn(server, 'nadia')))
    expect(again.codes.some((code) => codes.includes(code))).toBe(false)
  })

  test('can be managed for 15 minutes after the password was entered, in sessions of a password only', async () => {
    const forbidden = { status: 403 }
    const byToken = browserOf(server, await server.anonymous.post('//-/sessions', { token: nadia.token }))
    expect(await nadia.post('//-/second_factors/totp')).toMatchObject(forbidden)
    expect(await byToken.post('//-/second_factors/totp')).toMatchObject(forbidden)
    expect(await nadia.put('//-/passkeys/1', { name: 'Mine' })).toMatchObject(forbidden)
    clock.now = later(16 * 60)
    const refused = { status: 403, body: { error: 'reauthentication_required' } }
    expect(await browser.post('//-/second_factors/totp')).toMatchObject(refused)
    expect(await browser.post('//-/passkeys/options')).toMatchObject(refused)
    expect(await browser.post('//-/second_factors/recovery_codes')).toMatchObject(refused)
    expect(await browser.get('//-/second_factors')).toMatchObject({ status: 200 })
  })

  test('need a right code to be set up, and keep the earlier app until then', async () => {
    const { secret } = await setUpTotp(server, browser)
    const { body } = await browser.post('//-/second_factors/totp')
    const finish = (code: string) => browser.put('//-/second_factors/totp', { challenge: body.challenge, code })
    expect(await finish('000000')).toMatchObject({ status: 400, body: { message: { code: ['is invalid'] } } })
    clock.now = later(30)
    const signed = await complete(await challengeFor('nadia'), { code: codeAt(secret, clock.now) })
    expect(signed.status).toBe(201)
    const replaced = await finish(codeAt(body.secret, clock.now))
    expect(replaced).toMatchObject({ status: 200, body: { recovery_codes: null } })
    expect(await finish(codeAt(body.secret, clock.now))).toMatchObject({ status: 400 })
    clock.now = later(90)
    expect((await complete(await challengeFor('nadia'), { code: codeAt(secret, clock.now) })).status).toBe(401)
    expect((await complete(await challengeFor('nadia'), { code: codeAt(body.secret, clock.now) })).status).toBe(201)
  })
})

describe('PATCH /users/:id/disable_two_factor', () => {
  test('removes the second factors of a user who is not an administrator', async () => {
    await setUpTotp(server, browser)
    await addPasskey(browser)
    const path = `/users/${nadia.user?.id}/disable_two_factor`
    expect((await nadia.patch(path)).status).toBe(403)
    expect((await server.admin.patch('/users/99999/disable_two_factor')).status).toBe(404)
    const enabled = () => server.admin.get('/users?two_factor=enabled').then(({ body }) => body.length)
    expect(await enabled()).toBe(1)
    expect(await server.admin.patch(path)).toMatchObject({ status: 204, text: '' })
    expect(await enabled()).toBe(0)
    expect(await server.admin.patch(path)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Two-factor authentication is not enabled for this user' },
    })
    expect((await signIn(server, 'nadia')).status).toBe(201)
    await server.admin.put(`/users/${nadia.user?.id}`, { admin: true })
    expect(await server.admin.patch(path)).toMatchObject({ status: 403 })
  })
})
