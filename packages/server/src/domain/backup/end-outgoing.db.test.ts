import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { migrations } from '../../db/migrations/all.ts'
import { openMemoryStore } from '../../platform/object-store/memory.ts'
import { backUp, memoryBackups, spareDatabase } from '../../testing/backups.ts'
import { freshDatabase } from '../../testing/databases/database.ts'
import { mailStates } from '../../testing/mail.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer, type TestOptions } from '../../testing/server.ts'
import { startReceiver } from '../../testing/stand-ins/receiver.ts'
import { startSmtp } from '../../testing/stand-ins/smtp.ts'
import { passMinutes, startWithTracker } from '../../testing/trackers.ts'
import { announceDigests } from '../notifications/digest.ts'
import { announceDueDates } from '../notifications/due-dates.ts'
import { announceVulnerabilities } from '../notifications/new-vulnerabilities.ts'
import { endOutgoing } from './end-outgoing.ts'
import { restoreRows } from './restore-backup.ts'

type Source = Parameters<typeof backUp>[0]

/** Creates where a server keeps its data. */
const openSource = async (): Promise<Source> => ({ database: await freshDatabase(), objects: openMemoryStore() })

/** Restores a backup of the server, as the command does, and starts a server with it. */
async function startRestored(source: Source, options: TestOptions & { clock: { now: string } }) {
  const { store } = memoryBackups()
  const { manifest } = await backUp(source, store)
  return {
    async start() {
      const { db } = await spareDatabase()
      await restoreRows(store, manifest, { db, migrations })
      const ended = await endOutgoing({ db, now: () => options.clock.now })
      const database = { db, drop: async () => {} }
      return { ended, server: await startServer({ ...options, database, objects: source.objects }) }
    },
  }
}

const flaw = (severity: string, line: number) =>
  entry({ name: `${severity} flaw`, severity, line, rule: `rule-${line}` })

test('a restored copy sends no e-mail that the former server may have sent after the backup', async () => {
  const [source, smtp] = [await openSource(), await startSmtp()]
  const clock = { now: '2026-05-01T05:59:00.000Z' }
  const options = { clock, settings: { mail: smtp.settings, externalUrl: 'https://alcove.test' } }
  const former = await startServer({ ...options, ...source })
  const project = await former.project('acme/site')
  const developer = await former.as('developer', project)
  await developer.put('/user/notification_settings', { digest: 'daily', due_dates: true })
  const maintainer = await former.as('maintainer', project)
  await maintainer.put('/user/notification_settings', { new_vulnerabilities: false, due_dates: true })
  await former.report(project, [flaw('Critical', 1)])
  const { body: found } = await former.admin.get(`/projects/${project.id}/vulnerabilities`)
  await former.admin.put(`/vulnerabilities/${found[0].id}/due_date`, { due_on: '2026-05-02' })
  clock.now = '2026-05-01T06:05:00.000Z'
  await announceVulnerabilities(former.deps)
  await former.report(project, [flaw('High', 2)], { category: 'other' })
  const queued = Object.keys(await mailStates(former.deps))
  expect(queued).toContainEqual(expect.stringMatching(/^new-vulnerabilities:/))
  const backup = await startRestored(source, options)

  const pass = async ({ deps, runJobs }: typeof former, minutes: number) => {
    clock.now = new Date(Date.parse(clock.now) + minutes * 60_000).toISOString()
    await announceVulnerabilities(deps)
    await announceDigests(deps)
    await announceDueDates(deps)
    await runJobs()
    const subjects = smtp.received.splice(0).map(({ headers }) => headers['subject'])
    return subjects.sort()
  }
  expect(await pass(former, 10)).toEqual([
    expect.stringMatching(/^Daily digest: /),
    'Due dates of vulnerabilities: 0 overdue, 1 due soon',
    'acme/site: 0 critical and 1 high new vulnerability',
    'acme/site: 1 critical and 0 high new vulnerability',
  ])

  const { ended, server } = await backup.start()
  expect(ended).toEqual({ mails: queued.length, chatMessages: 0 })
  expect(await pass(server, 10)).toEqual([])
  const rows = await server.deps.db.all(sql`select event_key, state, data, last_error from mails order by id`)
  const error = 'queued in a restored backup; it may have been sent after the backup'
  expect(rows).toEqual(queued.map((eventKey) => ({ eventKey, state: 'unknown', data: null, lastError: error })))
  // What happens after the restore is announced.
  await server.report(project, [flaw('Critical', 3)], { category: 'third' })
  expect(await pass(server, 2)).toEqual(['acme/site: 1 critical and 0 high new vulnerability'])
  expect(await pass(server, 24 * 60)).toEqual([expect.stringMatching(/^Daily digest: /)])
})

test('a restored copy sends webhooks again under the same key, and no message to a chat', async () => {
  const [source, receiver, chat] = [await openSource(), await startReceiver(), await startReceiver()]
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const options = { clock, settings: { webhooksReachPrivate: true, externalUrl: 'https://alcove.test' } }
  const former = await startServer({ ...options, ...source })
  const project = await former.project('acme/site')
  const hooks = `/projects/${project.id}/hooks`
  await former.admin.post(hooks, { url: receiver.url, vulnerability_events: true })
  await former.admin.post(hooks, { url: chat.url, vulnerability_events: true, format: 'mattermost' })
  await former.report(project, [flaw('High', 1)])
  const backup = await startRestored(source, options)
  await former.runJobs()
  const keysOf = () => receiver.received.map(({ headers }) => headers['idempotency-key'])
  expect(keysOf()).toHaveLength(1)
  expect(chat.received).toHaveLength(1)

  const { ended, server } = await backup.start()
  expect(ended).toEqual({ mails: 0, chatMessages: 1 })
  await server.runJobs()
  expect(keysOf()).toEqual([keysOf()[0], keysOf()[0]])
  expect(chat.received).toHaveLength(1)
  await server.report(project, [flaw('High', 2)], { category: 'other' })
  await server.runJobs()
  expect(chat.received).toHaveLength(2)
})

test('a restored copy finds the issue that the former server created after the backup', async () => {
  const source = await openSource()
  const { server: former, project, tracker, clock } = await startWithTracker('gitlab', source)
  const [creating, failed] = [
    await former.vulnerability(project, { name: 'one', line: 1 }),
    await former.vulnerability(project, { name: 'two', line: 2, rule: 'two' }),
  ]
  tracker.status = 403
  await former.admin.post(`/vulnerabilities/${failed.id}/issue`)
  await former.runJobs()
  tracker.status = undefined
  await former.admin.post(`/vulnerabilities/${creating.id}/issue`)
  const { body: before } = await former.admin.get(`/vulnerabilities/${failed.id}/issue`)
  expect(before.issue).toMatchObject({ state: 'failed' })
  const settings = { webhooksReachPrivate: true, externalUrl: 'https://alcove.test' }
  const backup = await startRestored(source, { clock, settings })
  await former.admin.post(`/vulnerabilities/${failed.id}/issue`)
  await former.runJobs()
  expect(tracker.issues).toHaveLength(2)

  const { server } = await backup.start()
  await server.admin.post(`/vulnerabilities/${failed.id}/issue`)
  await passMinutes(clock, [server], 15)
  for (const { id } of [creating, failed]) {
    expect((await server.admin.get(`/vulnerabilities/${id}/issue`)).body.issue).toMatchObject({ state: 'created' })
  }
  expect(tracker.issues).toHaveLength(2)
})

test('a backup from before e-mail, chats and issue trackers can be restored', async () => {
  const { db } = await spareDatabase()
  for (const table of ['tracker_issues', 'issue_trackers', 'mails', 'mail_cursors', 'mail_events']) {
    await db.transaction((tx) => tx.run(sql([`drop table ${table}`])))
  }
  expect(await endOutgoing({ db, now: () => '2026-05-01T10:00:00.000Z' })).toEqual({ mails: 0, chatMessages: 0 })
})

test('a password link that was used after the backup does not work again', async () => {
  const source = await openSource()
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const former = await startServer({ clock, ...source })
  const nadia = await former.user('nadia')
  const { token } = (await former.admin.post(`/users/${nadia.user?.id}/password_links`)).body
  const backup = await startRestored(source, { clock })
  const password = 'another horse battery'
  expect(await former.anonymous.post('//-/password', { token, password })).toMatchObject({ status: 201 })
  const { server } = await backup.start()
  expect(await server.anonymous.post('//-/password', { token, password })).toMatchObject({ status: 401 })
  const old = { login: 'nadia', password: 'correct horse battery' }
  expect(await server.anonymous.post('//-/sessions', old)).toMatchObject({ status: 201 })
})
