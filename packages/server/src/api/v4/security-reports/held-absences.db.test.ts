import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

const some = (count: number) => Array.from({ length: count }, (_, line) => entry({ line: line + 1, rule: `r${line}` }))
const at = ({ id }: TestProject) => `/projects/${id}/security_reports`

let projects = 0

/** Returns a project that resolves absent vulnerabilities, with findings on its default branch. */
async function projectWith(count: number, fields: Record<string, string> = {}) {
  const project = await server.project(`acme/held-${++projects}`)
  await server.admin.put(`/projects/${project.id}`, { auto_resolve_vulnerabilities: true })
  await server.report(project, some(count), fields)
  return project
}

async function presentIn({ id }: TestProject): Promise<number> {
  const { body } = await server.admin.get(`/projects/${id}/vulnerability_findings?per_page=100&scope=all`)
  return body.length
}

async function resolvedIn({ id }: TestProject): Promise<number> {
  const { body } = await server.admin.get(`/projects/${id}/vulnerabilities?state=resolved&per_page=100`)
  return body.length
}

const decide = ({ id }: TestProject, reportId: number, action: 'apply' | 'discard') =>
  server.admin.post(`/projects/${id}/security_reports/${reportId}/absences/${action}`)

describe('a report that would make most findings absent', () => {
  test('is held: its new findings are applied, and nothing becomes absent or resolved', async () => {
    const project = await projectWith(20)
    const sent = [...some(5), entry({ line: 99, rule: 'fresh' })]
    const dryRun = await server.report(project, sent, { dry_run: 'true' })
    const done = await server.report(project, sent)
    expect(done).toMatchObject({
      absences: { status: 'held', count: 15 },
      findings: { new: 1, known: 5, gone: 0 },
    })
    expect(done.warnings[0]).toMatchObject({
      type: 'Held',
      message: expect.stringMatching(/15 of 20 findings of test-scanner absent \(75 %\).*with a `category` of its own/),
    })
    expect(dryRun).toMatchObject({ absences: done.absences, findings: done.findings, warnings: done.warnings })
    expect([await presentIn(project), await resolvedIn(project)]).toEqual([21, 0])
    expect((await server.admin.get(`${at(project)}/${done.id}`)).body.absences).toEqual(done.absences)
    const listed = await server.admin.get(`${at(project)}?absences=held`)
    expect(listed.body).toMatchObject([{ id: done.id, unchanged: false }])
    await decide(project, done.id, 'discard')
    expect((await server.admin.get(`${at(project)}?absences=held`)).body).toEqual([])
    expect((await server.admin.get(`${at(project)}?absences=none`)).status).toBe(400)
  })

  test.runIf(onSqlite)('makes the findings absent when a maintainer applies it, once', async () => {
    const project = await projectWith(20)
    const { id } = await server.report(project, some(5))
    const applied = await decide(project, id, 'apply')
    expect(applied).toMatchObject({ status: 201, body: { absences: { status: 'applied', count: 15 } } })
    expect([await presentIn(project), await resolvedIn(project)]).toEqual([5, 15])
    expect((await decide(project, id, 'apply')).status).toBe(409)
    expect((await decide(project, id, 'discard')).status).toBe(409)
    expect((await decide(project, id + 100, 'apply')).status).toBe(404)
    const next = await server.report(project, some(5))
    expect(next).toMatchObject({ absences: { status: 'none', count: 0 }, unchanged: true })
  })

  test('changes nothing when a maintainer discards it', async () => {
    const project = await projectWith(20)
    const { id } = await server.report(project, some(5))
    expect(await decide(project, id, 'discard')).toMatchObject({ body: { absences: { status: 'discarded' } } })
    expect([await presentIn(project), await resolvedIn(project)]).toEqual([20, 0])
    const held = await server.deps.db.all(sql`select import_id from held_absences where import_id = ${id}`)
    expect(held).toEqual([])
  })

  test.runIf(onSqlite)('is superseded by a later complete report, and by one that is held, too', async () => {
    const project = await projectWith(20)
    const first = await server.report(project, some(5))
    const second = await server.report(project, some(4))
    const statusOf = async (id: number) => (await server.admin.get(`${at(project)}/${id}`)).body.absences.status
    expect([await statusOf(first.id), await statusOf(second.id)]).toEqual(['superseded', 'held'])
    await server.report(project, [entry({ line: 7, rule: 'x' })], { partial: 'true' })
    expect(await statusOf(second.id)).toBe('held')
    await server.report(project, some(19))
    expect(await statusOf(second.id)).toBe('superseded')
    expect((await decide(project, second.id, 'apply')).status).toBe(409)
    expect(await presentIn(project)).toBe(19)
  })

  test.runIf(onSqlite)('leaves what a later report has observed', async () => {
    const project = await projectWith(20)
    const held = await server.report(project, some(5))
    await server.report(project, some(12), { partial: 'true' })
    await decide(project, held.id, 'apply')
    expect(await presentIn(project)).toBe(12)
  })

  test.runIf(onSqlite)(
    'is not held on other branches, below ten findings, or up to the share of the project',
    async () => {
      const small = await projectWith(10)
      expect((await server.report(small, some(1))).absences.status).toBe('none')
      const project = await projectWith(20)
      expect((await server.report(project, some(10))).absences.status).toBe('none')
      await server.report(project, some(20), { ref: 'feature' })
      expect((await server.report(project, some(1), { ref: 'feature' })).absences.status).toBe('none')
      const strict = await projectWith(30)
      await server.admin.put(`/projects/${strict.id}`, { max_absent_percent: 30 })
      expect((await server.report(strict, some(19))).absences).toEqual({ status: 'held', count: 11 })
      const off = await projectWith(20)
      const set = await server.admin.put(`/projects/${off.id}`, { max_absent_percent: null })
      expect(set.body.max_absent_percent).toBe(null)
      expect((await server.report(off, [])).absences.status).toBe('none')
      expect((await server.admin.put(`/projects/${off.id}`, { max_absent_percent: 101 })).status).toBe(400)
    },
  )

  test.runIf(onSqlite)('is held when it is empty whatever the share, and within its category', async () => {
    const project = await projectWith(12, { category: 'a' })
    await server.admin.put(`/projects/${project.id}`, { max_absent_percent: 100 })
    const other = Array.from({ length: 40 }, (_, line) => entry({ line, rule: `other ${line}` }))
    await server.report(project, other, { category: 'b' })
    const { id, absences, warnings } = await server.report(project, [], { category: 'a' })
    expect(absences).toEqual({ status: 'held', count: 12 })
    expect(warnings[0].message).not.toContain('`category`')
    await server.report(project, other, { category: 'b' })
    expect(await decide(project, id, 'apply')).toMatchObject({ body: { absences: { status: 'applied' } } })
    expect(await presentIn(project)).toBe(40)
  })

  test.runIf(onSqlite)(
    'is held when it is empty even for one finding, until a second empty report confirms it',
    async () => {
      const project = await projectWith(2)
      const dryRun = await server.report(project, [], { dry_run: 'true' })
      const first = await server.report(project, [])
      expect([dryRun.absences, first.absences]).toEqual([first.absences, { status: 'held', count: 2 }])
      expect([dryRun.unchanged, first.unchanged]).toEqual([false, false])
      await server.report(project, [], { category: 'other' })
      expect([await presentIn(project), await resolvedIn(project)]).toEqual([2, 0])
      expect(await server.report(project, [])).toMatchObject({ absences: { status: 'none' }, findings: { gone: 2 } })
      expect((await server.admin.get(`${at(project)}/${first.id}`)).body.absences.status).toBe('superseded')
      expect([await presentIn(project), await resolvedIn(project)]).toEqual([0, 2])
    },
  )

  test.runIf(onSqlite)('is held again when it is empty after a maintainer discarded an empty one', async () => {
    const project = await projectWith(2)
    await decide(project, (await server.report(project, [])).id, 'discard')
    expect((await server.report(project, [])).absences).toEqual({ status: 'held', count: 2 })
  })

  test.runIf(onSqlite)('is judged for each scanner on its own', async () => {
    const project = await projectWith(12)
    const other = Array.from({ length: 40 }, (_, line) => entry({ line, rule: `other ${line}` }))
    await server.report(project, sastReport(other, 'other-scanner'))
    expect((await server.report(project, [])).absences).toEqual({ status: 'held', count: 12 })
  })

  test('notifies the project’s webhooks', async () => {
    const project = await projectWith(20)
    await server.admin.post(`/projects/${project.id}/hooks`, {
      ...{ url: 'https://hooks.example.com/', vulnerability_events: true },
    })
    const { id } = await server.report(project, some(5))
    const events = await server.deps.db.all<{ payload: Record<string, unknown> }>(
      sql`select payload from hook_events order by id`,
    )
    expect(events.map(({ payload }) => payload)).toContainEqual({
      object_kind: 'security_report',
      event_name: 'absences_held',
      project: { id: project.id, name: project['name'], path_with_namespace: project['path_with_namespace'] },
      object_attributes: expect.objectContaining({ id, ref: 'main', scanner: 'test-scanner', present: 20, absent: 15 }),
    })
  })

  test.runIf(onSqlite)('can be decided by maintainers only', async () => {
    const project = await projectWith(20)
    const { id } = await server.report(project, some(5))
    const path = `${at(project)}/${id}/absences`
    const developer = await server.as('developer', project)
    for (const action of ['apply', 'discard']) {
      expect((await developer.post(`${path}/${action}`)).status).toBe(403)
      expect((await (await server.as('outsider', project)).post(`${path}/${action}`)).status).toBe(404)
    }
    const maintainer = await server.as('maintainer', project)
    expect((await maintainer.post(`${path}/discard`)).status).toBe(201)
  })
})
