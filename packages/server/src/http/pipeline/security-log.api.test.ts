import { describe, expect, test } from 'vitest'
import { startServer } from '../../testing/server.ts'

const password = 'correct horse battery'

/** Starts a server and collects its log. */
async function startLogged() {
  const lines: Record<string, unknown>[] = []
  const server = await startServer({ log: (line) => lines.push(line) })
  const user = await server.user('nadia')
  lines.length = 0
  return {
    server,
    user,
    lines,
    events: () => lines.filter(({ event }) => event !== undefined && event !== 'request.refused'),
  }
}

const signIn = { login: 'nadia', password }

describe('the security log', () => {
  test('has sign-ins, failed ones with the reason, and sign-outs', async () => {
    const { server, user, lines, events } = await startLogged()
    const about = { user_id: user.user?.id, username: 'nadia', address: '127.0.0.1' }
    const { cookies } = await server.anonymous.post('//-/sessions', signIn)
    await server.anonymous.post('//-/sessions', { ...signIn, password: 'a wrong secret' })
    await server.anonymous.post('//-/sessions', { login: 'typed-secret', password: 'a wrong secret' })
    await server.anonymous.post('//-/sessions', { token: 'a made-up token' })
    await server.anonymous.delete('//-/sessions', undefined, { headers: { cookie: cookies[0]?.split(';')[0] ?? '' } })
    expect(events()).toMatchObject([
      { event: 'sign_in.succeeded', method: 'password', ...about },
      { event: 'sign_in.failed', reason: 'wrong name or password', ...about },
      { event: 'sign_in.failed', reason: 'wrong name or password', address: '127.0.0.1' },
      { event: 'sign_in.failed', reason: 'unauthenticated', method: 'token', address: '127.0.0.1' },
      { event: 'session.ended', user_id: user.user?.id },
    ])
    expect(events()[2]).not.toHaveProperty('user_id')
    const text = JSON.stringify(lines)
    for (const secret of ['a wrong secret', 'typed-secret', 'a made-up token', password, cookies[0]?.slice(15, 58)]) {
      expect(text).not.toContain(secret)
    }
  })

  test('has rate-limited sign-ins and those of blocked users', async () => {
    const { server, user, events } = await startLogged()
    for (let count = 0; count < 11; count++) await server.anonymous.post('//-/sessions', { ...signIn, password: 'x' })
    expect(events().at(-1)).toMatchObject({ event: 'sign_in.failed', reason: 'too-many-requests' })
    await server.user('gone')
    const { body } = await server.admin.get('/users?username=gone')
    await server.admin.post(`/users/${body[0].id}/block`)
    await server.anonymous.post('//-/sessions', { login: 'gone', password })
    expect(events().at(-1)).toMatchObject({
      event: 'sign_in.failed',
      reason: 'account not active',
      user_id: body[0].id,
    })
    expect(user.user?.id).not.toBe(body[0].id)
  })

  test('has rejected requests with user and reason', async () => {
    const { server, user, lines } = await startLogged()
    const refusalOf = async (ask: () => Promise<unknown>) => {
      lines.length = 0
      await ask()
      return lines.find(({ msg }) => msg === 'request')
    }
    const user_id = user.user?.id
    const reader = await server.client(user, { scopes: ['read_api'] })
    expect(await refusalOf(() => user.get('/admin/jobs'))).toMatchObject({
      ...{ event: 'request.refused', status: 403, reason: 'forbidden', user_id },
    })
    expect(await refusalOf(() => reader.post('/projects', { name: 'x' }))).toMatchObject({
      ...{ event: 'request.refused', status: 403, reason: 'scope-too-small', user_id },
    })
    expect(await refusalOf(() => server.anonymous.get('/user'))).toMatchObject({
      ...{ event: 'request.refused', status: 401, reason: 'unauthenticated' },
    })
    const ordinary = await refusalOf(() => user.get('/user'))
    expect(ordinary).toMatchObject({ status: 200, user_id })
    expect(ordinary).not.toHaveProperty('event')
  })

  test('has changes of permissions with the user who made them', async () => {
    const { server, user, events, lines } = await startLogged()
    const id = user.user?.id
    const project = await server.project('acme/site')
    const by = { by_user_id: 1, by_username: 'root', with: 'personal' }
    lines.length = 0
    await server.admin.post(`/projects/${project.id}/members`, { user_id: id, access_level: 30 })
    await server.admin.put(`/projects/${project.id}/members/${id}`, { access_level: 40 })
    await server.admin.delete(`/projects/${project.id}/members/${id}`)
    await server.admin.put(`/users/${id}`, { admin: true })
    await server.admin.post(`/users/${id}/block`)
    await server.admin.post(`/users/${id}/unblock`)
    await server.admin.delete(`/users/${id}/sessions`)
    expect(events()).toMatchObject([
      { event: 'member.added', ...by, project_id: project.id, parameters: { user_id: String(id), access_level: '30' } },
      { event: 'member.changed', ...by, project_id: project.id, parameters: { access_level: '40' } },
      { event: 'member.removed', ...by, project_id: project.id, parameters: { user_id: String(id) } },
      { event: 'user.changed', ...by, parameters: { id: String(id), admin: 'true' } },
      { event: 'user.blocked', ...by, parameters: { id: String(id) } },
      { event: 'user.unblocked', ...by, parameters: { id: String(id) } },
      { event: 'session.ended', user_id: id, by_user_id: 1 },
    ])
  })

  test('has changes of tokens and passwords, without the secrets', async () => {
    const { server, user, events, lines } = await startLogged()
    const id = user.user?.id
    const { body: token } = await server.admin.post(`/users/${id}/personal_access_tokens`, {
      name: 'x',
      scopes: ['api'],
    })
    const { body: rotated } = await server.admin.post(`/personal_access_tokens/${token.id}/rotate`)
    await server.admin.delete(`/personal_access_tokens/${rotated.id}`)
    const { body: link } = await server.admin.post(`/users/${id}/password_links`)
    await server.anonymous.post('//-/password', { token: link.token, password: 'set by the link' })
    await server.admin.put(`/users/${id}`, { password: 'set by the administrator' })
    expect(events()).toMatchObject([
      { event: 'token.created', parameters: { user_id: String(id), scopes: 'api' }, result_id: token.id },
      { event: 'token.rotated', parameters: { id: String(token.id) }, result_id: rotated.id },
      { event: 'token.revoked', parameters: { id: String(rotated.id) } },
      { event: 'password_link.created', user_id: id, by_user_id: 1 },
      { event: 'password.changed', user_id: id, method: 'link' },
      { event: 'sign_in.succeeded', user_id: id, method: 'link' },
      { event: 'password.changed', user_id: id },
      { event: 'user.changed' },
    ])
    const text = JSON.stringify(lines)
    for (const secret of [token.token, rotated.token, link.token, 'set by the link', 'set by the administrator']) {
      expect(text).not.toContain(secret)
    }
  })
})
