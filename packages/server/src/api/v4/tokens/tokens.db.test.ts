import { describe, expect, test } from 'vitest'
import { isMintedToken } from '../../../domain/tokens/tokens.ts'
import { type Client, createClient } from '../../../testing/client.ts'
import { startServer } from '../../../testing/server.ts'

const clock = { now: '2026-02-14T12:00:00.000Z' }
const server = await startServer({ clock })
const { admin, anonymous } = server
const nadia = await server.user('nadia')
const omar = await server.user('omar')
const nadiaId = nadia.user?.id
const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }

const tokenFields = [
  ...['id', 'name', 'revoked', 'created_at', 'description', 'scopes', 'user_id', 'last_used_at', 'active'],
  'expires_at',
]

async function issue(userId: number | undefined, change: Record<string, unknown> = {}) {
  const reply = await admin.post(`/users/${userId}/personal_access_tokens`, { name: 't', scopes: ['api'], ...change })
  expect(reply.status).toBe(201)
  return reply.body
}

function clientOf(issued: { token: string }) {
  return createClient(server.app, { token: issued.token })
}

describe('POST /users/:user_id/personal_access_tokens', () => {
  const path = `/users/${nadiaId}/personal_access_tokens`

  test('issues a working token, and shows its secret once', async () => {
    const { status, body } = await admin.post(path, {
      name: 'deploy',
      description: 'for the pipeline',
      scopes: ['read_api', 'read_user', 'read_api'],
      expires_at: '2026-12-31',
    })
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual([...tokenFields, 'token'])
    expect(body).toMatchObject({
      name: 'deploy',
      revoked: false,
      created_at: '2026-02-14T12:00:00.000Z',
      description: 'for the pipeline',
      scopes: ['read_api', 'read_user'],
      user_id: nadiaId,
      last_used_at: null,
      active: true,
      expires_at: '2026-12-31',
    })
    expect(isMintedToken(body.token)).toBe(true)
    expect((await clientOf(body).get('/user')).body.username).toBe('nadia')
    expect((await admin.get(`/personal_access_tokens/${body.id}`)).text).not.toContain(body.token)
  })

  test.each([
    ['JSON', { name: 'x', scopes: ['api', 'sudo'] }],
    ['JSON with a comma list', { name: 'x', scopes: 'api,sudo' }],
    ['a form', new URLSearchParams('name=x&scopes[]=api&scopes[]=sudo')],
  ])('accepts %s', async (_, body) => {
    expect(await admin.post(path, body)).toMatchObject({ status: 201, body: { scopes: ['api', 'sudo'] } })
  })

  test.each([{}, { expires_at: null }, { expires_at: '' }])('issues a token for 365 days with %j', async (change) => {
    expect(await issue(nadiaId, change)).toMatchObject({ expires_at: '2027-02-14' })
  })

  test('accepts an expiry date of today', async () => {
    expect(await issue(nadiaId, { expires_at: '2026-02-14' })).toMatchObject({ active: false, revoked: false })
  })

  test.each([
    [{ expires_at: '2027-02-15' }, 422, { message: 'Expiration date must be before 2027-02-14' }],
    [{ scopes: [] }, 422, { message: "Scopes can't be blank" }],
    [{ name: '' }, 422, { message: "Name can't be blank" }],
    [{ scopes: ['api', 'root'] }, 400, { error: 'scopes does not have a valid value' }],
    [{ expires_at: '2026-02-30' }, 400, { error: 'expires_at is invalid' }],
    [{ name: undefined, scopes: undefined }, 400, { error: 'name is missing, scopes is missing' }],
  ])('rejects %j', async (change, status, body) => {
    expect(await admin.post(path, { name: 't', scopes: ['api'], ...change })).toMatchObject({ status, body })
  })

  test('requires an administrator and an existing user', async () => {
    const draft = { name: 't', scopes: ['api'] }
    expect(await nadia.post(path, draft)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect(await anonymous.post(path, draft)).toMatchObject(unauthorized)
    expect(await admin.post('/users/999999/personal_access_tokens', draft)).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    })
    expect(await admin.post('/users/nadia/personal_access_tokens', draft)).toMatchObject({
      status: 400,
      body: { error: 'user_id is invalid' },
    })
  })
})

describe('POST /user/personal_access_tokens', () => {
  const path = '/user/personal_access_tokens'

  test('creates a token of narrow scope that lasts until tomorrow', async () => {
    const { status, body } = await nadia.post(path, { name: 'k', scopes: ['k8s_proxy', 'self_rotate'] })
    expect(status).toBe(201)
    expect(body).toMatchObject({ user_id: nadiaId, expires_at: '2026-02-15', active: true })
    expect(isMintedToken(body.token)).toBe(true)
  })

  test('rejects wider scopes and later expiry dates', async () => {
    for (const scope of ['api', 'read_user', 'sudo']) {
      expect(await nadia.post(path, { name: 'k', scopes: [scope] })).toMatchObject({
        status: 400,
        body: { error: 'scopes does not have a valid value' },
      })
    }
    expect(await nadia.post(path, { name: 'k', scopes: ['k8s_proxy'], expires_at: '2028-01-01' })).toMatchObject({
      status: 422,
      body: { message: 'Expiration date must be before 2027-02-14' },
    })
    expect(await anonymous.post(path, { name: 'k', scopes: ['k8s_proxy'] })).toMatchObject(unauthorized)
  })
})

describe('GET /personal_access_tokens', () => {
  test('lists the caller’s tokens, without secrets and impersonation tokens', async () => {
    const user = await server.user('lister')
    const id = user.user?.id
    const second = await issue(id, { name: 'second' })
    await admin.post(`/users/${id}/impersonation_tokens`, { name: 'hidden', scopes: ['api'] })

    const { status, body, text, headers } = await user.get('/personal_access_tokens')

    expect(status).toBe(200)
    expect(body.map((token: { name: string }) => token.name)).toEqual(['test', 'second'])
    expect(Object.keys(body[0])).toEqual([...tokenFields, 'last_used_ips'])
    expect(text).not.toContain(second.token)
    expect(headers['x-total']).toBe('2')
    expect((await user.get(`/personal_access_tokens?user_id=${id}`)).body).toHaveLength(2)
    expect((await admin.get(`/personal_access_tokens?user_id=${id}`)).body).toHaveLength(2)
  })

  test('lists all tokens for administrators', async () => {
    const { body } = await admin.get('/personal_access_tokens?per_page=100')
    const owners = new Set(body.map((token: { user_id: number }) => token.user_id))
    expect([...owners]).toEqual(expect.arrayContaining([1, nadiaId, omar.user?.id]))
  })

  test('rejects tokens of another or unknown user', async () => {
    expect(await nadia.get(`/personal_access_tokens?user_id=${omar.user?.id}`)).toMatchObject(unauthorized)
    expect(await nadia.get('/personal_access_tokens?user_id=999999')).toMatchObject(unauthorized)
    expect(await admin.get('/personal_access_tokens?user_id=999999')).toMatchObject({ status: 404 })
    expect(await anonymous.get('/personal_access_tokens')).toMatchObject(unauthorized)
    expect(await nadia.get('/personal_access_tokens?state=some')).toMatchObject({
      status: 400,
      body: { error: 'state does not have a valid value' },
    })
  })

  test('can be filtered and sorted', async () => {
    const clock = { now: '2026-03-01T08:00:00.000Z' }
    const server = await startServer({ clock })
    const user = await server.user('filter')
    const { body: self } = await user.get('/personal_access_tokens/self')
    const path = `/users/${user.user?.id}/personal_access_tokens`
    const create = async (name: string, at: string, expires_at: string) => {
      clock.now = at
      return (await server.admin.post(path, { name, scopes: ['read_api'], expires_at })).body
    }
    const alpha = await create('Alpha', '2026-03-02T08:00:00.000Z', '2026-04-01')
    const beta = await create('beta', '2026-03-03T08:00:00.000Z', '2026-03-20')
    const gamma = await create('Gamma 100%', '2026-03-04T08:00:00.000Z', '2026-05-01')
    await server.admin.delete(`/personal_access_tokens/${gamma.id}`)
    await createClient(server.app, { token: alpha.token }).get('/user')
    await expect
      .poll(async () => (await user.get(`/personal_access_tokens/${alpha.id}`)).body.last_used_at)
      .toBe('2026-03-04T08:00:00.000Z')
    clock.now = '2026-03-25T08:00:00.000Z'
    await user.get('/user')
    await expect
      .poll(async () => (await user.get(`/personal_access_tokens/${self.id}`)).body.last_used_at)
      .toBe('2026-03-25T08:00:00.000Z')

    const names = async (query: string) =>
      (await user.get(`/personal_access_tokens?${query}`)).body.map((token: { name: string }) => token.name)
    expect(await names('')).toEqual(['test', 'Alpha', 'beta', 'Gamma 100%'])
    expect(await names('revoked=true')).toEqual(['Gamma 100%'])
    expect(await names('revoked=false')).toEqual(['test', 'Alpha', 'beta'])
    expect(await names('state=active')).toEqual(['test', 'Alpha'])
    expect(await names('state=inactive')).toEqual(['beta', 'Gamma 100%'])
    expect(await names('search=ALPH')).toEqual(['Alpha'])
    expect(await names('search=%25')).toEqual(['Gamma 100%'])
    expect(await names('created_after=2026-03-03T08:00:00Z')).toEqual(['beta', 'Gamma 100%'])
    expect(await names('created_before=2026-03-02T08:00:00Z')).toEqual(['test', 'Alpha'])
    expect(await names('expires_after=2026-04-01&expires_before=2026-05-01')).toEqual(['Alpha', 'Gamma 100%'])
    expect(await names('last_used_after=2026-03-05')).toEqual(['test'])
    expect(await names('last_used_before=2026-03-05')).toEqual(['Alpha'])
    expect(await names('sort=created_desc')).toEqual(['Gamma 100%', 'beta', 'Alpha', 'test'])
    expect(await names('sort=created_asc')).toEqual(['test', 'Alpha', 'beta', 'Gamma 100%'])
    expect(await names('sort=expires_asc')).toEqual(['beta', 'Alpha', 'Gamma 100%', 'test'])
    expect(await names('sort=expires_desc')).toEqual(['test', 'Gamma 100%', 'Alpha', 'beta'])
    expect((await names('sort=last_used_desc')).slice(0, 2)).toEqual(['test', 'Alpha'])
    expect((await names('sort=last_used_asc')).slice(0, 2)).toEqual(['Alpha', 'test'])
    expect(await names('sort=name_asc')).toEqual(['Alpha', 'beta', 'Gamma 100%', 'test'])
    expect(await names('sort=name_desc')).toEqual(['test', 'Gamma 100%', 'beta', 'Alpha'])
    expect(await names('sort=unheard_of')).toEqual(['test', 'Alpha', 'beta', 'Gamma 100%'])
    expect(await names('per_page=2&page=2')).toEqual(['beta', 'Gamma 100%'])
    expect(beta.active).toBe(true)
  })
})

describe('GET /personal_access_tokens/:id', () => {
  test('shows the caller’s tokens, and all to administrators', async () => {
    const token = await issue(nadiaId)
    for (const client of [nadia, admin]) {
      const { status, body } = await client.get(`/personal_access_tokens/${token.id}`)
      expect(status).toBe(200)
      expect(Object.keys(body)).toEqual([...tokenFields, 'last_used_ips'])
      expect(body).toMatchObject({ id: token.id, last_used_ips: [] })
    }
  })

  test('returns 404 for an unknown token only to administrators', async () => {
    const token = await issue(nadiaId)
    expect(await omar.get(`/personal_access_tokens/${token.id}`)).toMatchObject(unauthorized)
    expect(await omar.get('/personal_access_tokens/999999')).toMatchObject(unauthorized)
    expect(await admin.get('/personal_access_tokens/999999')).toMatchObject({
      status: 404,
      body: { message: '404 Not Found' },
    })
    expect(await nadia.get('/personal_access_tokens/mine')).toMatchObject({
      status: 400,
      body: { error: 'id is invalid' },
    })
  })

  test('shows the token of the request as self', async () => {
    const token = await issue(nadiaId, { scopes: ['k8s_proxy'], name: 'me' })
    const { body } = await clientOf(token).get('/personal_access_tokens/self')
    expect(Object.keys(body)).toEqual([...tokenFields, 'last_used_ips'])
    expect(body).toMatchObject({ id: token.id, name: 'me' })
    expect(await anonymous.get('/personal_access_tokens/self')).toMatchObject(unauthorized)
  })
})

describe('DELETE /personal_access_tokens/:id', () => {
  test('revokes the caller’s tokens, and all for administrators', async () => {
    for (const client of [nadia, admin]) {
      const token = await issue(nadiaId)
      expect(await client.delete(`/personal_access_tokens/${token.id}`, {})).toMatchObject({ status: 204, text: '' })
      expect((await admin.get(`/personal_access_tokens/${token.id}`)).body).toMatchObject({
        revoked: true,
        active: false,
      })
      expect(await clientOf(token).get('/user')).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    }
  })

  test('revokes the token of the request as self', async () => {
    const client = clientOf(await issue(nadiaId))
    expect(await client.delete('/personal_access_tokens/self')).toMatchObject({ status: 204 })
    expect(await client.get('/user')).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })

  test('rejects tokens of other users and unknown ones', async () => {
    const token = await issue(nadiaId)
    expect(await omar.delete(`/personal_access_tokens/${token.id}`)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Not permitted to revoke' },
    })
    expect(await omar.delete('/personal_access_tokens/999999')).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
    expect(await anonymous.delete(`/personal_access_tokens/${token.id}`)).toMatchObject(unauthorized)
    expect(await clientOf(token).get('/user')).toMatchObject({ status: 200 })
  })
})

describe('POST /personal_access_tokens/:id/rotate', () => {
  test('replaces the token by a new one that lasts a week', async () => {
    const old = await issue(nadiaId, { name: 'deploy', description: 'd', scopes: ['read_api'] })

    const { status, body } = await nadia.post(`/personal_access_tokens/${old.id}/rotate`)

    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([...tokenFields, 'token'])
    expect(body).toMatchObject({
      name: 'deploy',
      description: 'd',
      scopes: ['read_api'],
      user_id: nadiaId,
      expires_at: '2026-02-21',
      active: true,
    })
    expect(body.id).not.toBe(old.id)
    expect(await clientOf(body).get('/user')).toMatchObject({ status: 200 })
    expect(await clientOf(old).get('/user')).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })

  test('revokes all descendants of a token that is rotated a second time', async () => {
    const user = await server.user('family')
    const rotate = async (client: Client) => {
      const { body } = await client.post('/personal_access_tokens/self/rotate')
      return createClient(server.app, { token: body.token })
    }
    const second = await rotate(user)
    const third = await rotate(second)
    const unrelated = await server.client(user, { scopes: ['api'] })
    expect(await third.get('/user')).toMatchObject({ status: 200 })
    // Using a token does not rotate it.
    expect(await user.get('/user')).toMatchObject({ status: 401 })
    expect(await third.get('/user')).toMatchObject({ status: 200 })

    expect(await second.post('/personal_access_tokens/self/rotate')).toMatchObject({
      status: 401,
      body: { error: 'invalid_token', error_description: expect.stringMatching(/^Token was revoked/) },
    })
    expect(await third.get('/user')).toMatchObject({ status: 401 })
    expect(await unrelated.get('/user')).toMatchObject({ status: 200 })
  })

  test('accepts another expiry date', async () => {
    const old = await issue(nadiaId)
    const path = `/personal_access_tokens/${old.id}/rotate`
    expect(await admin.post(path, { expires_at: '2027-02-15' })).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Expiration date must be before 2027-02-14' },
    })
    expect(await admin.post(path, { expires_at: '2026-08-01' })).toMatchObject({
      status: 200,
      body: { expires_at: '2026-08-01' },
    })
  })

  test('succeeds for one of several concurrent requests', async () => {
    const old = await issue(nadiaId)
    const path = `/personal_access_tokens/${old.id}/rotate`
    const replies = await Promise.all([nadia.post(path), nadia.post(path), nadia.post(path)])
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 400, 400])
    expect(await nadia.post(path)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - token already revoked' },
    })
  })

  test('rejects tokens of other users and unknown ones', async () => {
    const token = await issue(nadiaId)
    expect(await omar.post(`/personal_access_tokens/${token.id}/rotate`)).toMatchObject(unauthorized)
    expect(await omar.post('/personal_access_tokens/999999/rotate')).toMatchObject(unauthorized)
    expect(await admin.post('/personal_access_tokens/999999/rotate')).toMatchObject({
      status: 404,
      body: { message: '404 Not Found' },
    })
  })

  test('requires api or self_rotate for self', async () => {
    for (const scope of ['api', 'self_rotate']) {
      const client = clientOf(await issue(nadiaId, { scopes: [scope] }))
      const { status, body } = await client.post('/personal_access_tokens/self/rotate')
      expect(status).toBe(200)
      expect(await clientOf(body).get('/personal_access_tokens/self')).toMatchObject({ status: 200 })
      expect(await client.post('/personal_access_tokens/self/rotate')).toMatchObject({
        status: 401,
        body: { error: 'invalid_token' },
      })
    }
    const reader = clientOf(await issue(nadiaId, { scopes: ['read_api'] }))
    expect(await reader.post('/personal_access_tokens/self/rotate')).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api self_rotate' },
    })
  })
})

describe('impersonation tokens', () => {
  const path = `/users/${nadiaId}/impersonation_tokens`
  const create = async (change: Record<string, unknown> = {}) =>
    (await admin.post(path, { name: 'imp', scopes: ['api'], ...change })).body

  test('are created with their secret', async () => {
    const { status, body } = await admin.post(path, { name: 'imp', scopes: ['api'], expires_at: '2026-06-01' })
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual([...tokenFields, 'token', 'impersonation'])
    expect(body).toMatchObject({ name: 'imp', user_id: nadiaId, impersonation: true, expires_at: '2026-06-01' })
    expect(isMintedToken(body.token)).toBe(true)
    expect((await clientOf(body).get('/user')).body.username).toBe('nadia')
  })

  test('are listed by state', async () => {
    const user = await server.user('impersonated')
    const own = `/users/${user.user?.id}/impersonation_tokens`
    const post = async (name: string) => (await admin.post(own, { name, scopes: ['api'] })).body
    const [active, revoked] = [await post('active'), await post('revoked')]
    await admin.delete(`${own}/${revoked.id}`)
    const ids = async (query: string) => (await admin.get(own + query)).body.map((token: { id: number }) => token.id)

    expect(await ids('')).toEqual([active.id, revoked.id])
    expect(await ids('?state=all')).toEqual([active.id, revoked.id])
    expect(await ids('?state=active')).toEqual([active.id])
    expect(await ids('?state=inactive')).toEqual([revoked.id])
    expect(Object.keys((await admin.get(own)).body[0])).toEqual([...tokenFields, 'impersonation'])
    expect(await admin.get(`${own}?state=some`)).toMatchObject({
      status: 400,
      body: { error: 'state does not have a valid value' },
    })
  })

  test('can be read and revoked one by one', async () => {
    const token = await create()
    const { status, body } = await admin.get(`${path}/${token.id}`)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([...tokenFields, 'impersonation'])
    expect(await admin.delete(`${path}/${token.id}`)).toMatchObject({ status: 204, text: '' })
    expect(await clientOf(token).get('/user')).toMatchObject({ status: 401 })
    expect((await admin.get(`${path}/${token.id}`)).body).toMatchObject({ revoked: true, active: false })
  })

  test('are not among the personal access tokens', async () => {
    const token = await create()
    expect(await nadia.get(`/personal_access_tokens/${token.id}`)).toMatchObject(unauthorized)
    expect(await admin.get(`/personal_access_tokens/${token.id}`)).toMatchObject({ status: 404 })
    expect(await nadia.delete(`/personal_access_tokens/${token.id}`)).toMatchObject({ status: 404 })
  })

  test.each([
    [{ scopes: undefined }, { message: { scopes: ["can't be blank"] } }],
    [{ scopes: ['all'] }, { error: 'scopes does not have a valid value' }],
    [{ name: undefined }, { error: 'name is missing' }],
    [{ expires_at: '2028-01-01' }, { message: { expires_at: ['must be before 2027-02-14'] } }],
  ])('reject %j', async (change, body) => {
    expect(await admin.post(path, { name: 'imp', scopes: ['api'], ...change })).toMatchObject({ status: 400, body })
  })

  test('return 404 for the wrong user and for personal access tokens', async () => {
    const token = await create()
    const personal = await issue(nadiaId)
    const missing = { status: 404, body: { message: '404 Impersonation Token Not Found' } }
    expect(await admin.get(`/users/${omar.user?.id}/impersonation_tokens/${token.id}`)).toMatchObject(missing)
    expect(await admin.delete(`/users/${omar.user?.id}/impersonation_tokens/${token.id}`)).toMatchObject(missing)
    expect(await admin.get(`${path}/${personal.id}`)).toMatchObject(missing)
    for (const reply of [
      await admin.get('/users/999999/impersonation_tokens'),
      await admin.post('/users/999999/impersonation_tokens', { name: 'imp', scopes: ['api'] }),
      await admin.get(`/users/999999/impersonation_tokens/${token.id}`),
    ]) {
      expect(reply).toMatchObject({ status: 404, body: { message: '404 User Not Found' } })
    }
  })

  test('require an administrator', async () => {
    const token = await create()
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    expect(await nadia.get(path)).toMatchObject(forbidden)
    expect(await nadia.post(path, { name: 'imp', scopes: ['api'] })).toMatchObject(forbidden)
    expect(await nadia.get(`${path}/${token.id}`)).toMatchObject(forbidden)
    expect(await nadia.delete(`${path}/${token.id}`)).toMatchObject(forbidden)
    expect(await anonymous.get(path)).toMatchObject(unauthorized)
  })
})
