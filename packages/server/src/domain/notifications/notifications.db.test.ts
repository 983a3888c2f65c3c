import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { onSqlite } from '../../testing/databases/database.ts'
import { mailStates } from '../../testing/mail.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer } from '../../testing/server.ts'
import { startSmtp } from '../../testing/stand-ins/smtp.ts'
import { announceDigests, endOf } from './digest.ts'
import { announceExpiringTokens } from './expiring-tokens.ts'
import { announceHeldReports } from './held-reports.ts'
import { announceVulnerabilities } from './new-vulnerabilities.ts'
import { removeOldMailEvents } from './notify.ts'

const start = '2026-05-01T10:00:00.000Z'
const url = 'https://alcove.test'

async function world() {
  const clock = { now: start }
  const smtp = await startSmtp()
  const server = await startServer({ clock, settings: { mail: smtp.settings, externalUrl: url } })
  const project = await server.project('acme/site')
  const announce = [announceVulnerabilities, announceHeldReports, announceExpiringTokens, announceDigests]
  return {
    ...{ clock, smtp, server, project },
    /** Lets time pass, then runs the tasks and sends the messages. */
    async pass(minutes: number) {
      clock.now = new Date(Date.parse(clock.now) + minutes * 60_000).toISOString()
      for (const task of announce) await task(server.deps)
      await server.runJobs()
      return smtp.received.splice(0)
    },
  }
}

const flaw = (name: string, severity: string, line: number) => entry({ name, severity, line, rule: name })
const address = (client: { user?: { username: string } | undefined }) => `${client.user?.username}@example.test`

describe('new critical and high vulnerabilities', () => {
  test.runIf(onSqlite)('are one message per project to members who may read them', async () => {
    const { server, project, pass } = await world()
    const developer = await server.as('developer', project)
    const maintainer = await server.as('maintainer', project)
    await server.as('reporter', project)
    await server.as('outsider', project)
    await server.report(project, [
      flaw('SQL injection', 'Critical', 1),
      flaw('<b>Path</b>\r\ntraversal', 'High', 2),
      flaw('Typo', 'Low', 3),
    ])
    const mails = await pass(2)
    expect(mails.map(({ to }) => to).sort()).toEqual([address(developer), address(maintainer)].sort())
    const [mail] = mails
    expect(mail?.headers['subject']).toBe('acme/site: 1 critical and 1 high new vulnerabilities')
    expect(mail?.text).toContain(
      `- critical: SQL injection\n  ${url}/-/vulnerabilities/1\n- high: <b>Path</b> traversal`,
    )
    expect(mail?.html).toContain('&lt;b&gt;Path&lt;/b&gt; traversal')
    expect(mail?.text).not.toContain('Typo')
    expect(mail?.text).toContain(`${url}/-/profile/notifications`)
    expect(await pass(2)).toEqual([])
    await server.report(project, [flaw('Another', 'High', 9)], { category: 'other' })
    expect((await pass(2)).map(({ headers }) => headers['subject'])).toEqual([
      'acme/site: 0 critical and 1 high new vulnerability',
      'acme/site: 0 critical and 1 high new vulnerability',
    ])
  })

  test('are not sent to a user who has lost access, was deactivated or has turned them off', async () => {
    const { server, project, smtp, clock } = await world()
    const [former, silent, unwilling] = await Promise.all([
      server.as('developer', project),
      server.as('developer', project),
      server.as('developer', project),
    ])
    expect(await unwilling.put('/user/notification_settings', { new_vulnerabilities: false })).toMatchObject({
      status: 200,
    })
    await server.report(project, [flaw('SQL injection', 'Critical', 1)])
    clock.now = '2026-05-01T10:02:00.000Z'
    await announceVulnerabilities(server.deps)
    expect(Object.keys(await mailStates(server.deps))).toHaveLength(3)
    await server.admin.delete(`/projects/${project.id}/members/${former.user?.id}`)
    await server.deps.db.run(sql`update users set is_deactivated = true where id = ${silent.user?.id}`)
    await server.runJobs()
    expect(smtp.received).toEqual([])
    expect(Object.values(await mailStates(server.deps))).toEqual(['skipped', 'skipped', 'skipped'])
  })

  test('are not sent when they were dismissed meanwhile', async () => {
    const { server, project, smtp, clock } = await world()
    await server.as('developer', project)
    const { id } = await server.vulnerability(project, { severity: 'Critical' })
    clock.now = '2026-05-01T10:02:00.000Z'
    await announceVulnerabilities(server.deps)
    await server.admin.post(`/vulnerabilities/${id}/dismiss`)
    await server.runJobs()
    expect(smtp.received).toEqual([])
  })

  test('wait while reports of the project are imported, but not for long', async () => {
    const { server, project, pass } = await world()
    await server.as('developer', project)
    await server.report(project, [flaw('SQL injection', 'Critical', 1)])
    await server.deps.db.run(sql`update imports set state = 'waiting'`)
    expect(await pass(5)).toEqual([])
    expect(await pass(11)).toHaveLength(1)
  })
})

test('a report on hold is announced once to the maintainers', async () => {
  const { server, project, pass } = await world()
  await server.as('developer', project)
  const maintainer = await server.as('maintainer', project)
  const flaws = (total: number) => Array.from({ length: total }, (_, line) => flaw(`Flaw ${line}`, 'Low', line + 1))
  await server.report(project, flaws(20))
  const held = await server.report(project, flaws(5))
  expect(held.absences).toEqual({ status: 'held', count: 15 })
  const mails = await pass(1)
  expect(mails.map(({ to }) => to)).toEqual([address(maintainer)])
  expect(mails[0]?.text).toContain('would make 15 findings of acme/site absent')
  expect(mails[0]?.text).toContain(`${url}/acme/site/-/reports/${held.id}`)
  expect(await pass(60)).toEqual([])
})

describe('a token that expires', () => {
  const expiresAt = '2026-07-01'
  const at = (day: string) => (Date.parse(`2026-${day}T12:00:00.000Z`) - Date.parse(start)) / 60_000

  test.runIf(onSqlite)('is announced to its user 30, 7 and 1 days before', async () => {
    const { server, clock, pass } = await world()
    const ada = await server.user('ada')
    await server.client(ada, { scopes: ['api'], expiresAt })
    const received: string[] = []
    for (const day of ['05-31', '06-01', '06-02', '06-23', '06-24', '06-25', '06-29', '06-30', '07-01']) {
      clock.now = start
      const mails = await pass(at(day))
      received.push(...mails.map(({ to, text }) => `${day} ${to} ${text.split('\n', 1)[0]}`))
    }
    const text = 'Your personal access token “test” is valid until the end of the day before 2026-07-01 (UTC).'
    expect(received).toEqual(['06-01', '06-24', '06-30'].map((day) => `${day} ada@example.test ${text}`))
  })

  test('of a project is announced to its maintainers, and not when it was revoked', async () => {
    const { server, project, smtp, clock, pass } = await world()
    await server.as('developer', project)
    const maintainer = await server.as('maintainer', project)
    const draft = { name: 'deploy', scopes: ['api'], expires_at: expiresAt }
    const created = await server.admin.post(`/projects/${project.id}/access_tokens`, draft)
    expect(created.status).toBe(201)
    const mails = await pass(at('06-24'))
    expect(mails.map(({ to }) => to)).toEqual([address(maintainer)])
    expect(mails[0]?.text).toContain(`${url}/acme/site/-/settings/access_tokens`)
    clock.now = '2026-06-30T12:00:00.000Z'
    await announceExpiringTokens(server.deps)
    await server.admin.delete(`/projects/${project.id}/access_tokens/${created.body.id}`)
    await server.runJobs()
    expect(smtp.received).toEqual([])
  })

  test.runIf(onSqlite)('is not announced 7 days before when it was issued for a shorter time', async () => {
    const { server, clock, pass } = await world()
    const ada = await server.user('ada')
    clock.now = '2026-06-25T10:00:00.000Z'
    await server.client(ada, { scopes: ['api'], expiresAt })
    expect(await pass(60)).toEqual([])
    clock.now = '2026-06-30T10:00:00.000Z'
    expect(await pass(60)).toHaveLength(1)
  })
})

describe.runIf(onSqlite)('a digest', () => {
  test('lists the changes of the projects that the user may read, and is not sent without changes', async () => {
    const { server, project, clock, pass } = await world()
    const hidden = await server.project('acme/hidden')
    const daily = await server.as('developer', project)
    const weekly = await server.as('developer', project)
    await server.as('developer', project)
    await daily.put('/user/notification_settings', { digest: 'daily' })
    await weekly.put('/user/notification_settings', { digest: 'weekly' })
    const { id } = await server.vulnerability(project, { severity: 'Low' })
    await server.vulnerability(project, { severity: 'Medium', name: 'Other', line: 7 })
    await server.vulnerability(hidden, { severity: 'Medium' })
    await server.admin.post(`/vulnerabilities/${id}/resolve`)
    clock.now = '2026-05-02T05:59:00.000Z'
    expect(await pass(0)).toEqual([])
    const mails = await pass(1)
    expect(mails.map(({ to }) => to)).toEqual([address(daily)])
    expect(mails[0]?.headers['subject']).toBe('Daily digest: 2 new, 1 resolved')
    expect(mails[0]?.text).toContain('- acme/site: 2 new, 1 resolved; open: 1 medium')
    expect(mails[0]?.text).not.toContain('hidden')
    clock.now = '2026-05-03T06:00:00.000Z'
    expect(await pass(0)).toEqual([])
    clock.now = '2026-05-04T06:00:00.000Z'
    expect((await pass(0)).map(({ to, headers }) => [to, headers['subject']])).toEqual([
      [address(weekly), 'Weekly digest: 2 new, 1 resolved'],
    ])
  })

  test('ends at six, and on Monday', () => {
    const end = (period: 'daily' | 'weekly', now: string) => new Date(endOf(period, Date.parse(now))).toISOString()
    expect(end('daily', '2026-05-02T05:59:59.999Z')).toBe('2026-05-01T06:00:00.000Z')
    expect(end('daily', '2026-05-02T06:00:00.000Z')).toBe('2026-05-02T06:00:00.000Z')
    expect(end('weekly', '2026-05-04T05:00:00.000Z')).toBe('2026-04-27T06:00:00.000Z')
    expect(end('weekly', '2026-05-04T06:00:00.000Z')).toBe('2026-05-04T06:00:00.000Z')
    expect(end('weekly', '2026-05-10T23:00:00.000Z')).toBe('2026-05-04T06:00:00.000Z')
  })
})

test.runIf(onSqlite)('nothing is announced without an SMTP server', async () => {
  const server = await startServer({ clock: { now: start } })
  const project = await server.project('acme/site')
  await server.as('developer', project)
  await server.report(project, [flaw('SQL injection', 'Critical', 1)])
  for (const task of [announceVulnerabilities, announceHeldReports, announceExpiringTokens, announceDigests]) {
    await task(server.deps)
  }
  expect(await mailStates(server.deps)).toEqual({})
  expect(await server.deps.db.all(sql`select key from mail_events`)).toEqual([])
})

test('records of events are deleted after 90 days', async () => {
  const { server, clock, pass } = await world()
  clock.now = '2026-05-02T06:00:00.000Z'
  await pass(0)
  const total = async () => (await server.deps.db.all(sql`select key from mail_events`)).length
  expect(await total()).toBe(1)
  await removeOldMailEvents(server.deps)
  expect(await total()).toBe(1)
  clock.now = '2026-08-01T06:00:00.000Z'
  await removeOldMailEvents(server.deps)
  expect(await total()).toBe(0)
})
