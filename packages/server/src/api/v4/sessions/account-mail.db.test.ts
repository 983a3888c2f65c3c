import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { mailStates } from '../../../testing/mail.ts'
import { startServer } from '../../../testing/server.ts'
import { startSmtp } from '../../../testing/stand-ins/smtp.ts'

const url = 'https://alcove.test'
const password = 'another horse battery'

/** Starts a server with mail. `pass` sends the queued messages and returns them. */
async function start(settings: object = {}) {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const smtp = await startSmtp()
  const server = await startServer({ clock, settings: { mail: smtp.settings, externalUrl: url, ...settings } })
  return {
    ...{ clock, smtp, server },
    async pass() {
      await server.runJobs()
      return smtp.received.splice(0)
    },
  }
}

const secretIn = (text = '', page = 'password') => new RegExp(`${url}/-/${page}#([\\w-]{43})\n`).exec(text)?.[1] ?? ''

describe('a password link of an administrator', () => {
  test('is sent to the user with a secret of its own, and either secret works once', async () => {
    const { server, pass } = await start()
    const nadia = await server.user('nadia')
    const issued = await server.admin.post(`/users/${nadia.user?.id}/password_links`)
    expect(issued.status).toBe(201)
    expect(await server.deps.db.all(sql`select data from mails`)).toEqual([
      { data: { digest: expect.stringMatching(/^[0-9a-f]{64}$/), cause: 'administrator' } },
    ])
    const [mail, ...others] = await pass()
    expect(others).toEqual([])
    expect(mail).toMatchObject({ to: 'nadia@example.test', headers: { subject: 'Set your password' } })
    expect(mail?.text).toContain(`${url}. Your username is nadia.`)
    expect(mail?.text).toContain('The link works once, until 2026-05-02 10:00.')
    const secret = secretIn(mail?.text)
    expect(mail?.html).toContain(`href="${url}/-/password#${secret}"`)
    expect(secret).not.toBe('')
    expect(secret).not.toBe(issued.body.token)
    expect(await server.anonymous.post('//-/password', { token: secret, password })).toMatchObject({ status: 201 })
    for (const token of [secret, issued.body.token]) {
      expect(await server.anonymous.post('//-/password', { token, password })).toMatchObject({ status: 401 })
    }
    expect(await pass()).toEqual([])
  })

  test('is not sent after it was used, replaced or withdrawn', async () => {
    const { server, pass } = await start()
    const [nadia, omar, paul] = [await server.user('nadia'), await server.user('omar'), await server.user('paul')]
    const issue = async (id = 0) => (await server.admin.post(`/users/${id}/password_links`)).body.token as string
    const used = await issue(nadia.user?.id)
    expect(await server.anonymous.post('//-/password', { token: used, password })).toMatchObject({ status: 201 })
    await issue(omar.user?.id)
    await issue(omar.user?.id)
    await issue(paul.user?.id)
    await server.admin.put(`/users/${paul.user?.id}`, { email: 'moved@example.test' })
    expect((await pass()).map(({ to }) => to)).toEqual(['omar@example.test'])
    expect(Object.values(await mailStates(server.deps))).toEqual(['skipped', 'skipped', 'sent', 'skipped'])
  })

  test('that is sent late is valid as long as the link, and not sent after its end', async () => {
    const { server, smtp, clock, pass } = await start()
    const nadia = await server.user('nadia')
    await smtp.pause()
    await server.admin.post(`/users/${nadia.user?.id}/password_links`)
    expect(await pass()).toEqual([])
    await smtp.resume()
    clock.now = '2026-05-02T09:59:00.000Z'
    const [mail] = await pass()
    const token = secretIn(mail?.text)
    clock.now = '2026-05-02T10:00:00.000Z'
    expect(await server.anonymous.post('//-/password', { token, password })).toMatchObject({ status: 401 })
  })
})

describe('POST /users with reset_password', () => {
  const draft = { email: 'rosa@example.test', name: 'Rosa', username: 'rosa', reset_password: true }

  test('sends a link to set the password, once', async () => {
    const { server, pass } = await start()
    const created = await server.admin.post('/users', draft)
    expect(created).toMatchObject({ status: 201, body: { username: 'rosa' } })
    const mails = await pass()
    expect(mails).toMatchObject([{ to: 'rosa@example.test', headers: { subject: 'Your account was created' } }])
    const token = secretIn(mails[0]?.text)
    expect(await server.anonymous.post('//-/password', { token, password })).toMatchObject({ status: 201 })
    expect(await server.anonymous.post('//-/sessions', { login: 'rosa', password })).toMatchObject({ status: 201 })
  })

  test('sends nothing with force_random_password, when the user is rejected, or when passwords are off', async () => {
    const { server, pass } = await start()
    await server.user('nadia')
    expect(await server.admin.post('/users', { ...draft, username: 'nadia' })).toMatchObject({ status: 409 })
    const other = { ...draft, reset_password: undefined, force_random_password: true }
    expect(await server.admin.post('/users', other)).toMatchObject({ status: 201 })
    expect(await pass()).toEqual([])
    const off = await start({ hasPasswords: false })
    expect(await off.server.admin.post('/users', draft)).toMatchObject({ status: 201 })
    expect(await off.pass()).toEqual([])
  })

  test('without an SMTP server creates the user, for whom an administrator can create a link', async () => {
    const server = await startServer()
    const { body } = await server.admin.post('/users', draft)
    const link = await server.admin.post(`/users/${body.id}/password_links`)
    const { token } = link.body
    expect(await server.anonymous.post('//-/password', { token, password })).toMatchObject({ status: 201 })
    expect(await server.deps.db.all(sql`select id from mails`)).toEqual([])
  })
})

describe('a sign-in from a new browser', () => {
  const signIn = async ({ server }: Awaited<ReturnType<typeof start>>, cookie = '', agent = 'Safari on macOS') => {
    const headers = { 'user-agent': agent, ...(cookie && { cookie }) }
    const reply = await server.anonymous.post(
      '//-/sessions',
      { login: 'nadia', password: 'correct horse battery' },
      { headers },
    )
    expect(reply.status).toBe(201)
    return reply.cookies.map((text) => text.split(';', 1)[0] ?? '').find((text) => text.includes('alcove_browser='))
  }

  test('is announced by e-mail, except the first one and those from known browsers', async () => {
    const world = await start()
    await world.server.user('nadia')
    const known = await signIn(world)
    expect(await world.pass()).toEqual([])
    world.clock.now = '2026-05-01T11:30:00.000Z'
    await signIn(world, '', 'Firefox <b>bold</b>')
    const [mail, ...others] = await world.pass()
    expect(others).toEqual([])
    expect(mail).toMatchObject({ to: 'nadia@example.test', headers: { subject: 'Sign-in from a new browser' } })
    expect(mail?.text).toContain('- Time: 2026-05-01 11:30\n- Address: 127.0.0.1\n- Browser: Firefox <b>bold</b>\n')
    expect(mail?.html).toContain('Firefox &lt;b&gt;bold&lt;/b&gt;')
    expect(mail?.text).toContain(`${url}/-/profile\n`)
    expect(mail?.headers['list-unsubscribe']).toContain(`${url}/-/unsubscribe/`)
    await signIn(world, known)
    expect(await world.pass()).toEqual([])
  })

  test('is not announced to a user who has turned the messages off', async () => {
    const world = await start()
    const nadia = await world.server.user('nadia')
    await nadia.put('/user/notification_settings', { new_sign_ins: false })
    await signIn(world)
    await signIn(world)
    expect(await world.pass()).toEqual([])
    expect(Object.values(await mailStates(world.server.deps))).toEqual(['skipped'])
    world.clock.now = '2026-05-01T10:01:00.000Z'
    await nadia.put('/user/notification_settings', { new_sign_ins: true })
    await signIn(world)
    expect(await world.pass()).toHaveLength(1)
  })

  test('is announced although the messages are turned off after it', async () => {
    const world = await start()
    const nadia = await world.server.user('nadia')
    await signIn(world)
    await signIn(world)
    world.clock.now = '2026-05-01T10:01:00.000Z'
    await nadia.put('/user/notification_settings', { new_sign_ins: false })
    expect(await world.pass()).toHaveLength(1)
    await signIn(world)
    expect(await world.pass()).toEqual([])
  })
})
