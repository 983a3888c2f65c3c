import { describe, expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { startServer } from '../../../testing/server.ts'

const server = await startServer()
const { admin, anonymous } = server
const nadia = await server.user('nadia')
const nadiaId = nadia.user?.id

describe('deleting a user', () => {
  test('who is the only owner of a group requires hard_delete, which deletes those groups', async () => {
    const owner = await server.user('sole')
    const { body: group } = await owner.post('/groups', { name: 'sole', path: 'sole-group' })
    const { body: below } = await owner.post('/groups', { name: 'in', path: 'in', parent_id: group.id })
    const { body: shared } = await owner.post('/groups', { name: 'shared', path: 'shared-group' })
    const { body: project } = await owner.post('/projects', { name: 'in', namespace_id: below.id })
    await admin.post(`/groups/${shared.id}/members`, { user_id: nadiaId, access_level: 50 })

    expect(await admin.delete(`/users/${owner.user?.id}`)).toMatchObject({
      status: 409,
      body: { message: 'User cannot be removed while is the sole-owner of a group' },
    })
    expect(await owner.get(`/projects/${project.id}`)).toMatchObject({ status: 200 })

    expect(await admin.delete(`/users/${owner.user?.id}`, { hard_delete: true })).toMatchObject({ status: 204 })
    for (const path of [`/groups/${group.id}`, `/groups/${below.id}`, `/projects/${project.id}`]) {
      expect(await admin.get(path)).toMatchObject({ status: 404 })
    }
    expect(await admin.get(`/groups/${shared.id}`)).toMatchObject({ status: 200 })
  })

  test('returns 412 when the user changed after If-Unmodified-Since', async () => {
    const user = await server.user('changed')
    const since = (at: number) => ({ headers: { 'if-unmodified-since': new Date(at).toUTCString() } })
    expect(await admin.delete(`/users/${user.user?.id}`, undefined, since(Date.now() - 60_000))).toMatchObject({
      status: 412,
      body: { message: '412 Precondition Failed' },
    })
    expect(await admin.delete(`/users/${user.user?.id}`, undefined, since(Date.now()))).toMatchObject({ status: 204 })
  })

  test('keeps groups that have another owner or inherit one', async () => {
    const owner = await server.user('not-alone')
    const { body: group } = await admin.post('/groups', { name: 'above', path: 'above' })
    await admin.post(`/groups/${group.id}/members`, { user_id: owner.user?.id, access_level: 50 })
    const { body: below } = await owner.post('/groups', { name: 'below', path: 'below', parent_id: group.id })
    expect(await admin.delete(`/users/${owner.user?.id}`)).toMatchObject({ status: 204 })
    expect(await admin.get(`/groups/${below.id}`)).toMatchObject({ status: 200 })
  })

  test('keeps their uploads elsewhere under the ghost user, with and without hard_delete', async () => {
    const project = await server.project('acme/keeps')
    for (const hard of [false, true]) {
      const writer = await server.user(`uploader-${hard}`)
      await admin.post(`/projects/${project.id}/members`, { user_id: writer.user?.id, access_level: 30 })
      expect(await writer.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'a'))).toMatchObject({
        status: 201,
      })
      await admin.delete(`/users/${writer.user?.id}?hard_delete=${hard}`)
      const { body } = await admin.get(`/projects/${project.id}/uploads`)
      expect(body[0]).toMatchObject({ filename: 'a.txt', uploaded_by: { username: 'ghost' } })
    }
  })
})

describe('POST /users/:id/deactivate and /activate', () => {
  test('return true, and the state is shown in every response', async () => {
    const user = await server.user('resting')
    const project = await server.project('acme/resting')
    await admin.post(`/projects/${project.id}/members`, { user_id: user.user?.id, access_level: 10 })
    for (const [path, state, status] of [
      ['deactivate', 'deactivated', 403],
      ['deactivate', 'deactivated', 403],
      ['activate', 'active', 200],
      ['activate', 'active', 200],
    ] as const) {
      expect(await admin.post(`/users/${user.user?.id}/${path}`)).toMatchObject({ status: 201, text: 'true' })
      expect((await admin.get(`/users/${user.user?.id}`)).body.state).toBe(state)
      expect((await admin.get(`/projects/${project.id}/members/${user.user?.id}`)).body.state).toBe(state)
      expect((await admin.get('/users?username=resting&active=true')).body).toHaveLength(state === 'active' ? 1 : 0)
      expect((await admin.get('/users?username=resting&exclude_active=true')).body).toHaveLength(
        state === 'active' ? 0 : 1,
      )
      expect(await user.get('/user')).toMatchObject({ status })
    }
  })

  test('reject blocked users, the caller, and callers who are not administrators', async () => {
    const user = await server.user('blocked-and-resting')
    await admin.post(`/users/${user.user?.id}/block`)
    expect(await admin.post(`/users/${user.user?.id}/deactivate`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - A blocked user cannot be deactivated by the API' },
    })
    expect(await admin.post(`/users/${user.user?.id}/activate`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - A blocked user must be unblocked to be activated' },
    })
    const { body: self } = await admin.get('/user')
    expect(await admin.post(`/users/${self.id}/deactivate`)).toMatchObject({ status: 403 })
    expect(await nadia.post(`/users/${nadiaId}/deactivate`)).toMatchObject({ status: 403 })
    expect(await admin.post('/users/999999/activate')).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    })
  })
})

describe('POST /users/:id/ban and /unban', () => {
  const blocked = { status: 403, body: { message: '403 Forbidden - Your account has been blocked.' } }

  test('return true, and a banned user has no access and is shown as banned', async () => {
    const user = await server.user('banned')
    const id = user.user?.id
    const project = await server.project('acme/banned')
    await admin.post(`/projects/${project.id}/members`, { user_id: id, access_level: 30 })
    await user.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'a'))
    const password = { login: 'banned', password: 'correct horse battery' }
    const cookie = String((await anonymous.post('//-/sessions', password)).headers['set-cookie']).split(';', 1)[0] ?? ''
    const browser = { headers: { cookie, 'x-alcove-session': '1' } }
    expect(await anonymous.get('/user', browser)).toMatchObject({ status: 200 })

    expect(await admin.post(`/users/${id}/ban`)).toMatchObject({ status: 201, text: 'true' })
    expect(await user.get('/user')).toMatchObject(blocked)
    expect(await user.get('/topics')).toMatchObject(blocked)
    expect(await anonymous.get('/user', browser)).toMatchObject({ status: 401 })
    expect(await anonymous.post('//-/sessions', password)).toMatchObject(blocked)
    expect(await admin.get('/user', { headers: { sudo: 'banned' } })).toMatchObject(blocked)
    const impersonation = await admin.post(`/users/${id}/impersonation_tokens`, { name: 'i', scopes: ['api'] })
    const asHim = { headers: { 'private-token': impersonation.body.token } }
    expect(await anonymous.get('/user', asHim)).toMatchObject(blocked)

    expect((await admin.get(`/users/${id}`)).body.state).toBe('banned')
    expect((await nadia.get('/users?username=banned')).body).toMatchObject([{ state: 'banned' }])
    expect((await admin.get(`/projects/${project.id}/members/${id}`)).body.state).toBe('banned')
    expect((await admin.get('/users?username=banned&active=true')).body).toEqual([])
    expect((await admin.get('/users?username=banned&blocked=true')).body).toEqual([])
    expect((await admin.get('/users?username=banned&exclude_active=true')).body).toHaveLength(1)
    expect((await admin.get(`/projects/${project.id}/uploads`)).body).toMatchObject([
      { uploaded_by: { username: 'banned' } },
    ])

    expect(await admin.post(`/users/${id}/unban`)).toMatchObject({ status: 201, text: 'true' })
    expect(await user.get('/user')).toMatchObject({ status: 200, body: { state: 'active' } })
  })

  test('reject users in the wrong state, and name that state', async () => {
    const id = (await server.user('in-the-way')).user?.id
    const post = (path: string) => admin.post(`/users/${id}/${path}`)
    const refusal = (message: string) => ({ status: 403, body: { message } })
    expect(await post('unban')).toMatchObject(refusal('You cannot unban active users.'))
    await post('block')
    expect(await post('ban')).toMatchObject(refusal('You cannot ban blocked users.'))
    expect(await post('unban')).toMatchObject(refusal('You cannot unban blocked users.'))
    await post('unblock')
    await post('deactivate')
    expect(await post('ban')).toMatchObject(refusal('You cannot ban deactivated users.'))
    expect(await post('unblock')).toMatchObject(
      refusal('403 Forbidden - Deactivated users cannot be unblocked by the API'),
    )
    await post('activate')
    await post('ban')
    expect(await post('ban')).toMatchObject(refusal('You cannot ban banned users.'))
    expect(await post('unblock')).toMatchObject(refusal('403 Forbidden - Banned users cannot be unblocked by the API'))
    expect(await post('activate')).toMatchObject({ status: 403 })
    expect(await post('deactivate')).toMatchObject({ status: 403 })
    expect(await post('block')).toMatchObject({ status: 201 })
    expect((await admin.get(`/users/${id}`)).body.state).toBe('banned')
  })

  test('require an administrator and another, existing user', async () => {
    const { body: self } = await admin.get('/user')
    for (const path of ['ban', 'unban']) {
      expect(await nadia.post(`/users/${self.id}/${path}`)).toMatchObject({ status: 403 })
      expect(await anonymous.post(`/users/${self.id}/${path}`)).toMatchObject({ status: 401 })
      expect(await admin.post(`/users/999999/${path}`)).toMatchObject({
        status: 404,
        body: { message: '404 User Not Found' },
      })
      expect(await admin.post(`/users/x/${path}`)).toMatchObject({ status: 400, body: { error: 'id is invalid' } })
    }
    expect(await admin.post(`/users/${self.id}/ban`)).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - The API initiating user cannot be banned by the API' },
    })
    expect(await admin.get('/user')).toMatchObject({ status: 200 })
  })
})

test('email addresses are shown only to administrators and to the user', async () => {
  const shy = await server.user('shy')
  const address = 'shy@example.test'
  const stranger = await server.user('curious')
  for (const client of [stranger, anonymous]) {
    for (const path of [`/users/${shy.user?.id}`, '/users?username=shy', '/users?search=shy']) {
      expect((await client.get(path)).text).not.toContain(address)
    }
    expect((await client.get(`/users?username=shy&search=${address}`)).text).toBe('[]')
  }
  expect((await shy.get(`/users/${shy.user?.id}`)).text).not.toContain(address)
  expect((await shy.get('/user')).body.email).toBe(address)
  expect((await admin.get(`/users/${shy.user?.id}`)).body.email).toBe(address)
})
