import { describe, expect, test } from 'vitest'
import { updateUserState } from '../../domain/users/user-queries.ts'
import { type Client, formWithFile } from '../../testing/client.ts'
import { startServer } from '../../testing/server.ts'

const server = await startServer()
const nadia = await server.user('nadia')
const token = nadia.token ?? ''
const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const asNadia = { status: 200, body: { username: 'nadia' } }
const { anonymous, admin } = server

function oneScope(client: Client, ...scopes: string[]): Promise<Client> {
  return server.client(client, { scopes })
}

function tooSmall(scope: string) {
  return {
    status: 403,
    body: {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope,
    },
  }
}

describe('a token is accepted from', () => {
  test.each([
    ['the header PRIVATE-TOKEN', { 'PRIVATE-TOKEN': token }],
    ['the same header in lower case', { 'private-token': token }],
    ['Authorization: Bearer', { authorization: `Bearer ${token}` }],
    ['Authorization, whatever the case of the word', { authorization: `bearer ${token}` }],
  ])('%s', async (_, headers) => {
    expect(await anonymous.get('/user', { headers })).toMatchObject(asNadia)
  })

  test.each(['private_token', 'access_token', 'bearer_token'])('the query parameter %s', async (name) => {
    expect(await anonymous.get(`/user?${name}=${token}`)).toMatchObject(asNadia)
  })

  test('the form field private_token', async () => {
    const form = new URLSearchParams({ private_token: token, name: 'deploy', 'scopes[]': 'k8s_proxy' })
    expect(await anonymous.post('/user/personal_access_tokens', form)).toMatchObject({ status: 201 })
  })

  test('the query before the header', async () => {
    const headers = { 'private-token': admin.token ?? '' }
    expect(await anonymous.get(`/user?private_token=${token}`, { headers })).toMatchObject(asNadia)
  })

  test('the Bearer header before PRIVATE-TOKEN', async () => {
    const headers = { authorization: `Bearer ${token}`, 'private-token': admin.token ?? '' }
    expect(await anonymous.get('/user', { headers })).toMatchObject(asNadia)
  })
})

describe('an anonymous request', () => {
  test('can read public routes', async () => {
    expect(await anonymous.get('/topics')).toMatchObject({ status: 200 })
  })

  test('gets 401 on a route that requires a user', async () => {
    expect(await anonymous.get('/user')).toMatchObject(unauthorized)
    expect(await anonymous.get('/personal_access_tokens')).toMatchObject(unauthorized)
    expect(await anonymous.post('/users')).toMatchObject(unauthorized)
  })

  test('is one with a blank PRIVATE-TOKEN', async () => {
    const headers = { 'private-token': '' }
    expect(await anonymous.get('/topics', { headers })).toMatchObject({ status: 200 })
    expect(await anonymous.get('/user', { headers })).toMatchObject(unauthorized)
  })
})

describe('an unknown token', () => {
  test.each(['alpat-0123456789', 'x', "' or 1=1 --", 'ä'.repeat(40)])('returns 401 for %j', async (wrong) => {
    const path = `private_token=${encodeURIComponent(wrong)}`
    expect(await anonymous.get(`/user?${path}`)).toMatchObject(unauthorized)
  })

  test('returns 401 on a public route', async () => {
    expect(await anonymous.get('/topics', { headers: { 'private-token': 'wrong' } })).toMatchObject(unauthorized)
  })

  test('returns 401 even next to a valid token', async () => {
    const headers = { authorization: 'Bearer wrong', 'private-token': token }
    expect(await anonymous.get('/user', { headers })).toMatchObject(unauthorized)
  })
})

describe('an inactive token', () => {
  const expired = 'Token is expired. You can either do re-authorization or token refresh.'
  const revoked = 'Token was revoked. You have to re-authorize from the user.'
  const refusal = (text: string) => ({
    status: 401,
    body: { error: 'invalid_token', error_description: text },
    headers: {
      'www-authenticate': `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${text}"`,
    },
  })

  test('is rejected as expired from its expiry date on', async () => {
    const clock = { now: '2026-05-01T10:00:00.000Z' }
    const server = await startServer({ clock })
    const client = await server.client(await server.user('nadia'), { scopes: ['api'], expiresAt: '2026-05-02' })
    expect(await client.get('/user')).toMatchObject({ status: 200 })

    clock.now = '2026-05-01T23:59:59.999Z'
    expect(await client.get('/user')).toMatchObject({ status: 200 })
    clock.now = '2026-05-02T00:00:00.000Z'
    expect(await client.get('/user')).toMatchObject(refusal(expired))
    expect(await client.get('/topics')).toMatchObject(refusal(expired))
  })

  test('is rejected as revoked from the next request on', async () => {
    const client = await oneScope(nadia, 'api')
    const { body: self } = await client.get('/personal_access_tokens/self')
    expect(await client.get('/user')).toMatchObject({ status: 200 })

    await admin.delete(`/personal_access_tokens/${self.id}`)

    expect(await client.get('/user')).toMatchObject(refusal(revoked))
    expect(await client.get('/topics')).toMatchObject(refusal(revoked))
  })

  test('is rejected as expired rather than revoked when it is both', async () => {
    const client = await server.client(nadia, { scopes: ['api'], expiresAt: '2020-01-01' })
    const { body: tokens } = await nadia.get('/personal_access_tokens?expires_before=2020-01-01')
    await admin.delete(`/personal_access_tokens/${tokens[0].id}`)
    expect(await client.get('/user')).toMatchObject(refusal(expired))
  })

  test('is unknown after its user is deleted', async () => {
    const client = await server.user('gone')
    expect(await client.get('/user')).toMatchObject({ status: 200 })
    expect(await admin.delete(`/users/${client.user?.id}`)).toMatchObject({ status: 204 })
    expect(await client.get('/user')).toMatchObject(unauthorized)
  })
})

test('a token is rejected while its user is blocked, and accepted again after unblocking', async () => {
  const client = await server.user('blocked')
  expect(await client.get('/user')).toMatchObject({ status: 200 })

  await admin.post(`/users/${client.user?.id}/block`)
  const refusal = { status: 403, body: { message: '403 Forbidden - Your account has been blocked.' } }
  expect(await client.get('/user')).toMatchObject(refusal)
  expect(await client.get('/topics')).toMatchObject(refusal)

  await admin.post(`/users/${client.user?.id}/unblock`)
  expect(await client.get('/user')).toMatchObject({ status: 200 })
})

test('a token is rejected when its user’s email is not confirmed', async () => {
  const client = await server.user('unconfirmed')
  await updateUserState(server.deps.db, client.user?.id ?? 0, 'unconfirmed', server.deps.now())
  const { status, body } = await client.get('/user')
  expect(status).toBe(403)
  expect(body.message).toMatch(/^403 Forbidden - Your primary email address is not confirmed\./)
})

describe('token scopes', () => {
  test('api grants everything that its user may do', async () => {
    expect(await nadia.get('/user')).toMatchObject({ status: 200 })
    expect(await nadia.get('/personal_access_tokens')).toMatchObject({ status: 200 })
    expect(await nadia.post('/user/personal_access_tokens', { name: 'x', scopes: ['k8s_proxy'] })).toMatchObject({
      status: 201,
    })
  })

  test('read_api grants every GET and HEAD, and nothing else', async () => {
    const reader = await oneScope(nadia, 'read_api')
    expect(await reader.get('/user')).toMatchObject({ status: 200 })
    expect(await reader.head('/user')).toMatchObject({ status: 200 })
    expect(await reader.get('/version')).toMatchObject({ status: 200 })
    expect(await reader.get('/topics')).toMatchObject({ status: 200 })
    expect(await reader.get('/personal_access_tokens')).toMatchObject({ status: 200 })
    // GitLab names the scopes that the address accepts for any method, though this one was refused.
    expect(await reader.post('/topics', { name: 'a', title: 'A' })).toMatchObject(tooSmall('api read_api'))
    expect(await reader.delete('/personal_access_tokens/1')).toMatchObject(tooSmall('api read_api'))
  })

  test('read_user grants the users and the version', async () => {
    const reader = await oneScope(nadia, 'read_user')
    for (const path of ['/user', '/users', `/users/${nadia.user?.id}`, '/version', '/metadata']) {
      expect(await reader.get(path), path).toMatchObject({ status: 200 })
    }
    expect(await reader.get('/topics')).toMatchObject(tooSmall('api read_api'))
    expect(await reader.get('/personal_access_tokens')).toMatchObject(tooSmall('api read_api'))
  })

  test('read_user of an administrator grants no writes', async () => {
    const reader = await oneScope({ ...admin, user: (await admin.get('/user')).body }, 'read_user')
    expect(await reader.post('/users', {})).toMatchObject(tooSmall('api read_api read_user'))
  })

  test.each(['k8s_proxy', 'self_rotate', 'sudo', 'read_repository'])(
    '%s grants access to the token itself only',
    async (scope) => {
      const client = await oneScope(nadia, scope)
      expect(await client.get('/user')).toMatchObject(tooSmall('api read_api read_user'))
      expect(await client.get('/topics')).toMatchObject(tooSmall('api read_api'))
      expect(await client.get('/personal_access_tokens/self')).toMatchObject({ status: 200, body: { scopes: [scope] } })
      expect(await client.delete('/personal_access_tokens/self')).toMatchObject({ status: 204 })
      expect(await client.get('/personal_access_tokens/self')).toMatchObject({ status: 401 })
    },
  )

  test('too narrow for a request cause an error without a WWW-Authenticate header', async () => {
    const client = await oneScope(nadia, 'k8s_proxy')
    expect((await client.get('/user')).headers['www-authenticate']).toBeUndefined()
  })
})

describe('sudo', () => {
  const sudo = (value: string) => ({ headers: { sudo: value } })

  test.each(['nadia', 'NADIA', String(nadia.user?.id)])('lets an administrator act as %s', async (reference) => {
    expect(await admin.get('/user', sudo(reference))).toMatchObject(asNadia)
    expect(await admin.get(`/user?sudo=${reference}`)).toMatchObject(asNadia)
  })

  test('rejects a list of users', async () => {
    const refused = { status: 400, body: { error: 'sudo is invalid' } }
    expect(await admin.get('/user?sudo[]=nadia')).toMatchObject(refused)
    expect(await admin.post('/user/personal_access_tokens', { sudo: { id: 1 }, name: 'x' })).toMatchObject(refused)
  })

  test('accepts the user in a form', async () => {
    const form = new URLSearchParams({ sudo: 'nadia', name: 'by sudo', 'scopes[]': 'k8s_proxy' })
    expect(await admin.post('/user/personal_access_tokens', form)).toMatchObject({
      status: 201,
      body: { user_id: nadia.user?.id },
    })
  })

  test('accepts the user in JSON or multipart, and stores no file of a rejected request', async () => {
    const inJson = { name: 'by sudo', scopes: ['k8s_proxy'], sudo: nadia.user?.id }
    expect(await admin.post('/user/personal_access_tokens', inJson)).toMatchObject({
      status: 201,
      body: { user_id: nadia.user?.id },
    })
    expect(await admin.post('/user/personal_access_tokens', { ...inJson, sudo: 'nobody' })).toMatchObject({
      status: 404,
      body: { message: "404 User with ID or username 'nobody' Not Found" },
    })
    const project = await server.project('acme/sudo')
    const form = () => formWithFile('file', 'a.txt', 'a', { sudo: 'nadia' })
    expect(await admin.post(`/projects/${project.id}/uploads`, form())).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    })
    await admin.post(`/projects/${project.id}/members`, { user_id: nadia.user?.id, access_level: 30 })
    expect(await admin.post(`/projects/${project.id}/uploads`, form())).toMatchObject({ status: 201 })
    const [upload] = (await admin.get(`/projects/${project.id}/uploads`)).body
    expect(upload.uploaded_by.username).toBe('nadia')
    expect(await nadia.post('/user/personal_access_tokens', { ...inJson, sudo: 'root' })).toMatchObject({ status: 403 })
  })

  test('grants the rights of that user, not of the administrator', async () => {
    expect(await admin.post('/users', { email: 'a' }, sudo('nadia'))).toMatchObject({ status: 400 })
    const draft = { email: 'q@example.test', username: 'q', name: 'Q', password: 'correct horse' }
    expect(await admin.post('/users', draft, sudo('nadia'))).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden' },
    })
  })

  test('returns 401 for an anonymous request', async () => {
    expect(await anonymous.get('/user', sudo('nadia'))).toMatchObject(unauthorized)
    expect(await anonymous.get('/topics', sudo('nadia'))).toMatchObject(unauthorized)
  })

  test('returns 403 for regular users', async () => {
    expect(await nadia.get('/user', sudo('root'))).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Must be admin to use sudo' },
    })
  })

  test('requires the scope sudo', async () => {
    const apiOnly = await oneScope({ ...admin, user: (await admin.get('/user')).body }, 'api')
    expect(await apiOnly.get('/user', sudo('nadia'))).toMatchObject(tooSmall('sudo'))
  })

  test.each(['nobody', '999999999', '99999999999999999999999'])(
    'returns 404 for the unknown user %s',
    async (reference) => {
      expect(await admin.get('/user', sudo(reference))).toMatchObject({
        status: 404,
        body: { message: `404 User with ID or username '${reference}' Not Found` },
      })
    },
  )

  test.each([
    ['header', (client: Client) => client.get('/user', sudo(''))],
    ['query', (client: Client) => client.get('/user?sudo=')],
    ['query, which takes precedence over the header', (client: Client) => client.get('/user?sudo=', sudo('root'))],
    ['form', (client: Client) => client.post('/user/personal_access_tokens', new URLSearchParams('sudo=&name=x'))],
    ['JSON', (client: Client) => client.post('/user/personal_access_tokens', { sudo: '', name: 'x', scopes: [] })],
  ])('returns 404 for a blank user in the %s', async (_, ask) => {
    expect(await ask(admin)).toMatchObject({
      status: 404,
      body: { message: "404 User with ID or username '' Not Found" },
    })
    expect(await ask(nadia)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Must be admin to use sudo' },
    })
    expect(await ask(anonymous)).toMatchObject(unauthorized)
  })

  test('prefers the parameter to the header, and ignores null and false', async () => {
    const omar = await server.user('omar')
    expect((await admin.get('/user?sudo=nadia', sudo('omar'))).body.username).toBe('nadia')
    const token = { name: 'x', scopes: ['k8s_proxy'] }
    const path = '/user/personal_access_tokens'
    expect((await admin.post(path, { ...token, sudo: 'omar' }, sudo('nadia'))).body.user_id).toBe(omar.user?.id)
    for (const none of [null, false]) {
      expect((await admin.post(path, { ...token, sudo: none }, sudo('nadia'))).body.user_id).toBe(nadia.user?.id)
    }
    expect(await admin.post(path, { ...token, sudo: true })).toMatchObject({ status: 404 })
  })

  test('rejects a blocked user', async () => {
    const client = await server.user('shut-out')
    await admin.post(`/users/${client.user?.id}/block`)
    expect(await admin.get('/user', sudo('shut-out'))).toMatchObject({ status: 403 })
  })
})

describe('admin mode', () => {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const start = () => startServer({ clock, settings: { adminMode: true } })

  test('treats an administrator’s token as a regular user’s unless it has the scope admin_mode', async () => {
    const server = await start()
    const root = { ...server.admin, user: (await server.admin.get('/user')).body }
    const plain = await server.client(root, { scopes: ['api', 'sudo'] })
    const project = await server.project('acme/hidden')
    const { id } = (await server.user('nadia')).user ?? {}

    expect(await server.admin.get(`/projects/${project.id}`)).toMatchObject({ status: 200 })
    expect((await server.admin.get('/user')).body.is_admin).toBe(true)

    for (const path of ['/topics', '/users', `/users/${id}/block`]) {
      const draft = { name: 'a', title: 'A', username: 'a', email: 'a@example.test', password: 'correct horse' }
      expect(await plain.post(path, draft)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    }
    expect((await plain.get('/user')).body).not.toHaveProperty('is_admin')
    expect((await plain.get(`/users/${id}`)).body).not.toHaveProperty('email')
    expect(await plain.get('/user', { headers: { sudo: 'nadia' } })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Must be admin to use sudo' },
    })
    const outsider = await server.user('chief', { admin: true })
    expect(await outsider.get(`/projects/${project.id}`)).toMatchObject({ status: 404 })
    expect((await outsider.get('/projects')).body).toEqual([])
    expect((await outsider.get('/personal_access_tokens')).body).toHaveLength(1)
  })

  test('grants administrator rights to an administrator’s token with the scope admin_mode', async () => {
    const server = await start()
    expect(await server.admin.get('/user', { headers: { sudo: 'root' } })).toMatchObject({ status: 200 })
    expect(await server.admin.post('/topics', { name: 'a', title: 'A' })).toMatchObject({ status: 201 })
  })

  test('grants no administrator rights to a regular user’s token with the scope admin_mode', async () => {
    const server = await start()
    const nadia = await server.client(await server.user('nadia'), { scopes: ['api', 'admin_mode', 'sudo'] })
    expect(await nadia.post('/topics', { name: 'a', title: 'A' })).toMatchObject({ status: 403 })
  })
})

test('a cached vulnerability is missing for a former member, and for all callers after its project is deleted', async () => {
  const project = await server.project('guarded/site', { visibility: 'private' })
  const member = await server.as('developer', project)
  const { id } = await server.vulnerability(project)
  const read = (client: Client) => async (path: string) => (await client.get(`/vulnerabilities/${id}${path}`)).status
  const paths = ['', '', '/history', '/issue_links']
  const statuses = (client: Client) => Promise.all(paths.map(read(client)))
  expect([await statuses(member), await statuses(admin)]).toEqual([paths.map(() => 200), paths.map(() => 200)])

  await admin.delete(`/projects/${project.id}/members/${member.user?.id}`)
  expect([await statuses(member), await statuses(admin)]).toEqual([paths.map(() => 404), paths.map(() => 200)])

  await admin.delete(`/projects/${project.id}`)
  expect([await statuses(member), await statuses(admin)]).toEqual([paths.map(() => 404), paths.map(() => 404)])
})

test('an impersonation token acts as its user', async () => {
  const { body } = await admin.post(`/users/${nadia.user?.id}/impersonation_tokens`, { name: 'i', scopes: ['api'] })
  expect(await anonymous.get('/user', { headers: { 'private-token': body.token } })).toMatchObject(asNadia)
})

test('using a token updates last_used_at', async () => {
  const client = await oneScope(nadia, 'api')
  await client.get('/user')
  await expect.poll(async () => (await client.get('/personal_access_tokens/self')).body.last_used_at).toMatch(/Z$/)
})
