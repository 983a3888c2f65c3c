import fc from 'fast-check'
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { onSqlite } from '../../testing/databases/database.ts'
import { mailStates } from '../../testing/mail.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../testing/server.ts'
import { startSmtp } from '../../testing/stand-ins/smtp.ts'
import { announceDueDates, skipBegunDays } from './due-dates.ts'

const url = 'https://alcove.test'

async function world() {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const smtp = await startSmtp()
  const server = await startServer({ clock, settings: { mail: smtp.settings, externalUrl: url } })
  const project = await server.project('acme/site')
  return {
    ...{ clock, smtp, server, project },
    /** Sets the time, then runs the task and sends the messages. */
    async at(now: string) {
      clock.now = now
      await announceDueDates(server.deps)
      await server.runJobs()
      return smtp.received.splice(0)
    },
  }
}

/** Creates open vulnerabilities with these due dates and returns their ids. */
async function dueOn(server: TestServer, project: TestProject, dates: readonly string[], category = 'first') {
  await server.report(
    project,
    dates.map((date, index) => entry({ name: `Due ${date}`, rule: `${category}-${index}`, line: index + 1 })),
    { category },
  )
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc&per_page=100`)
  const fresh: { id: number; title: string }[] = body.slice(-dates.length)
  for (const { id, title } of fresh) {
    await server.admin.put(`/vulnerabilities/${id}/due_date`, { due_on: title.slice('Due '.length) })
  }
  return fresh.map(({ id }) => id)
}

const choose = { due_dates: true }
const settings = '/user/notification_settings'
const address = (client: { user?: { username: string } | undefined }) => `${client.user?.username}@example.test`

describe.runIf(onSqlite)('messages about due dates', () => {
  test('are one a day for those who chose them and may triage, about what is due in 7 days, tomorrow or overdue', async () => {
    const { server, project, at } = await world()
    const maintainer = await server.as('maintainer', project)
    const developer = await server.as('developer', project)
    await server.as('maintainer', project)
    const hidden = await server.project('acme/hidden')
    await maintainer.put(settings, choose)
    await developer.put(settings, choose)
    expect(await at('2026-05-03T06:00:00.000Z')).toEqual([])
    await dueOn(server, project, ['2026-05-03', '2026-05-05', '2026-05-04', '2026-05-11', '2026-05-10'])
    await dueOn(server, hidden, ['2026-05-03'])
    expect(await at('2026-05-04T05:59:00.000Z')).toEqual([])
    const mails = await at('2026-05-04T06:00:00.000Z')
    expect(mails.map(({ to }) => to)).toEqual([address(maintainer)])
    expect(mails[0]?.headers['subject']).toBe('Due dates of vulnerabilities: 1 overdue, 2 due soon')
    expect(mails[0]?.text).toContain('- overdue since 2026-05-03: medium: Due 2026-05-03 (acme/site)')
    expect(mails[0]?.text).toContain(`${url}/-/vulnerabilities/`)
    expect(mails[0]?.text).toContain('due on 2026-05-05')
    expect(mails[0]?.text).toContain('due on 2026-05-11')
    expect(mails[0]?.text).not.toContain('hidden')
    expect(await at('2026-05-04T23:00:00.000Z')).toEqual([])
  })

  test('are not sent without anything due, and no longer after the link in them is used', async () => {
    const { server, project, at } = await world()
    const maintainer = await server.as('maintainer', project)
    await maintainer.put(settings, choose)
    const [id] = await dueOn(server, project, ['2026-05-09', '2026-05-10'])
    expect(await at('2026-05-01T12:00:00.000Z')).toEqual([])
    const [mail] = await at('2026-05-02T06:00:00.000Z')
    expect(mail?.headers['subject']).toBe('Due dates of vulnerabilities: 0 overdue, 1 due soon')
    const link = /<(https:[^>]*unsubscribe[^>]*)>/.exec(String(mail?.headers['list-unsubscribe']))?.[1] ?? ''
    await server.app.inject({ method: 'POST', url: new URL(link).pathname })
    expect((await maintainer.get(settings)).body).toMatchObject({ due_dates: false, new_vulnerabilities: true })
    expect(await at('2026-05-03T06:00:00.000Z')).toEqual([])
    await maintainer.put(settings, choose)
    await server.admin.post(`/vulnerabilities/${id}/dismiss`)
    expect(await at('2026-05-08T06:00:00.000Z')).toEqual([])
  })

  test('leave out what was closed, or got another date, between the queueing and the sending', async () => {
    const { server, project, smtp, clock } = await world()
    const maintainer = await server.as('maintainer', project)
    await maintainer.put(settings, choose)
    const [closed, moved] = await dueOn(server, project, ['2026-05-03', '2026-05-03'])
    clock.now = '2026-05-02T07:00:00.000Z'
    await announceDueDates(server.deps)
    await server.admin.post(`/vulnerabilities/${closed}/resolve`)
    await server.admin.put(`/vulnerabilities/${moved}/due_date`, { due_on: '2026-08-01' })
    await server.runJobs()
    expect(smtp.received).toEqual([])
    expect(Object.values(await mailStates(server.deps))).toEqual(['skipped'])
  })

  test('cover three days after the server was down, in one message', async () => {
    const { server, project, at } = await world()
    const maintainer = await server.as('maintainer', project)
    await maintainer.put(settings, choose)
    await dueOn(server, project, ['2026-05-11', '2026-05-18', '2026-05-19', '2026-05-20'])
    expect(await at('2026-05-02T06:00:00.000Z')).toEqual([])
    const mails = await at('2026-05-13T09:00:00.000Z')
    // The 11th became overdue on the 12th; the 18th to the 20th are a week after the 11th to the 13th.
    expect(mails.map(({ headers }) => headers['subject'])).toEqual([
      'Due dates of vulnerabilities: 1 overdue, 3 due soon',
    ])
    expect(await at('2026-05-13T10:00:00.000Z')).toEqual([])
  })

  test('are no flood after a policy that makes everything overdue, or after a restore', async () => {
    const { server, project, at, clock } = await world()
    const maintainer = await server.as('maintainer', project)
    await maintainer.put(settings, choose)
    await server.report(
      project,
      Array.from({ length: 30 }, (_, index) => entry({ rule: `r${index}`, severity: 'High' })),
    )
    expect(await at('2026-05-20T07:00:00.000Z')).toEqual([])
    await server.admin.put(`/projects/${project.id}/due_date_policy`, { high_days: 3 })
    await server.runJobs()
    expect((await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body[0].overdue).toBe(true)
    expect(await at('2026-05-21T07:00:00.000Z')).toEqual([])

    await dueOn(server, project, ['2026-05-23'], 'other')
    clock.now = '2026-05-22T07:00:00.000Z'
    await skipBegunDays(server.deps)
    expect(await at('2026-05-22T08:00:00.000Z')).toEqual([])
    expect(await at('2026-05-24T08:00:00.000Z')).toHaveLength(1)
  })

  test('list twenty at most and state how many follow', async () => {
    const { server, project, at } = await world()
    const maintainer = await server.as('maintainer', project)
    await maintainer.put(settings, choose)
    await dueOn(
      server,
      project,
      Array.from({ length: 22 }, () => '2026-05-03'),
    )
    const [mail] = await at('2026-05-02T07:00:00.000Z')
    expect(mail?.text).toContain('and 2 more')
    expect(mail?.text.match(/due on 2026-05-03/g)).toHaveLength(20)
  })
})

test('random days, outages and changes of dates announce each vulnerability at most once for a kind and date', async () => {
  const { server, project, clock, smtp } = await world()
  const maintainer = await server.as('maintainer', project)
  await maintainer.put(settings, choose)
  const [id] = await dueOn(server, project, ['2026-06-01'])
  const dateAfter = (days: number) => new Date(Date.parse('2026-06-01') + days * 86_400_000).toISOString().slice(0, 10)
  const step = fc.record({
    hours: fc.constantFrom(1, 6, 12, 24, 48, 96),
    dueIn: fc.option(fc.integer({ min: -2, max: 9 })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      await server.deps.db.run(sql`delete from mail_events`)
      await server.deps.db.run(sql`delete from mails`)
      let at = Date.parse('2026-06-01T03:00:00.000Z')
      const announced: string[] = []
      for (const { hours, dueIn } of steps) {
        at += hours * 3_600_000
        clock.now = new Date(at).toISOString()
        const passed = Math.floor((at - Date.parse('2026-06-01')) / 86_400_000)
        if (dueIn !== null) {
          await server.admin.put(`/vulnerabilities/${id}/due_date`, { due_on: dateAfter(passed + dueIn) })
        }
        await announceDueDates(server.deps)
        await server.runJobs()
        const mails = smtp.received.splice(0)
        expect(mails.length).toBeLessThanOrEqual(1)
        for (const { text } of mails) {
          const [, kind, date = ''] = /- (overdue since|due on) (\S+):/.exec(text) ?? []
          const daysLeft = (Date.parse(date) - Date.parse(clock.now.slice(0, 10))) / 86_400_000
          announced.push(`${kind === 'due on' && daysLeft > 1 ? 'in a week' : kind} ${date}`)
        }
      }
      expect(announced).toEqual([...new Set(announced)])
    }),
    { numRuns: 6 },
  )
})
