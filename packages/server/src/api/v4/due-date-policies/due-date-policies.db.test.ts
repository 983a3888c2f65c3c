import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newestEvents } from '../../../testing/audit-events.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const clock = { now: '2026-03-01T23:30:00.000Z' }
let server: TestServer
beforeAll(async () => {
  server = await startServer({ clock })
})
beforeEach(() => {
  clock.now = '2026-03-01T23:30:00.000Z'
})

let names = 0
const fresh = () => `due-policy-${++names}`
const severities = ['Critical', 'High', 'Medium', 'Low']
/** Creates a project with a vulnerability of each of the four severities. */
async function projectIn(group: string): Promise<TestProject> {
  const project = await server.project(`${group}/${fresh()}`)
  await server.report(
    project,
    severities.map((severity) => entry({ name: `${severity} flaw`, rule: severity, severity })),
  )
  return project
}

interface Row {
  id: number
  severity: string
  due_on: string | null
}
const rowsOf = async (project: TestProject): Promise<Row[]> =>
  (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
/** Returns the due dates, most severe first. */
async function datesOf(project: TestProject): Promise<(string | null)[]> {
  await server.runJobs()
  return (await rowsOf(project)).map(({ due_on }) => due_on)
}
const idOf = async (project: TestProject, severity: string): Promise<number> =>
  (await rowsOf(project)).find((row) => row.severity === severity)?.id ?? 0

const pathOf = (project: TestProject) => `/projects/${project.id}/due_date_policy`
const groupPathOf = (project: TestProject) => `/groups/${project['namespace'].id}/due_date_policy`
const rule = { counted_from: 'detection', critical_days: 7, high_days: 30 }

describe('a due date policy', () => {
  test('of the closest level applies: the project, then groups from below, then the instance', async () => {
    const top = fresh()
    const inGroup = await projectIn(top)
    const sub = { name: 'sub', path: 'sub', visibility: 'public', parent_id: inGroup['namespace'].id }
    expect((await server.admin.post('/groups', sub)).status).toBe(201)
    const inSubgroup = await projectIn(`${top}/sub`)
    const own = await projectIn(`${top}/sub`)
    await server.admin.put('/admin/due_date_policy', { critical_days: 1 })
    expect(await datesOf(inSubgroup)).toEqual(['2026-03-02', null, null, null])
    await server.admin.put(groupPathOf(inGroup), { critical_days: 2 })
    await server.admin.put(pathOf(own), { critical_days: 4 })
    const saved = await server.admin.put(groupPathOf(inSubgroup), { critical_days: 3, low_days: 365 })
    expect(saved.body.update).toEqual({ state: 'waiting', done: null, total: null })
    expect(await datesOf(inGroup)).toEqual(['2026-03-03', null, null, null])
    expect(await datesOf(inSubgroup)).toEqual(['2026-03-04', null, null, '2027-03-01'])
    expect(await datesOf(own)).toEqual(['2026-03-05', null, null, null])
    expect((await server.admin.get(pathOf(inSubgroup))).body).toMatchObject({
      own: null,
      inherited: { level: 'group', critical_days: 3, high_days: null, low_days: 365, counted_from: 'detection' },
    })
    expect((await server.admin.get(groupPathOf(inSubgroup))).body).toMatchObject({
      own: { critical_days: 3 },
      inherited: { level: 'group', critical_days: 2 },
      update: null,
    })
    expect((await server.admin.get(groupPathOf(inGroup))).body).toMatchObject({ inherited: { level: 'instance' } })

    // A new vulnerability has the date of its policy at once.
    await server.report(own, [entry({ rule: 'later', severity: 'Critical' })], { category: 'later' })
    expect((await rowsOf(own)).slice(0, 2).map(({ due_on }) => due_on)).toEqual(['2026-03-05', '2026-03-05'])

    expect((await server.admin.delete(groupPathOf(inSubgroup))).status).toBe(204)
    expect(await datesOf(inSubgroup)).toEqual(['2026-03-03', null, null, null])
    expect((await server.admin.delete(pathOf(own))).status).toBe(204)
    expect((await datesOf(own)).slice(0, 2)).toEqual(['2026-03-03', '2026-03-03'])
    expect((await server.admin.delete(pathOf(own))).status).toBe(404)
    await server.admin.delete(groupPathOf(inGroup))
    expect(await datesOf(inGroup)).toEqual(['2026-03-02', null, null, null])
    await server.admin.delete('/admin/due_date_policy')
    expect(await datesOf(inGroup)).toEqual([null, null, null, null])
  })

  test.runIf(onSqlite)(
    'changes no date that a user has set, until it is removed, and no closed vulnerability until it is reopened',
    async () => {
      const project = await projectIn(fresh())
      const [critical, high] = [await idOf(project, 'critical'), await idOf(project, 'high')]
      await server.admin.put(`/vulnerabilities/${critical}/due_date`, { due_on: '2026-12-24' })
      await server.admin.post(`/vulnerabilities/${high}/dismiss`)
      await server.admin.put(pathOf(project), rule)
      expect(await datesOf(project)).toEqual(['2026-12-24', null, null, null])
      expect((await server.admin.delete(`/vulnerabilities/${critical}/due_date`)).body.due_on).toBe('2026-03-08')
      expect((await server.admin.post(`/vulnerabilities/${high}/revert`)).body.due_on).toBe('2026-03-31')
      const { body: history } = await server.admin.get(`/vulnerabilities/${critical}/history`)
      expect(history.at(-1)).toMatchObject({ kind: 'due_date', from: '2026-12-24', to: '2026-03-08' })
    },
  )

  test.runIf(onSqlite)('follows the severity, changed by a user or by a report', async () => {
    const project = await projectIn(fresh())
    await server.admin.put(pathOf(project), rule)
    expect(await datesOf(project)).toEqual(['2026-03-08', '2026-03-31', null, null])
    const medium = await idOf(project, 'medium')
    const put = await server.admin.put(`/vulnerabilities/${medium}/severity`, { severity: 'critical' })
    expect(put.body.due_on).toBe('2026-03-08')
    const back = await server.admin.delete(`/vulnerabilities/${medium}/severity`)
    expect(back.body.due_on).toBeNull()
    const bulk = { action: 'severity', severity: 'high', filter: {} }
    const { body } = await server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes`, bulk)
    expect(await datesOf(project)).toEqual(['2026-03-31', '2026-03-31', '2026-03-31', '2026-03-31'])
    await server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes/${body.id}/undo`)
    expect(await datesOf(project)).toEqual(['2026-03-08', '2026-03-31', null, null])
    await server.report(
      project,
      severities.map((severity) => entry({ name: `${severity} flaw`, rule: severity, severity: 'Critical' })),
    )
    expect(await datesOf(project)).toEqual(['2026-03-08', '2026-03-08', '2026-03-08', '2026-03-08'])
  })

  test.runIf(onSqlite)('can count from the availability of a fix', async () => {
    const project = await projectIn(fresh())
    await server.admin.put(pathOf(project), { counted_from: 'fix', critical_days: 7, high_days: 0 })
    expect(await datesOf(project)).toEqual([null, null, null, null])
    clock.now = '2026-03-10T08:00:00.000Z'
    const report = (solution?: string) =>
      server.report(
        project,
        severities.map((severity) => ({
          ...entry({ name: `${severity} flaw`, rule: severity, severity }),
          ...(solution !== undefined && { solution }),
        })),
      )
    await report('Upgrade to 2.0')
    expect(await datesOf(project)).toEqual(['2026-03-17', '2026-03-10', null, null])
    await report()
    expect(await datesOf(project)).toEqual([null, null, null, null])
  })

  test('is replaced by that of the group to which a project is transferred', async () => {
    const project = await projectIn(fresh())
    const other = await projectIn(fresh())
    await server.admin.put(groupPathOf(project), { critical_days: 1 })
    await server.admin.put(groupPathOf(other), { critical_days: 2 })
    expect((await datesOf(project))[0]).toBe('2026-03-02')
    const moved = await server.admin.put(`/projects/${project.id}/transfer`, { namespace: other['namespace'].id })
    expect(moved.status).toBe(200)
    expect((await datesOf(project))[0]).toBe('2026-03-03')
  })

  test('can be set for the first time by two requests at once', async () => {
    const path = pathOf(await projectIn(fresh()))
    const replies = await Promise.all([1, 2, 3, 4].map((days) => server.admin.put(path, { critical_days: days })))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  test('is replaced by that of the group to which a group is transferred', async () => {
    const project = await projectIn(fresh())
    const other = await projectIn(fresh())
    await server.admin.put(groupPathOf(other), { critical_days: 2 })
    expect((await datesOf(project))[0]).toBeNull()
    const path = `/groups/${project['namespace'].id}/transfer`
    expect((await server.admin.post(path, { group_id: other['namespace'].id })).status).toBe(201)
    expect((await datesOf(project))[0]).toBe('2026-03-03')
  })
})

describe.runIf(onSqlite)('the preview of a due date policy', () => {
  test('states what would change, and the change does the same', async () => {
    const group = fresh()
    const project = await projectIn(group)
    const other = await projectIn(group)
    await server.admin.put(pathOf(await projectIn(group)), rule)
    clock.now = '2026-03-05T08:00:00.000Z'
    const closed = await projectIn(group)
    await server.admin.post(`/vulnerabilities/${await idOf(closed, 'critical')}/resolve`)
    const set = { due_on: '2026-03-02' }
    await server.admin.put(`/vulnerabilities/${await idOf(other, 'critical')}/due_date`, set)
    clock.now = '2026-03-08T08:00:00.000Z'
    await server.runJobs()

    const preview = (body: object) => server.admin.post(`${groupPathOf(project)}/preview`, body)
    const wanted = { critical_days: 3, high_days: 4, low_days: 100 }
    const none = { open: 3, changed: 0, overridden: 0, overdue_before: 0, overdue_after: 0 }
    expect(await preview(wanted)).toMatchObject({
      status: 200,
      body: {
        projects: 3,
        critical: { open: 2, changed: 1, overridden: 1, overdue_before: 1, overdue_after: 2 },
        high: { ...none, changed: 3, overdue_after: 2 },
        medium: none,
        low: { ...none, changed: 3 },
        info: { ...none, open: 0 },
      },
    })
    expect(await datesOf(project)).toEqual([null, null, null, null])
    await server.admin.put(groupPathOf(project), wanted)
    expect(await datesOf(project)).toEqual(['2026-03-04', '2026-03-05', null, '2026-06-09'])
    expect(await datesOf(other)).toEqual(['2026-03-02', '2026-03-05', null, '2026-06-09'])
    expect(await datesOf(closed)).toEqual([null, '2026-03-09', null, '2026-06-13'])
    expect((await preview(wanted)).body.high).toMatchObject({ changed: 0, overdue_before: 2, overdue_after: 2 })
    expect((await preview({ remove: true })).body).toMatchObject({
      critical: { changed: 1, overridden: 1, overdue_before: 2, overdue_after: 1 },
      high: { changed: 3, overdue_before: 2, overdue_after: 0 },
    })
  })
})

describe('due date policies', () => {
  test.runIf(onSqlite)('can be read by developers and set by maintainers, owners and administrators', async () => {
    const project = await projectIn(fresh())
    const path = pathOf(project)
    const developer = await server.as('developer', project)
    const maintainer = await server.as('maintainer', project)
    expect(await developer.get(path)).toMatchObject({ status: 200, body: { own: null, inherited: null, update: null } })
    expect((await developer.put(path, rule)).status).toBe(403)
    expect((await developer.post(`${path}/preview`, rule)).status).toBe(403)
    expect((await maintainer.put(path, rule)).status).toBe(200)
    expect((await maintainer.put(groupPathOf(project), rule)).status).not.toBe(200)
    expect((await maintainer.put('/admin/due_date_policy', rule)).status).toBe(403)
    expect((await maintainer.get('/admin/due_date_policy')).status).toBe(403)
    expect((await server.anonymous.get(path)).status).toBe(401)
  })

  test.each([
    [{ critical_days: -1 }],
    [{ critical_days: 3651 }],
    [{ critical_days: 'soon' }],
    [{ counted_from: 'birth' }],
  ])('reject %j', { skip: !onSqlite }, async (body) => {
    const project = await projectIn(fresh())
    expect((await server.admin.put(pathOf(project), body)).status).toBe(400)
    expect((await server.admin.get(pathOf(project))).body.own).toBeNull()
  })

  test('are audit events with the changed values', async () => {
    const project = await projectIn(fresh())
    await server.admin.put(pathOf(project), rule)
    await server.admin.put(pathOf(project), { ...rule, critical_days: 3 })
    await server.admin.delete(pathOf(project))
    const [removed, updated, created] = await newestEvents(server, 3)
    expect(created).toMatchObject({
      name: 'due_date_policy_created',
      details: { changes: { counted_from: { from: null, to: 'detection' }, high_days: { from: null, to: 30 } } },
    })
    expect(updated).toMatchObject({
      ...{ name: 'due_date_policy_updated', entityType: 'Project', entityId: project.id },
      details: { change: 'critical_days', from: 7, to: 3 },
    })
    expect(removed).toMatchObject({ name: 'due_date_policy_destroyed' })
  })
})
