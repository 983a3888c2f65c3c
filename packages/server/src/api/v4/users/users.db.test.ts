import { describe, expect, test } from 'vitest'
import { startServer } from '../../../testing/server.ts'

const server = await startServer({ settings: { externalUrl: 'https://alcove.test' } })
const { admin, anonymous } = server
const nadia = await server.user('nadia')
const nadiaId = nadia.user?.id

let made = 0
function draft(change: Record<string, unknown> = {}) {
  const username = `user-${++made}`
  return { email: `${username}@example.test`, username, name: username, password: 'correct horse', ...change }
}

const basicFields = ['id', 'username', 'public_email', 'name', 'state', 'locked', 'avatar_url', 'web_url']
const profileFields = [
  ...['created_at', 'bio', 'location', 'linkedin', 'twitter', 'discord', 'website_url', 'github', 'job_title'],
  ...['pronouns', 'organization', 'bot', 'work_information', 'followers', 'following', 'local_time'],
]
const privateFields = [
  ...['last_sign_in_at', 'confirmed_at', 'last_activity_on', 'email', 'theme_id', 'color_scheme_id', 'projects_limit'],
  ...['current_sign_in_at', 'identities', 'can_create_group', 'can_create_project', 'two_factor_enabled', 'external'],
  ...['private_profile', 'commit_email', 'preferred_language'],
]
const administratorFields = ['is_admin', 'note', 'namespace_id', 'created_by']

describe('GET /user', () => {
  test('returns the current user with fields in GitLab’s order', async () => {
    const { status, body } = await nadia.get('/user')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([...basicFields, ...profileFields, ...privateFields])
    expect(body).toMatchObject({
      id: nadiaId,
      username: 'nadia',
      name: 'nadia',
      state: 'active',
      locked: false,
      avatar_url: null,
      web_url: 'https://alcove.test/nadia',
      email: 'nadia@example.test',
      bot: false,
      external: false,
      can_create_group: true,
    })
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(body.confirmed_at).toBe(body.created_at)
  })

  test('returns more fields to administrators', async () => {
    const { body } = await admin.get('/user')
    expect(Object.keys(body)).toEqual([...basicFields, ...profileFields, ...privateFields, ...administratorFields])
    expect(body).toMatchObject({ username: 'root', is_admin: true, note: null, created_by: null })
    expect(body.namespace_id).toBeTypeOf('number')
  })
})

test('GET /api/v3/user returns the same as v4, and other v3 routes return 410', async () => {
  const reader = await server.user('integration')
  const { body } = await reader.get('/user')
  expect(await reader.get('//api/v3/user')).toMatchObject({ status: 200, body })
  expect(await server.anonymous.get('//api/v3/user')).toMatchObject({
    status: 401,
    body: { message: '401 Unauthorized' },
  })
  for (const reply of [await reader.put('//api/v3/user', {}), await reader.get('//api/v3/users')]) {
    expect(reply).toMatchObject({
      status: 410,
      body: { error: 'API V3 is no longer supported. Use API V4 instead.' },
    })
  }
})

describe('GET /users', () => {
  test('lists the newest first, with basic fields', async () => {
    const newest = await server.user('newest')
    const { status, body } = await nadia.get('/users')
    expect(status).toBe(200)
    expect(body[0]).toEqual({
      id: newest.user?.id,
      username: 'newest',
      public_email: null,
      name: 'newest',
      state: 'active',
      locked: false,
      avatar_url: null,
      web_url: 'https://alcove.test/newest',
    })
    expect(Object.keys(body[0])).toEqual(basicFields)
    const ids = body.map((user: { id: number }) => user.id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
  })

  test('returns every field to administrators', async () => {
    const { body } = await admin.get('/users?username=nadia')
    expect(body).toHaveLength(1)
    expect(Object.keys(body[0])).toEqual([...basicFields, ...profileFields, ...privateFields, ...administratorFields])
    expect(body[0]).toMatchObject({ email: 'nadia@example.test', created_by: { username: 'root' } })
  })

  test('is paged', async () => {
    const first = await nadia.get('/users?per_page=1')
    expect(first.body).toHaveLength(1)
    expect(first.headers).toMatchObject({ 'x-page': '1', 'x-next-page': '2', 'x-per-page': '1' })
    const second = await nadia.get('/users?per_page=1&page=2')
    expect(second.body[0].id).toBeLessThan(first.body[0].id)
  })

  test('returns 405 for offsets beyond 50000 rows', async () => {
    expect(await nadia.get('/users?per_page=100&page=500')).toMatchObject({ status: 200, body: [] })
    expect(await nadia.get('/users?per_page=100&page=501')).toMatchObject({
      status: 405,
      body: {
        error:
          'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type User. Remaining records can be retrieved using keyset pagination.',
      },
    })
  })

  test('rejects anonymous requests without a username', async () => {
    const refusal = { status: 403, body: { message: '403 Forbidden - Not authorized to access /api/v4/users' } }
    expect(await anonymous.get('/users')).toMatchObject(refusal)
    expect(await anonymous.get('/users?search=nadia')).toMatchObject(refusal)
    expect(await anonymous.get('/users?username=')).toMatchObject(refusal)
  })

  test('finds a username in any case, for every caller', async () => {
    expect((await anonymous.get('/users?username=NaDia')).body).toMatchObject([{ username: 'nadia' }])
    expect((await anonymous.get('/users?username=nad')).body).toEqual([])
  })

  test('searches names and usernames', async () => {
    await admin.post('/users', draft({ username: 'searched', name: 'Zoë van der Berg' }))
    const names = async (search: string) =>
      (await nadia.get(`/users?search=${encodeURIComponent(search)}`)).body.map((user: { name: string }) => user.name)
    expect(await names('EARCHE')).toEqual(['Zoë van der Berg'])
    expect(await names('@searched')).toEqual(['Zoë van der Berg'])
    expect(await names('zoË berg')).toEqual(['Zoë van der Berg'])
    expect(await names('zoë nadia')).toEqual([])
    expect(await names('%')).toEqual([])
    expect(await names('Zo')).toEqual([])
  })

  test('searches email addresses for administrators only', async () => {
    const { body: user } = await admin.post('/users', draft({ email: 'Hidden@Elsewhere.test' }))
    const path = '/users?search=hidden@elsewhere.test'
    expect((await admin.get(path)).body).toMatchObject([{ id: user.id }])
    expect((await admin.get('/users?search=elsewhere')).body).toEqual([])
    expect((await nadia.get(path)).body).toEqual([])
  })

  test('filters by state', async () => {
    const { body: user } = await admin.post('/users', draft({ name: 'Stateful' }))
    await admin.post(`/users/${user.id}/block`)
    const found = async (query: string) => (await nadia.get(`/users?search=stateful&${query}`)).body.length
    expect(await found('active=true')).toBe(0)
    expect(await found('blocked=true')).toBe(1)
    expect(await found('exclude_active=true')).toBe(1)
    expect(await found('active=false&blocked=false')).toBe(1)
    expect(await found('active=true&blocked=true')).toBe(0)

    await admin.post(`/users/${user.id}/unblock`)
    await admin.post(`/users/${user.id}/ban`)
    expect([await found('banned=true'), await found('blocked=true'), await found('deactivated=true')]).toEqual([
      1, 0, 0,
    ])
    await admin.post(`/users/${user.id}/unban`)
    await admin.post(`/users/${user.id}/deactivate`)
    expect([await found('banned=true'), await found('active=true'), await found('deactivated=true')]).toEqual([0, 0, 1])
  })

  test('has more filters for administrators', async () => {
    const { body: user } = await admin.post('/users', draft({ name: 'Outside', external: true, admin: true }))
    const found = async (query: string) =>
      (await admin.get(`/users?${query}`)).body.map((one: { id: number }) => one.id)
    expect(await found('external=true')).toEqual([user.id])
    expect(await found('exclude_external=true')).not.toContain(user.id)
    expect(await found('admins=true&search=outside')).toEqual([user.id])
    expect(await found('admins=true')).not.toContain(nadiaId)
    expect(await found('created_after=2999-01-01')).toEqual([])
    expect(await found('created_before=2999-01-01&search=outside')).toEqual([user.id])
    expect(await found('order_by=id&sort=asc')).toEqual((await found('per_page=100')).reverse().slice(0, 20))
    expect(await found('order_by=username&sort=asc&search=nadia')).toEqual([nadiaId])
    expect((await nadia.get('/users?external=true')).body.length).toBeGreaterThan(1)
    expect((await nadia.get('/users?created_after=2999-01-01')).body.length).toBeGreaterThan(1)
  })

  test('rejects invalid filter values', async () => {
    expect(await nadia.get('/users?active=maybe')).toMatchObject({ status: 400, body: { error: 'active is invalid' } })
  })
})

describe('GET /users/:id', () => {
  test('returns a profile', async () => {
    const { body } = await nadia.get('/users/1')
    expect(Object.keys(body)).toEqual([...basicFields, ...profileFields])
  })

  test('returns all fields to administrators', async () => {
    const { body } = await admin.get(`/users/${nadiaId}`)
    expect(Object.keys(body)).toEqual([...basicFields, ...profileFields, ...privateFields, ...administratorFields])
    expect(body).toMatchObject({ email: 'nadia@example.test', is_admin: false })
  })

  test('rejects anonymous requests, unknown ids and invalid ids', async () => {
    expect(await anonymous.get(`/users/${nadiaId}`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - Not authorized!' },
    })
    expect(await nadia.get('/users/999999')).toMatchObject({ status: 404, body: { message: '404 User Not Found' } })
    expect(await nadia.get('/users/nadia')).toMatchObject({ status: 400, body: { error: 'id is invalid' } })
  })
})

describe('POST /users', () => {
  test('creates an active user', async () => {
    const { status, body } = await admin.post('/users', {
      ...draft({ username: 'Omar', name: 'Omar K.', email: 'Omar@Example.test' }),
      skip_confirmation: false,
      note: 'on trial',
      projects_limit: 3,
      can_create_group: false,
      external: true,
    })
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual([...basicFields, ...profileFields, ...privateFields, ...administratorFields])
    expect(body).toMatchObject({
      username: 'Omar',
      name: 'Omar K.',
      email: 'Omar@Example.test',
      state: 'active',
      note: 'on trial',
      projects_limit: 3,
      can_create_group: false,
      external: true,
      is_admin: false,
      created_by: { username: 'root' },
    })
  })

  test('accepts a form', async () => {
    const form = new URLSearchParams(draft() as Record<string, string>)
    expect(await admin.post('/users', form)).toMatchObject({ status: 201 })
  })

  test.each(['reset_password', 'force_random_password'])('requires no password with %s', async (name) => {
    const { password: _, ...rest } = draft()
    expect(await admin.post('/users', { ...rest, [name]: true })).toMatchObject({ status: 201 })
  })

  test('never returns the password or its hash', async () => {
    const { text } = await admin.post('/users', draft({ password: 'very secret words' }))
    expect(text).not.toContain('very secret words')
    expect(text).not.toContain('argon2')
  })

  test('rejects missing fields in one response', async () => {
    expect(await admin.post('/users', {})).toMatchObject({
      status: 400,
      body: {
        error:
          'email is missing, name is missing, username is missing, password, reset_password, force_random_password are missing, at least one parameter must be provided',
      },
    })
    const { email: _, ...rest } = draft()
    expect(await admin.post('/users', rest)).toMatchObject({ status: 400, body: { error: 'email is missing' } })
    const { password: __, ...withoutPassword } = draft()
    expect(await admin.post('/users', withoutPassword)).toMatchObject({
      status: 400,
      body: {
        error: 'password, reset_password, force_random_password are missing, at least one parameter must be provided',
      },
    })
  })

  test.each([
    [{ password: '1234567' }, { password: ['is too short (minimum is 8 characters)'] }],
    [{ password: undefined, reset_password: false }, { password: ["can't be blank"] }],
    [{ email: 'nowhere' }, { email: ['is invalid'] }],
    [{ name: '' }, { name: ["can't be blank"] }],
    [{ username: null }, { username: ["can't be blank"] }],
    [{ username: 'api' }, { username: ['api is a reserved name'] }],
    [{ projects_limit: -1 }, { projects_limit: ['must be greater than or equal to 0'] }],
  ])('rejects %j', async (change, message) => {
    expect(await admin.post('/users', draft(change))).toMatchObject({ status: 400, body: { message } })
  })

  test('rejects an email or username that is taken, in any case', async () => {
    expect(await admin.post('/users', draft({ email: 'NADIA@example.test' }))).toMatchObject({
      status: 409,
      body: { message: 'Email has already been taken' },
    })
    expect(await admin.post('/users', draft({ username: 'NADIA' }))).toMatchObject({
      status: 409,
      body: { message: 'Username has already been taken' },
    })
    const both = draft({ username: 'nadia', email: 'nadia@example.test', password: 'short' })
    expect(await admin.post('/users', both)).toMatchObject({
      status: 409,
      body: { message: 'Email has already been taken' },
    })
  })

  test('rejects a username that is a group’s path, and creates nothing', async () => {
    expect(await admin.post('/groups', { name: 'Acme', path: 'acme' })).toMatchObject({ status: 201 })
    expect(await admin.post('/users', draft({ username: 'ACME' }))).toMatchObject({
      status: 400,
      body: { message: { base: ['A user, alias, or group already exists with that username.'] } },
    })
    expect((await admin.get('/users?username=acme')).body).toEqual([])
  })

  test('creates one user for concurrent requests with one username', async () => {
    const drafts = Array.from({ length: 5 }, () => draft({ username: 'contested', reset_password: true }))
    const replies = await Promise.all(drafts.map((one) => admin.post('/users', one)))
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, 409, 409, 409, 409])
  })

  test('requires an administrator', async () => {
    expect(await nadia.post('/users', draft())).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect(await anonymous.post('/users', draft())).toMatchObject({
      status: 401,
      body: { message: '401 Unauthorized' },
    })
  })
})

describe('PUT /users/:id', () => {
  test('changes the given fields and no others', async () => {
    const { body: user } = await admin.post('/users', draft({ note: 'kept', external: true }))
    const changed = await admin.put(`/users/${user.id}`, { name: 'New Name', admin: true })
    expect(changed).toMatchObject({
      status: 200,
      body: { ...user, name: 'New Name', is_admin: true },
    })
    expect((await admin.put(`/users/${user.id}`, { note: null, external: false })).body).toMatchObject({
      name: 'New Name',
      note: null,
      external: false,
    })
  })

  test('revokes administrator rights from the next request on', async () => {
    const second = await server.user('second-admin', { admin: true })
    expect(await second.get('/users?admins=true')).toMatchObject({ status: 200 })
    await admin.put(`/users/${second.user?.id}`, { admin: false })
    expect(await second.post('/users', draft())).toMatchObject({ status: 403 })
  })

  test('moves the user’s projects to the new username', async () => {
    const user = await server.user('before')
    const { body: project } = await user.post('/projects', { name: 'site' })
    expect(project.path_with_namespace).toBe('before/site')

    await admin.put(`/users/${user.user?.id}`, { username: 'After' })

    expect((await user.get('/projects/after%2Fsite')).body).toMatchObject({
      id: project.id,
      path_with_namespace: 'After/site',
    })
    expect((await user.get('/user')).body.username).toBe('After')
  })

  test('rejects names that are taken, and accepts the user’s own', async () => {
    const { body: user } = await admin.post('/users', draft())
    expect(await admin.put(`/users/${user.id}`, { email: 'nadia@example.test' })).toMatchObject({
      status: 409,
      body: { message: 'Email has already been taken' },
    })
    expect(await admin.put(`/users/${user.id}`, { username: 'Nadia' })).toMatchObject({
      status: 409,
      body: { message: 'Username has already been taken' },
    })
    expect(await admin.put(`/users/${user.id}`, { username: user.username, email: user.email })).toMatchObject({
      status: 200,
    })
  })

  test('rejects invalid values, unknown users, and callers who are not administrators', async () => {
    expect(await admin.put(`/users/${nadiaId}`, { email: 'x', password: 'short' })).toMatchObject({
      status: 400,
      body: { message: { email: ['is invalid'], password: ['is too short (minimum is 8 characters)'] } },
    })
    expect(await admin.put('/users/999999', { name: 'X' })).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    })
    expect(await nadia.put(`/users/${nadiaId}`, { admin: true })).toMatchObject({ status: 403 })
  })
})

describe('DELETE /users/:id', () => {
  test('deletes the user, their namespace and its projects', async () => {
    const user = await server.user('leaving')
    const { body: project } = await user.post('/projects', { name: 'site', visibility: 'public' })
    expect(project.path_with_namespace).toBe('leaving/site')

    expect(await admin.delete(`/users/${user.user?.id}`, { hard_delete: true })).toMatchObject({
      status: 204,
      text: '',
    })

    expect(await admin.get(`/users/${user.user?.id}`)).toMatchObject({ status: 404 })
    expect(await admin.get(`/projects/${project.id}`)).toMatchObject({ status: 404 })
    expect(await admin.delete(`/users/${user.user?.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    })
  })

  test('keeps what the user created elsewhere, and frees the username', async () => {
    const creator = await server.user('creator', { admin: true })
    const { body: created } = await creator.post('/users', draft())
    expect(created.created_by.username).toBe('creator')

    await admin.delete(`/users/${creator.user?.id}?hard_delete=false`)

    expect((await admin.get(`/users/${created.id}`)).body.created_by.username).toBe('ghost')
    await server.user('creator')
  })

  test('requires an administrator', async () => {
    expect(await nadia.delete(`/users/${nadiaId}`)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect(await anonymous.delete(`/users/${nadiaId}`)).toMatchObject({ status: 401 })
  })
})

describe('POST /users/:id/block and /unblock', () => {
  test('return true every time they are sent', async () => {
    const { body: user } = await admin.post('/users', draft())
    for (const [path, state] of [
      ['block', 'blocked'],
      ['block', 'blocked'],
      ['unblock', 'active'],
      ['unblock', 'active'],
    ]) {
      expect(await admin.post(`/users/${user.id}/${path}`)).toMatchObject({ status: 201, text: 'true' })
      expect((await admin.get(`/users/${user.id}`)).body.state).toBe(state)
    }
  })

  test('reject blocking oneself', async () => {
    const { body: self } = await admin.get('/user')
    expect(await admin.post(`/users/${self.id}/block`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - The API initiating user cannot be blocked by the API' },
    })
  })

  test('require an administrator and an existing user', async () => {
    expect(await nadia.post('/users/1/block')).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect(await admin.post('/users/999999/block')).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    })
    expect(await admin.post('/users/999999/unblock')).toMatchObject({ status: 404 })
  })
})
