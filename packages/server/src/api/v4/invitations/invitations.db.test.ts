import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

const password = 'another horse battery'

/** Starts a server with a project, its owner, a group, and the owner of the group. */
async function start(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer(options)
  const project = await server.project('acme/site')
  const maintainer = await server.as('maintainer', project)
  return { server, project, maintainer, path: `/projects/${project.id}/invitations` }
}

/** Invites an address and returns the secret of the link. */
async function inviteBy(client: TestServer['admin'], path: string, email: string, level = 30): Promise<string> {
  const reply = await client.post(path, { email, access_level: level, show_links: true })
  expect(reply).toMatchObject({ status: 201, body: { status: 'success' } })
  return reply.body.links[email].token
}

const accountOf = (token: string, username = 'newcomer') => ({ token, username, name: 'New Comer', password })
const missing = { status: 404, body: { message: '404 Invitation Not Found' } }

describe.runIf(onSqlite)('POST /projects/:id/invitations', () => {
  test('creates an invitation that is listed without its link, until it is revoked', async () => {
    const clock = { now: '2026-05-01T10:00:00.000Z' }
    const { server, project, maintainer, path } = await start({ clock })
    const reply = await maintainer.post(path, { email: 'New@example.test', access_level: 30, expires_at: '2026-06-01' })
    expect(reply).toMatchObject({ status: 201, text: '{"status":"success"}' })
    const shown = {
      id: expect.any(Number),
      invite_email: 'New@example.test',
      access_level: 30,
      created_at: '2026-05-01T10:00:00.000Z',
      expires_at: '2026-06-01',
      created_by_name: maintainer.user?.name,
      link_expires_at: '2026-05-08T10:00:00.000Z',
    }
    expect(await maintainer.get(path)).toMatchObject({ status: 200, headers: { 'x-total': '1' } })
    expect((await maintainer.get(path)).body).toEqual([shown])
    expect((await maintainer.get(`${path}?query=EXAMPLE`)).body).toEqual([shown])
    expect((await maintainer.get(`${path}?query=other`)).body).toEqual([])
    expect((await server.admin.get(`/projects/${project.id}/members`)).body).not.toContainEqual(
      expect.objectContaining({ access_level: 30 }),
    )

    expect(await maintainer.delete(`${path}/new@example.test`)).toMatchObject({ status: 204 })
    expect((await maintainer.get(path)).body).toEqual([])
    expect((await maintainer.delete(`${path}/new@example.test`)).status).toBe(404)
  })

  test('adds users with the address or the id at once, and reports one error for each address', async () => {
    const { server, project, maintainer, path } = await start()
    const [nadia, omar] = [await server.user('nadia'), await server.user('omar')]
    await maintainer.post(path, { email: 'taken@example.test', access_level: 20 })
    const reply = await maintainer.post(path, {
      email: 'taken@example.test,nadia@example.test,new@example.test',
      user_id: `${omar.user?.id},999999`,
      access_level: 20,
      show_links: true,
    })
    expect(reply).toMatchObject({
      status: 201,
      body: {
        status: 'error',
        message: { 'taken@example.test': 'Invite email has already been taken', 999999: 'User not found' },
      },
    })
    expect(Object.keys(reply.body.links)).toEqual(['new@example.test'])
    for (const { user } of [nadia, omar]) {
      const member = await maintainer.get(`/projects/${project.id}/members/${user?.id}`)
      expect(member.body).toMatchObject({ access_level: 20 })
    }
    expect(await maintainer.post(path, { email: 'nadia@example.test', access_level: 30 })).toMatchObject({
      status: 201,
      body: { status: 'error', message: { 'nadia@example.test': 'User already exists in source' } },
    })
    expect(
      await maintainer.post(path, { email: 'x@example.test', access_level: 30, expires_at: '2020-01-01' }),
    ).toMatchObject({ body: { message: { 'x@example.test': 'Expires at cannot be a date in the past' } } })
  })

  test('rejects what GitLab rejects, in its words', async () => {
    const { maintainer, path } = await start()
    const level = { access_level: 30 }
    expect(await maintainer.post(path, level)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - Must provide either email or user_id as a parameter' },
    })
    expect(await maintainer.post(path, { ...level, email: 'a@example.test,nonsense' })).toMatchObject({
      status: 400,
      body: { error: 'email contains an invalid email address' },
    })
    expect(await maintainer.post(path, { email: 'a@example.test', access_level: 31 })).toMatchObject({
      status: 400,
      body: { error: 'access_level does not have a valid value' },
    })
    expect(await maintainer.post(path, { email: 'a@example.test' })).toMatchObject({ status: 400 })
    const many = Array.from({ length: 101 }, (_, index) => `a${index}@example.test`).join()
    expect(await maintainer.post(path, { ...level, email: many })).toMatchObject({
      status: 201,
      body: { status: 'error', message: 'Too many users specified (limit is 100)' },
    })
    expect((await maintainer.get(path)).body).toEqual([])
  })

  test('rejects roles above that of the inviter, and callers who may not add members', async () => {
    const { server, project, maintainer, path } = await start()
    const owner = { email: 'chief@example.test', access_level: 50 }
    expect(await maintainer.post(path, owner)).toMatchObject({ status: 403 })
    expect(await server.admin.post(path, owner)).toMatchObject({ status: 201 })
    for (const method of ['put', 'delete'] as const) {
      expect(await maintainer[method](`${path}/chief@example.test`, { access_level: 30 })).toMatchObject({
        status: 403,
      })
    }
    expect((await maintainer.post(`${path}/chief@example.test/resend`)).status).toBe(403)
    await maintainer.post(path, { email: 'low@example.test', access_level: 10 })
    expect((await maintainer.put(`${path}/low@example.test`, { access_level: 50 })).status).toBe(403)
    const developer = await server.as('developer', project)
    expect((await developer.get(path)).status).toBe(403)
    expect((await developer.post(path, { email: 'a@example.test', access_level: 10 })).status).toBe(403)
    expect((await (await server.user('outsider')).get(path)).status).toBe(404)
  })
})

test.runIf(onSqlite)('PUT changes the role and the expiry date of an invitation', async () => {
  const { maintainer, path } = await start()
  await maintainer.post(path, { email: 'new@example.test', access_level: 10 })
  const change = (body: object) => maintainer.put(`${path}/new@example.test`, body)
  expect(await change({ access_level: 40 })).toMatchObject({
    status: 200,
    body: { access_level: 40, expires_at: null },
  })
  expect(await change({ expires_at: '2999-01-01' })).toMatchObject({
    status: 200,
    body: { access_level: 40, expires_at: '2999-01-01' },
  })
  expect(await change({ expires_at: '2020-01-01' })).toMatchObject({
    status: 400,
    body: { message: { expires_at: ['cannot be a date in the past'] } },
  })
  expect(await change({})).toMatchObject({ status: 400, body: { message: '400 Bad request' } })
  expect((await maintainer.put(`${path}/other@example.test`, { access_level: 10 })).status).toBe(404)
})

describe('the link of an invitation', () => {
  test.runIf(onSqlite)('makes a signed-in user a member with its role, once', async () => {
    const { server, project, maintainer, path } = await start()
    const token = await inviteBy(maintainer, path, 'new@example.test', 20)
    const nadia = await server.user('nadia')
    expect(await server.anonymous.post('//-/invitations/open', { token })).toMatchObject({
      status: 200,
      body: {
        kind: 'project',
        full_path: 'acme/site',
        invite_email: 'new@example.test',
        access_level: 20,
        created_by_name: maintainer.user?.name,
        may_create_account: false,
      },
    })
    expect((await server.anonymous.post('//-/invitations/accept', { token })).status).toBe(401)
    expect(await nadia.post('//-/invitations/accept', { token })).toMatchObject({
      status: 201,
      body: { kind: 'project', full_path: 'acme/site' },
    })
    const member = await maintainer.get(`/projects/${project.id}/members/${nadia.user?.id}`)
    expect(member.body).toMatchObject({ access_level: 20, created_by: { id: maintainer.user?.id } })
    expect(await nadia.post('//-/invitations/accept', { token })).toMatchObject(missing)
    expect((await maintainer.get(path)).body).toEqual([])
  })

  test.runIf(onSqlite)('of an administrator creates an account with the address and signs in', async () => {
    const { server, project, path } = await start()
    const token = await inviteBy(server.admin, path, 'new@example.test', 40)
    expect((await server.anonymous.post('//-/invitations/open', { token })).body.may_create_account).toBe(true)
    expect(
      await server.anonymous.post('//-/invitations/account', { ...accountOf(token), password: 'short' }),
    ).toMatchObject({ status: 400, body: { message: { password: ['is too short (minimum is 8 characters)'] } } })
    const reply = await server.anonymous.post('//-/invitations/account', accountOf(token))
    expect(reply).toMatchObject({ status: 201, body: { kind: 'project', full_path: 'acme/site' } })
    const headers = { cookie: reply.cookies[0]?.split(';')[0] ?? '', 'x-alcove-session': '1' }
    const { body } = await server.anonymous.get('/user', { headers })
    expect(body).toMatchObject({ username: 'newcomer', email: 'new@example.test', name: 'New Comer' })
    expect(body.is_admin).toBeUndefined()
    const member = await server.admin.get(`/projects/${project.id}/members/${body.id}`)
    expect(member.body).toMatchObject({ access_level: 40 })
    const login = { login: 'newcomer', password }
    expect((await server.anonymous.post('//-/sessions', login)).status).toBe(201)
  })

  test.runIf(onSqlite)(
    'creates no account when a member has sent it, when the setting is off, or without passwords',
    async () => {
      const refusal = {
        status: 403,
        body: {
          message: '403 Forbidden - This invitation cannot create an account. Sign in, or ask an administrator.',
        },
      }
      const { server, maintainer, path } = await start()
      const token = await inviteBy(maintainer, path, 'new@example.test')
      expect(await server.anonymous.post('//-/invitations/account', accountOf(token))).toMatchObject(refusal)
      // A change by an administrator does not turn a link that a member has seen into one that creates accounts.
      await server.admin.put(`${path}/new@example.test`, { access_level: 20 })
      expect(await server.anonymous.post('//-/invitations/account', accountOf(token))).toMatchObject(refusal)

      for (const settings of [{ invitedAccounts: 'off' as const }, { hasPasswords: false }]) {
        const off = await start({ settings })
        const ofAdmin = await inviteBy(off.server.admin, off.path, 'new@example.test')
        expect(await off.server.anonymous.post('//-/invitations/account', accountOf(ofAdmin))).toMatchObject(refusal)
        expect((await off.server.admin.get('/users?search=newcomer')).body).toEqual([])
      }
    },
  )

  test.runIf(onSqlite)('expires after seven days, and is replaced by a new one', async () => {
    const clock = { now: '2026-05-01T10:00:00.000Z' }
    const { server, maintainer, path } = await start({ clock })
    const nadia = await server.user('nadia')
    const first = await inviteBy(maintainer, path, 'new@example.test')
    const resent = await maintainer.post(`${path}/new@example.test/resend`)
    expect(resent).toMatchObject({ status: 201, body: { expires_at: '2026-05-08T10:00:00.000Z' } })
    const open = (token: string) => server.anonymous.post('//-/invitations/open', { token })
    expect(await open(first)).toMatchObject(missing)
    expect((await open(resent.body.token)).status).toBe(200)
    clock.now = '2026-05-08T10:00:00.000Z'
    expect(await open(resent.body.token)).toMatchObject(missing)
    expect(await nadia.post('//-/invitations/accept', { token: resent.body.token })).toMatchObject(missing)
    // An address whose link has expired can be invited again.
    expect((await open(await inviteBy(maintainer, path, 'new@example.test'))).status).toBe(200)
  })

  test.runIf(onSqlite)('stops working when its inviter may not add members any more', async () => {
    const { server, project, maintainer, path } = await start()
    const nadia = await server.user('nadia')
    const token = await inviteBy(maintainer, path, 'new@example.test')
    const accept = () => nadia.post('//-/invitations/accept', { token })
    await server.admin.post(`/users/${maintainer.user?.id}/block`)
    expect(await accept()).toMatchObject(missing)
    await server.admin.post(`/users/${maintainer.user?.id}/unblock`)
    await server.admin.put(`/projects/${project.id}/members/${maintainer.user?.id}`, { access_level: 30 })
    expect(await accept()).toMatchObject(missing)
    await server.admin.put(`/projects/${project.id}/members/${maintainer.user?.id}`, { access_level: 40 })
    expect((await accept()).status).toBe(201)
  })

  test.runIf(onSqlite).each(['project', 'group'] as const)(
    'adds no member to a %s that has become a mirror',
    async (kind) => {
      const { server, project, maintainer } = await start()
      const nadia = await server.user('nadia')
      const { body: group } = await server.admin.get('/groups/acme')
      const id = kind === 'group' ? group.id : project.id
      await server.admin.post(`/groups/${group.id}/members`, { user_id: maintainer.user?.id, access_level: 50 })
      const token = await inviteBy(maintainer, `/${kind}s/${id}/invitations`, 'new@example.test')
      const source = { source: 'https://gitlab.test', kind, source_id: '7', target_id: id, local_changes: 'triage' }
      expect((await server.admin.put('/import_sources', source)).status).toBe(200)
      expect(await nadia.post('//-/invitations/accept', { token })).toMatchObject(missing)
      expect((await maintainer.delete(`/${kind}s/${id}/mirror`)).status).toBe(204)
      expect((await nadia.post('//-/invitations/accept', { token })).status).toBe(201)
    },
  )

  test('is used by one of several requests, also when it is revoked at the same time', async () => {
    const { server, project, path } = await start()
    for (let round = 0; round < 4; round++) {
      const email = `round-${round}@example.test`
      const token = await inviteBy(server.admin, path, email)
      const users = await Promise.all([0, 1, 2].map((index) => server.user(`user-${round}-${index}`)))
      const [revoked, created, ...accepted] = await Promise.all([
        server.admin.delete(`${path}/${email}`),
        server.anonymous.post('//-/invitations/account', accountOf(token, `created-${round}`)),
        ...users.map((user) => user.post('//-/invitations/accept', { token })),
      ])
      const used = [created, ...accepted].filter(({ status }) => status === 201)
      expect(used.length).toBe(revoked.status === 204 ? 0 : 1)
      expect([created, ...accepted].every(({ status }) => status === 201 || status === 404)).toBe(true)
      const { body } = await server.admin.get(`/projects/${project.id}/members?query=${round}-`)
      const account = await server.admin.get(`/users?username=created-${round}`)
      expect(account.body.length).toBe(created.status === 201 ? 1 : 0)
      expect(body.length).toBe(used.length - account.body.length)
      expect((await server.admin.get(path)).body).toEqual([])
    }
  })

  test('is stored as a digest only', async () => {
    const { server, path } = await start()
    const token = await inviteBy(server.admin, path, 'new@example.test')
    const rows = await server.deps.db.all(sql`select * from invitations`)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
  })
})

test('invitations end with their project, group or inviter, and a month after their link has expired', async () => {
  const server = await startServer()
  const owner = await server.user('owner')
  const { body: group } = await server.admin.post('/groups', { name: 'team', path: 'team' })
  await server.admin.post(`/groups/${group.id}/members`, { user_id: owner.user?.id, access_level: 50 })
  const { body: other } = await owner.post('/projects', { name: 'other' })
  const count = async () => (await server.deps.db.all(sql`select id from invitations`)).length
  await inviteBy(owner, `/groups/${group.id}/invitations`, 'a@example.test', 5)
  await inviteBy(server.admin, `/groups/${group.id}/invitations`, 'b@example.test', 50)
  await inviteBy(server.admin, `/projects/${other.id}/invitations`, 'c@example.test')
  expect(await count()).toBe(3)
  await server.admin.delete(`/users/${owner.user?.id}`)
  expect(await count()).toBe(1)
  await server.admin.delete(`/groups/${group.id}`)
  expect(await count()).toBe(0)
})
