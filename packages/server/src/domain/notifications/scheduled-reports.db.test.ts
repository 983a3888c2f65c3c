import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { onSqlite } from '../../testing/databases/database.ts'
import { mailStates } from '../../testing/mail.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer } from '../../testing/server.ts'
import { startSmtp } from '../../testing/stand-ins/smtp.ts'
import { queueScheduledReports, skipDueReports } from '../exports/schedules/queue-reports.ts'

const url = 'https://alcove.test'
/** A Friday. */
const start = '2026-05-01T10:00:00.000Z'
const monday = '2026-05-04T06:00:00.000Z'
const times = { period: 'weekly', day: 1, hour: 8, time_zone: 'Europe/Berlin' }

async function world() {
  const clock = { now: start }
  const smtp = await startSmtp()
  const server = await startServer({ clock, settings: { mail: smtp.settings, externalUrl: url } })
  const project = await server.project('acme/site')
  const reader = await server.as('developer', project)
  const path = `/projects/${project.id}/report_schedules`
  return {
    ...{ clock, smtp, server, project, reader, path },
    async subscribe(of = path, body: object = times) {
      const reply = await reader.post(of, body)
      expect(reply.status, reply.text).toBe(201)
      return reply.body
    },
    /** Sets the time, then queues and sends what is due. */
    async at(now: string) {
      clock.now = now
      await queueScheduledReports(server.deps)
      await server.runJobs()
      return smtp.received.splice(0)
    },
  }
}

const flaw = (name: string, line: number) => entry({ name, severity: 'High', line, rule: name })
const later = (time: string, minutes: number) => new Date(Date.parse(time) + minutes * 60_000).toISOString()

describe('a scheduled report', () => {
  test.runIf(onSqlite)(
    'is sent at its hour with the report attached, and compares with the previous one of the schedule',
    async () => {
      const { server, project, reader, subscribe, at, path } = await world()
      await server.report(project, [flaw('First flaw', 1)])
      expect(await subscribe()).toMatchObject({ next_at: monday, reported_at: null, time_zone: 'Europe/Berlin' })
      expect(await at(later(monday, -1))).toEqual([])
      const [mail, ...others] = await at(monday)
      expect(others).toEqual([])
      expect(mail?.to).toBe(`${reader.user?.username}@example.test`)
      expect(mail?.headers['subject']).toBe('Vulnerability report: acme/site')
      expect(mail?.text).toContain('The report is attached.')
      expect(mail?.text).toMatch(new RegExp(`${url}/-/vulnerability_reports/\\d+`))
      const [file] = mail?.attachments ?? []
      expect(file?.filename).toBe('acme-site_report_2026-05-04T0600.html')
      const html = file?.content.toString() ?? ''
      expect(html).toContain('First flaw')
      expect(html).not.toContain('the previous report')
      expect(html).not.toContain('<script')
      expect((await reader.get(path)).body).toMatchObject([
        { next_at: '2026-05-11T06:00:00.000Z', reported_at: monday },
      ])

      expect(await at(later(monday, 10))).toEqual([])
      // A report that the user requests in between does not count.
      await reader.post(`/security/projects/${project.id}/vulnerability_exports`, { export_format: 'html' })
      await server.report(project, [flaw('First flaw', 1), flaw('Second flaw', 9)])
      const [next] = await at('2026-05-11T06:00:00.000Z')
      expect(next?.attachments[0]?.content.toString()).toContain(
        'Since the previous report, <time datetime="2026-05-04T06:00',
      )
    },
  )

  test('of a month is sent on its day, and of a group with all projects below it', async () => {
    const { server, project, reader, subscribe, at } = await world()
    const group = project['namespace'].id
    await server.admin.post(`/groups/${group}/members`, { user_id: reader.user?.id, access_level: 30 })
    await server.report(project, [flaw('First flaw', 1)])
    const body = { period: 'monthly', day: 31, hour: 0, time_zone: 'UTC' }
    expect(await subscribe(`/groups/${group}/report_schedules`, body)).toMatchObject({
      ...{ group_id: group, project_id: null, next_at: '2026-05-31T00:00:00.000Z' },
    })
    const [mail] = await at('2026-05-31T00:00:00.000Z')
    expect(mail?.headers['subject']).toBe('Vulnerability report: acme')
    expect(mail?.attachments[0]?.content.toString()).toContain('First flaw')
    expect(await at('2026-06-29T23:59:00.000Z')).toEqual([])
    expect(await at('2026-06-30T00:00:00.000Z')).toHaveLength(1)
  })

  test('is not sent to users who have lost access before it is written or before it is sent, or were blocked', async () => {
    const { server, project, reader, subscribe, at, clock, smtp } = await world()
    await subscribe()
    const member = `/projects/${project.id}/members/${reader.user?.id}`
    await server.admin.put(member, { access_level: 20 })
    expect(await at(monday)).toEqual([])
    expect(await mailStates(server.deps)).toEqual({})

    await server.admin.put(member, { access_level: 30 })
    clock.now = '2026-05-11T06:00:00.000Z'
    await queueScheduledReports(server.deps)
    // The mail server is down while the report is written, and the role changes before the next attempt.
    smtp.atRecipient = () => 450
    await server.runJobs()
    expect(Object.values(await mailStates(server.deps))).toEqual(['queued'])
    await server.admin.put(member, { access_level: 20 })
    smtp.atRecipient = () => 'accept'
    clock.now = '2026-05-11T09:00:00.000Z'
    await server.runJobs()
    expect(smtp.received).toEqual([])
    expect(Object.values(await mailStates(server.deps))).toEqual(['skipped'])

    await server.admin.put(member, { access_level: 30 })
    await server.admin.post(`/users/${reader.user?.id}/block`)
    expect(await at('2026-05-18T06:00:00.000Z')).toEqual([])
  })

  test('is sent once, whichever processes find it and however often its jobs run', async () => {
    const { server, subscribe, at, clock, smtp } = await world()
    await subscribe()
    clock.now = monday
    await Promise.all([1, 2, 3, 4].map(() => queueScheduledReports(server.deps)))
    const exports = await server.deps.db.all(sql`select id from vulnerability_exports`)
    expect(exports).toHaveLength(1)
    await server.runJobs()
    expect(smtp.received.splice(0)).toHaveLength(1)
    expect(await at(later(monday, 1))).toEqual([])
  })

  test.runIf(onSqlite)('is sent late after an outage of up to a day, and otherwise with the next period', async () => {
    const { subscribe, at } = await world()
    await subscribe()
    expect(await at(later(monday, 23 * 60))).toHaveLength(1)
    expect(await at('2026-05-13T06:00:00.000Z')).toEqual([])
    expect(await at('2026-05-18T06:00:00.000Z')).toHaveLength(1)
  })

  test('is not sent again after a restore, whether it was due or being written', async () => {
    const { server, subscribe, at, clock } = await world()
    const { id } = await subscribe()
    clock.now = monday
    await queueScheduledReports(server.deps)
    // The backup has the report that waits; the former server has sent it, and the one of the week after.
    clock.now = '2026-05-11T07:00:00.000Z'
    await skipDueReports(server.deps)
    expect(await at('2026-05-11T07:00:00.000Z')).toEqual([])
    const row = await server.deps.db.one(sql`select next_at from report_schedules where id = ${id}`)
    expect(row).toEqual({ nextAt: '2026-05-18T06:00:00.000Z' })
    expect(await at('2026-05-18T06:00:00.000Z')).toHaveLength(1)
  })

  test.runIf(onSqlite)('ends with the link in its message, and a message that is queued then is not sent', async () => {
    const { server, subscribe, at, reader, path, clock, smtp } = await world()
    await subscribe()
    const [mail] = await at(monday)
    const other = await subscribe()
    const link = /<(.+)>/.exec(mail?.headers['list-unsubscribe'] ?? '')?.[1] ?? ''
    const token = link.split('/-/unsubscribe/')[1] ?? ''
    clock.now = '2026-05-11T06:00:00.000Z'
    await queueScheduledReports(server.deps)
    expect((await server.anonymous.post(`//-/unsubscribe/${token.replace(/\d/, '9')}`)).status).toBe(404)
    expect((await server.anonymous.post(`//-/unsubscribe/${token}`)).status).toBe(204)
    expect((await reader.get(path)).body).toMatchObject([{ id: other.id }])
    expect((await server.anonymous.post(`//-/unsubscribe/${token}`)).status).toBe(204)
    smtp.received.length = 0
    await server.runJobs()
    expect(smtp.received.map(({ headers }) => headers['subject'])).toEqual(['Vulnerability report: acme/site'])
  })

  test.runIf(onSqlite)('is not queued without a mail server', async () => {
    const clock = { now: start }
    const server = await startServer({ clock })
    const project = await server.project('acme/site')
    await server.admin.post(`/projects/${project.id}/report_schedules`, times)
    clock.now = monday
    await queueScheduledReports(server.deps)
    expect(await server.deps.db.all(sql`select id from vulnerability_exports`)).toEqual([])
  })
})
