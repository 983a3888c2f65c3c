import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { onSqlite } from '../../../testing/databases/database.ts'
import { mailStates } from '../../../testing/mail.ts'
import { startServer } from '../../../testing/server.ts'
import { startSmtp } from '../../../testing/stand-ins/smtp.ts'

const url = 'https://alcove.test'

/** Starts a server with mail, a project and its maintainer. `pass` sends the queued messages and returns them. */
async function start(settings: object = {}) {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const smtp = await startSmtp()
  const server = await startServer({ clock, settings: { mail: smtp.settings, externalUrl: url, ...settings } })
  const project = await server.project('acme/site')
  const maintainer = await server.as('maintainer', project)
  return {
    ...{ clock, smtp, server, project, maintainer, path: `/projects/${project.id}/invitations` },
    async pass() {
      await server.runJobs()
      return smtp.received.splice(0)
    },
  }
}

const secretIn = (text = '') => new RegExp(`${url}/-/invitation#([\\w-]{43})\n`).exec(text)?.[1] ?? ''
const invited = { email: 'new@example.test', access_level: 30, expires_at: '2026-06-01', show_links: true }

test.runIf(onSqlite)(
  'an invitation is sent with inviter, place, role and both expiry dates, and no secret is stored',
  async () => {
    const { server, maintainer, path, pass } = await start()
    const reply = await maintainer.post(path, invited)
    expect(reply).toMatchObject({ status: 201, body: { status: 'success' } })
    const shown: string = reply.body.links['new@example.test'].token
    const [stored] = await server.deps.db.all<{ data: object }>(sql`select data from mails`)
    expect(stored).toEqual({ data: { digest: expect.stringMatching(/^[0-9a-f]{64}$/) } })
    const [mail, ...others] = await pass()
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      to: 'new@example.test',
      headers: { subject: 'Invitation to the project acme/site' },
    })
    const { user } = maintainer
    expect(mail?.text).toContain(
      `${user?.name} (@${user?.username}) has invited you to the project acme/site on ${url} with the role Developer.`,
    )
    expect(mail?.text).toContain('The membership ends on 2026-06-01.')
    expect(mail?.text).toContain('The link works once, until 2026-05-08 10:00.')
    const token = secretIn(mail?.text)
    expect(token).not.toBe(shown)
    expect(mail?.html).toContain(`href="${url}/-/invitation#${token}"`)
    for (const secret of [token, shown]) {
      expect(await server.anonymous.post('//-/invitations/open', { token: secret })).toMatchObject({ status: 200 })
    }
    const nadia = await server.user('nadia')
    expect(await nadia.post('//-/invitations/accept', { token })).toMatchObject({ status: 201 })
    expect(await nadia.post('//-/invitations/accept', { token: shown })).toMatchObject({ status: 404 })
    expect(await pass()).toEqual([])
  },
)

test.runIf(onSqlite)('the message with an invitation of an administrator creates an account', async () => {
  const { server, path, pass } = await start({ invitedAccounts: 'administrators' })
  await server.admin.post(path, { ...invited, show_links: undefined })
  const [mail] = await pass()
  const account = { username: 'newcomer', name: 'New Comer', password: 'another horse battery' }
  const created = await server.anonymous.post('//-/invitations/account', { ...account, token: secretIn(mail?.text) })
  expect(created).toMatchObject({ status: 201, body: { full_path: 'acme/site' } })
})

test('a new link of an invitation is sent again, and the former ones stop working', async () => {
  const { server, maintainer, path, pass } = await start()
  await maintainer.post(path, invited)
  const [first] = await pass()
  expect(await maintainer.post(`${path}/new@example.test/resend`)).toMatchObject({ status: 201 })
  const [second, ...others] = await pass()
  expect(others).toEqual([])
  const open = (text = '') => server.anonymous.post('//-/invitations/open', { token: secretIn(text) })
  expect(await open(first?.text)).toMatchObject({ status: 404 })
  expect(await open(second?.text)).toMatchObject({ status: 200 })
})

test.runIf(onSqlite)(
  'an invitation is not sent after it was revoked, its inviter has lost the right, or its link has expired',
  async () => {
    const { server, clock, project, maintainer, path, pass, smtp } = await start()
    await maintainer.post(path, invited)
    await maintainer.delete(`${path}/new@example.test`)
    expect(await pass()).toEqual([])
    await maintainer.post(path, { ...invited, email: 'other@example.test' })
    await server.admin.put(`/projects/${project.id}/members/${maintainer.user?.id}`, { access_level: 30 })
    expect(await pass()).toEqual([])
    await smtp.pause()
    await server.admin.post(path, { ...invited, email: 'third@example.test' })
    expect(await pass()).toEqual([])
    await smtp.resume()
    clock.now = '2026-05-08T10:00:00.000Z'
    expect(await pass()).toEqual([])
    expect(Object.values(await mailStates(server.deps))).toEqual(['skipped', 'skipped', 'skipped'])
  },
)

test.runIf(onSqlite)('users who become members at once receive no invitation', async () => {
  const { server, maintainer, path, pass } = await start()
  await server.user('nadia')
  await maintainer.post(path, { ...invited, email: 'nadia@example.test' })
  expect(await pass()).toEqual([])
  expect(await mailStates(server.deps)).toEqual({})
})

test.runIf(onSqlite)('an address receives at most five messages in an hour, from whichever project', async () => {
  const { server, clock, maintainer, path, pass } = await start()
  await maintainer.post(path, invited)
  const resend = () => maintainer.post(`${path}/NEW@example.test/resend`)
  for (let count = 0; count < 3; count++) expect(await resend()).toMatchObject({ status: 201 })
  await maintainer.delete(`${path}/new@example.test`)
  expect(await maintainer.post(path, invited)).toMatchObject({ body: { status: 'success' } })
  const sentence = 'This address receives at most 5 invitations in an hour. Try again later.'
  expect(await resend()).toMatchObject({ status: 429, body: { message: sentence } })
  const other = await server.project('acme/other')
  const others = `/projects/${other.id}/invitations`
  const both = { ...invited, email: 'new@example.test,next@example.test' }
  expect((await server.admin.post(others, both)).body).toMatchObject({
    status: 'error',
    message: { 'new@example.test': sentence },
    links: { 'next@example.test': {} },
  })
  expect((await server.admin.get(others)).body).toMatchObject([{ invite_email: 'next@example.test' }])
  // The refused requests have replaced no link.
  const mails = await pass()
  expect(mails.map(({ to }) => to).sort()).toEqual(['new@example.test', 'next@example.test'])
  const opened = { token: secretIn(mails.find(({ to }) => to === 'new@example.test')?.text) }
  expect(await server.anonymous.post('//-/invitations/open', opened)).toMatchObject({ status: 200 })
  clock.now = '2026-05-01T11:00:00.000Z'
  expect(await resend()).toMatchObject({ status: 201 })
})

test.runIf(onSqlite)('a user sends at most 300 invitations in an hour, and an administrator any number', async () => {
  const { server, maintainer, path } = await start()
  const batch = (first: number) =>
    Array.from({ length: 100 }, (_, index) => `guest${first + index}@example.test`).join(',')
  for (const first of [0, 100, 200]) {
    expect((await maintainer.post(path, { ...invited, email: batch(first) })).body.status).toBe('success')
  }
  const email = 'one-more@example.test'
  expect((await maintainer.post(path, { ...invited, email })).body).toMatchObject({
    message: { [email]: 'You can send 300 invitations in an hour. Try again later.' },
  })
  expect((await server.admin.post(path, { ...invited, email })).body.status).toBe('success')
})
