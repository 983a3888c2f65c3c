import { describe, expect, test } from 'vitest'
import { addPasskey, browserOf, password, setUpTotp, signIn } from '../../../testing/second-factors.ts'
import { startServer } from '../../../testing/server.ts'

const refused = { status: 403, body: { error: 'second_factor_required' } }

describe('with a second factor required of administrators', () => {
  test('their sessions can only set one up and sign out, until they have', async () => {
    const server = await startServer({ settings: { requiredSecondFactor: 'administrators' } })
    const token = await server.user('chief', { admin: true })
    const chief = browserOf(server, await signIn(server, 'chief'))
    expect((await chief.get('//-/session')).body).toMatchObject({
      user: { username: 'chief' },
      must_set_up_second_factor: true,
    })
    for (const path of ['/user', '/projects', '/topics', '/users', '//-/sessions']) {
      expect([path, await chief.get(path)]).toMatchObject([path, refused])
    }
    expect(await chief.post('//-/personal_access_tokens', { name: 'x', scopes: ['api'] })).toMatchObject(refused)
    expect(await chief.put('//-/password', { current_password: password, password: 'x' })).toMatchObject(refused)
    // Tokens keep working, and so do sessions that they have started.
    expect((await token.get('/user')).status).toBe(200)
    const byToken = browserOf(server, await server.anonymous.post('//-/sessions', { token: token.token }))
    expect((await byToken.get('/user')).status).toBe(200)

    expect((await chief.post('//-/sessions/confirm', { password })).status).toBe(204)
    await setUpTotp(server, chief)
    expect((await chief.get('/user')).status).toBe(200)
    expect((await chief.get('//-/session')).body.must_set_up_second_factor).toBe(false)
    expect(await chief.delete('//-/second_factors/totp')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('Two-factor authentication is required.') },
    })
    await addPasskey(chief)
    expect((await chief.delete('//-/second_factors/totp')).status).toBe(204)
    expect((await chief.delete('//-/sessions')).status).toBe(200)
    expect((await signIn(server, 'chief')).status).toBe(202)
  })

  test('other users are not affected until they become administrators', async () => {
    const server = await startServer({ settings: { requiredSecondFactor: 'administrators' } })
    const { user } = await server.user('nadia')
    const nadia = browserOf(server, await signIn(server, 'nadia'))
    expect((await nadia.get('/user')).status).toBe(200)
    await server.admin.put(`/users/${user?.id}`, { admin: true })
    expect(await nadia.get('/user')).toMatchObject(refused)
    expect((await nadia.delete('//-/sessions')).status).toBe(200)
  })
})

test('with a second factor required of everyone, all sessions of a password need one', async () => {
  const server = await startServer({ settings: { requiredSecondFactor: 'everyone' } })
  await server.user('nadia')
  const nadia = browserOf(server, await signIn(server, 'nadia'))
  expect(await nadia.get('/user')).toMatchObject(refused)
  expect((await nadia.get('//-/second_factors')).body.is_required).toBe(true)
  await addPasskey(nadia)
  expect((await nadia.get('/user')).status).toBe(200)
})
