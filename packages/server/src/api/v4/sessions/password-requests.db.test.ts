import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { mailStates } from '../../../testing/mail.ts'
import { startServer } from '../../../testing/server.ts'
import { startSmtp } from '../../../testing/stand-ins/smtp.ts'

const url = 'https://alcove.test'
const password = 'another horse battery'
const accepted = {
  status: 202,
  body: { message: 'If an account with this username or e-mail address exists, a link was sent to its address.' },
}

/** Starts a server with mail. `pass` sends the queued messages and returns them. */
async function start(settings: object = {}) {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const smtp = await startSmtp()
  const server = await startServer({
    clock,
    settings: { mail: smtp.settings, externalUrl: url, trustedProxies: ['127.0.0.1'], ...settings },
  })
  return {
    ...{ clock, smtp, server },
    request: (login: string, address = '192.0.2.1') =>
      server.anonymous.post('//-/password_links', { login }, { headers: { 'x-forwarded-for': address } }),
    async pass() {
      await server.runJobs()
      return smtp.received.splice(0)
    },
  }
}

const secretIn = (text = '') => new RegExp(`${url}/-/password#([\\w-]{43})\n`).exec(text)?.[1] ?? ''

const eventName = ({ event_name: name }: { event_name: string }) => name

describe('a forgotten password', () => {
  test.each(['nadia', 'NADIA', 'Nadia@example.test'])('is replaced with a link that is sent to %s', async (login) => {
    const { server, request, pass } = await start()
    await server.user('nadia')
    expect(await request(login)).toMatchObject(accepted)
    const [mail, ...others] = await pass()
    expect(others).toEqual([])
    expect(mail).toMatchObject({ to: 'nadia@example.test', headers: { subject: 'Reset your password' } })
    const events = (await server.admin.get('/audit_events')).body.map(eventName)
    expect(events).toContain('user_password_link_requested')
    expect(mail?.text).toContain('until 2026-05-01 16:00. If you did not request it, ignore this message')
    const token = secretIn(mail?.text)
    expect(await server.anonymous.post('//-/password', { token, password })).toMatchObject({ status: 201 })
    expect(await server.anonymous.post('//-/password', { token, password })).toMatchObject({ status: 401 })
    expect(await server.anonymous.post('//-/sessions', { login: 'nadia', password })).toMatchObject({ status: 201 })
  })

  test('gets the same response for accounts that receive no message, and queues a job for each', async () => {
    const { server, request, pass } = await start()
    const [blocked, deactivated, provided] = [
      await server.user('blocked'),
      await server.user('deactivated'),
      await server.user('provided'),
    ]
    await server.admin.post(`/users/${blocked.user?.id}/block`)
    await server.admin.post(`/users/${deactivated.user?.id}/deactivate`)
    await server.deps.db.run(sql`update users set password_hash = null where id = ${provided.user?.id}`)
    await server.deps.db.run(sql`
      insert into oidc_identities (user_id, provider, issuer, subject, created_at, last_sign_in_at)
      values (${provided.user?.id}, 'corp', 'https://idp.test', 'x', ${server.deps.now()}, ${server.deps.now()})`)
    const logins = ['blocked', 'deactivated', 'provided', 'ghost', 'unknown', 'unknown@example.test']
    const replies = []
    for (const login of logins) replies.push(await request(login))
    for (const reply of replies) {
      expect(reply).toMatchObject(accepted)
      expect(reply.cookies).toEqual([])
    }
    const jobs = await server.deps.db.all(sql`select payload from jobs where kind = 'password-request' order by id`)
    expect(jobs).toHaveLength(6)
    expect(jobs.slice(-2)).toMatchObject([{ payload: { user_id: null } }, { payload: { user_id: null } }])
    expect(JSON.stringify(jobs)).not.toContain('unknown')
    expect(await pass()).toEqual([])
    expect(await mailStates(server.deps)).toEqual({})
    expect(await server.deps.db.all(sql`select id from password_links where user_id <> 1`)).toEqual([])
  })

  test('is sent to a user without a password whom no provider signs in', async () => {
    const { server, request, pass } = await start()
    await server.admin.post('/users', {
      email: 'rosa@example.test',
      name: 'Rosa',
      username: 'rosa',
      force_random_password: true,
    })
    await request('rosa')
    expect(await pass()).toMatchObject([{ to: 'rosa@example.test' }])
  })

  test('sends one message in ten minutes, and ends no link of an administrator', async () => {
    const { server, clock, request, pass } = await start()
    const nadia = await server.user('nadia')
    const issued = await server.admin.post(`/users/${nadia.user?.id}/password_links`)
    await pass()
    await Promise.all([request('nadia'), request('nadia', '198.51.100.7'), request('nadia@example.test')])
    const [first, ...others] = await pass()
    expect(others).toEqual([])
    clock.now = '2026-05-01T10:10:00.000Z'
    await request('nadia')
    expect(await pass()).toHaveLength(1)
    const { token } = issued.body
    expect(await server.anonymous.post('//-/password', { token, password })).toMatchObject({ status: 201 })
    const former = { token: secretIn(first?.text), password }
    expect(await server.anonymous.post('//-/password', former)).toMatchObject({ status: 401 })
  })

  test('is limited to ten requests in five minutes for an account and a network, known or not', async () => {
    const { server, request, clock } = await start()
    await server.user('nadia')
    for (const login of ['nadia', 'unknown']) {
      for (let count = 0; count < 10; count++) expect(await request(login)).toMatchObject({ status: 202 })
      expect(await request(login)).toMatchObject({ status: 429 })
      expect(await request(login, '198.51.100.7')).toMatchObject({ status: 202 })
    }
    clock.now = '2026-05-01T10:05:00.000Z'
    expect(await request('nadia')).toMatchObject({ status: 202 })
  })

  test('does not lock sign-in with the password', async () => {
    const { server, request } = await start()
    await server.user('nadia')
    for (let count = 0; count < 11; count++) await request('nadia', '127.0.0.1')
    const signIn = { login: 'nadia', password: 'correct horse battery' }
    expect(await server.anonymous.post('//-/sessions', signIn)).toMatchObject({ status: 201 })
  })

  test('can only be requested with an SMTP server and with passwords', async () => {
    const state = async (server: Awaited<ReturnType<typeof startServer>>) =>
      (await server.anonymous.get('//-/session')).body.can_request_password_link
    const { server } = await start()
    expect(await state(server)).toBe(true)
    expect(await server.anonymous.post('//-/password_links', {})).toMatchObject({ status: 400 })
    const withoutMail = await startServer()
    expect(await state(withoutMail)).toBe(false)
    expect(await withoutMail.anonymous.post('//-/password_links', { login: 'root' })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('does not send e-mail') },
    })
    const off = await start({ hasPasswords: false })
    expect(await state(off.server)).toBe(false)
    expect(await off.request('root')).toMatchObject({ status: 403 })
    expect(await off.server.deps.db.all(sql`select id from jobs where kind = 'password-request'`)).toEqual([])
  })
})
