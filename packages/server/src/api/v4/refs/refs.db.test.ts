import sql from 'sql-template-tag'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { closeIdleRefs } from '../../../domain/reports/refs/close-idle-refs.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { disagreements } from '../../../testing/kept-counts.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const start = '2026-01-01T00:00:00.000Z'
const clock = { now: start }
let server: TestServer
beforeAll(async () => {
  server = await startServer({ clock })
})
beforeEach(() => {
  clock.now = start
})

const later = (days: number) => new Date(Date.parse(start) + days * 24 * 60 * 60 * 1000).toISOString()
const some = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => entry({ line: from + index + 1, rule: `r${from + index}` }))

let projects = 0
const newProject = () => server.project(`acme/refs-${++projects}`, { maxAbsentPercent: null })

async function refsOf({ id }: TestProject) {
  return (await server.admin.get(`/projects/${id}/refs`)).body
}

async function closedIn(project: TestProject): Promise<string[]> {
  const refs: { name: string; closed_at: string | null }[] = await refsOf(project)
  return refs.flatMap(({ name, closed_at }) => (closed_at === null ? [] : name)).sort()
}

async function closeIdle(): Promise<void> {
  await closeIdleRefs(server.deps)
  await server.runJobs()
}

async function presentOn({ id }: TestProject, ref: string): Promise<string[]> {
  const query = `ref=${encodeURIComponent(ref)}&scope=all&per_page=100`
  const { body } = await server.admin.get(`/projects/${id}/vulnerability_findings?${query}`)
  return body.map((finding: { uuid: string }) => finding.uuid).sort()
}

const remove = ({ id }: TestProject, ref: string) =>
  server.admin.delete(`/projects/${id}/refs/${encodeURIComponent(ref)}`)

async function occurrencesOf(vulnerabilityId: number) {
  const { body } = await server.admin.get(`/vulnerabilities/${vulnerabilityId}/occurrences`)
  return body.map((one: { ref: string; is_present: boolean }) => [one.ref, one.is_present])
}

const vulnerabilitiesOf = async ({ id }: TestProject) =>
  (await server.admin.get(`/projects/${id}/vulnerabilities?per_page=100`)).body

describe('an idle branch', () => {
  test('closes after 30 days without a report, and the default branch does not', async () => {
    const project = await newProject()
    await server.report(project, some(3))
    clock.now = later(1)
    await server.report(project, some(2), { ref: 'feature/login' })
    expect(await refsOf(project)).toEqual([
      {
        ...{ name: 'feature/login', default: false, protected: false },
        ...{ last_report_at: later(1), closed_at: null, closes_at: later(31) },
      },
      {
        ...{ name: 'main', default: true, protected: false },
        ...{ last_report_at: start, closed_at: null, closes_at: null },
      },
    ])
    clock.now = later(30.9)
    await closeIdle()
    expect(await closedIn(project)).toEqual([])
    clock.now = later(31)
    await closeIdle()
    expect(await refsOf(project)).toMatchObject([
      { name: 'feature/login', closed_at: later(31), closes_at: null },
      { name: 'main', closed_at: null },
    ])
    expect([(await presentOn(project, 'feature/login')).length, (await presentOn(project, 'main')).length]).toEqual([
      0, 3,
    ])
  })

  test('leaves vulnerabilities, their triage and the statistics as they are', async () => {
    const project = await newProject()
    await server.report(project, some(2))
    await server.report(project, some(3, 1), { ref: 'old' })
    const [only] = await server.deps.db.all<{ id: number }>(sql`
      select f.vulnerability_id as id from findings f where f.project_id = ${project.id}
        and not exists (select 1 from occurrences o where o.finding_id = f.id and o.ref = 'main')
      order by f.id desc limit 1`)
    const newest = only?.id ?? 0
    await server.admin.post(`/vulnerabilities/${newest}/dismiss`, { comment: 'only in tests' })
    const statistics = () => server.admin.get(`/projects/${project.id}/vulnerabilities/statistics`)
    const before = [(await statistics()).body, await vulnerabilitiesOf(project)]
    clock.now = later(40)
    await closeIdle()
    expect([(await statistics()).body, await vulnerabilitiesOf(project)]).toEqual(before)
    expect(await disagreements(server.deps)).toEqual([])
    expect(await occurrencesOf(newest)).toEqual([['old', false]])
    const { body: history } = await server.admin.get(`/vulnerabilities/${newest}/history?sort=desc`)
    expect(history[0]).toMatchObject({ kind: 'gone', ref: 'old', comment: 'the branch was closed', import: null })
  })

  test.runIf(onSqlite)('opens again with a new report, with the same findings', async () => {
    const project = await newProject()
    await server.report(project, some(3), { ref: 'topic', promote: 'false' })
    const uuids = await presentOn(project, 'topic')
    clock.now = later(31)
    await closeIdle()
    expect(await presentOn(project, 'topic')).toEqual([])
    const again = await server.report(project, some(4), { ref: 'topic', promote: 'false' })
    expect(again.findings).toMatchObject({ new: 1, returned: 3, gone: 0 })
    expect(await presentOn(project, 'topic')).toEqual(expect.arrayContaining(uuids))
    expect(await closedIn(project)).toEqual([])
  })

  test('has fixed nothing once it is closed', async () => {
    const project = await newProject()
    await server.report(project, some(3))
    await server.report(project, some(1), { ref: 'fix' })
    const fixed = async () => {
      const query = 'ref=main&not_on=fix&scanned_on=fix&scope=all'
      return (await server.admin.get(`/projects/${project.id}/vulnerability_findings?${query}`)).body.length
    }
    expect(await fixed()).toBe(2)
    clock.now = later(31)
    await closeIdle()
    expect(await fixed()).toBe(0)
  })

  test('stays open when it is protected or the project says so, and closes earlier when the project says so', async () => {
    const [kept, early, never] = [await newProject(), await newProject(), await newProject()]
    await server.admin.put(`/projects/${kept.id}`, { protected_refs: ['release/*', 'v1'] })
    await server.admin.put(`/projects/${early.id}`, { ref_retention_days: 3 })
    await server.admin.put(`/projects/${never.id}`, { ref_retention_days: 0 })
    for (const ref of ['release/1', 'v1', 'v12']) await server.report(kept, some(1), { ref })
    for (const project of [early, never]) await server.report(project, some(1), { ref: 'topic' })
    clock.now = later(3)
    await closeIdle()
    expect([await closedIn(kept), await closedIn(early), await closedIn(never)]).toEqual([[], ['topic'], []])
    clock.now = later(3000)
    await closeIdle()
    expect([await closedIn(kept), await closedIn(early), await closedIn(never)]).toEqual([['v12'], ['topic'], []])
    expect((await refsOf(kept)).map((ref: { name: string; protected: boolean }) => [ref.name, ref.protected])).toEqual(
      expect.arrayContaining([
        ['release/1', true],
        ['v12', false],
      ]),
    )
  })

  test('keeps its findings when a report arrives before the job that closes it', async () => {
    const project = await newProject()
    await server.report(project, some(2), { ref: 'topic' })
    clock.now = later(31)
    await closeIdleRefs(server.deps)
    const { db, now } = server.deps
    await db.run(sql`
      update refs set closed_at = null, last_report_at = ${now()} where project_id = ${project.id} and name = 'topic'`)
    await server.runJobs()
    expect((await presentOn(project, 'topic')).length).toBe(2)
  })
})

describe('DELETE /projects/:id/refs/:ref', () => {
  test('removes the branch and the findings that only it had, and keeps vulnerabilities', async () => {
    const project = await newProject()
    await server.report(project, some(2), { promote: 'false' })
    await server.report(project, some(3, 1), { ref: 'feature/a', promote: 'false' })
    const found = await server.admin.get(`/projects/${project.id}/vulnerability_findings?ref=feature/a&scope=all`)
    const [promoted] = found.body.filter(
      (finding: { location: { start_line: number } }) => finding.location.start_line > 2,
    )
    const { body: vulnerability } = await server.admin.post(
      `/projects/${project.id}/vulnerabilities?finding_id=${promoted.id}`,
    )
    expect((await remove(project, 'feature/a')).status).toBe(204)
    expect((await refsOf(project)).map(({ name }: { name: string }) => name)).toEqual(['main'])
    expect((await remove(project, 'feature/a')).status).toBe(404)
    await server.runJobs()
    const { db } = server.deps
    const left = await db.all(sql`
      select o.ref, o.is_present, count(*) as total from occurrences o where o.project_id = ${project.id}
      group by o.ref, o.is_present order by o.ref`)
    expect(left).toEqual([
      { ref: 'feature/a', isPresent: false, total: 1 },
      { ref: 'main', isPresent: true, total: 2 },
    ])
    expect(await db.all(sql`select id from findings where project_id = ${project.id}`)).toHaveLength(3)
    expect(await db.all(sql`select name from refs where project_id = ${project.id}`)).toEqual([{ name: 'main' }])
    expect(await occurrencesOf(vulnerability.id)).toEqual([['feature/a', false]])
    expect(await disagreements(server.deps)).toEqual([])
    const again = await server.report(project, some(3, 1), { ref: 'feature/a', promote: 'false' })
    expect(again.findings).toMatchObject({ new: 1, gone: 0 })
    expect((await server.admin.get(`/vulnerabilities/${vulnerability.id}`)).body.id).toBe(vulnerability.id)
    expect(await occurrencesOf(vulnerability.id)).toEqual([['feature/a', true]])
  })

  test.runIf(onSqlite)('refuses the default branch, protected branches and callers below Maintainer', async () => {
    const project = await newProject()
    await server.admin.put(`/projects/${project.id}`, { protected_refs: ['v*'] })
    for (const ref of ['main', 'v1', 'topic']) await server.report(project, some(1), { ref })
    expect(await remove(project, 'main')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('main is the default branch') },
    })
    expect(await remove(project, 'v1')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('v1 is protected') },
    })
    expect((await remove(project, 'unknown')).status).toBe(404)
    const developer = await server.as('developer', project)
    expect((await developer.delete(`/projects/${project.id}/refs/topic`)).status).toBe(403)
    expect((await developer.get(`/projects/${project.id}/refs`)).body).toHaveLength(3)
    const maintainer = await server.as('maintainer', project)
    expect((await maintainer.delete(`/projects/${project.id}/refs/topic`)).status).toBe(204)
    await server.runJobs()
  })
})

describe.runIf(onSqlite)('the settings of a project', () => {
  test('refuse names of protected refs that are too many or too long', async () => {
    const project = await newProject()
    const set = (protected_refs: unknown) => server.admin.put(`/projects/${project.id}`, { protected_refs })
    expect(await set(Array.from({ length: 101 }, (_, index) => `v${index}`))).toMatchObject({ status: 400 })
    expect(await set(['x'.repeat(256)])).toMatchObject({ status: 400 })
    expect(await set('a,b*')).toMatchObject({ status: 200, body: { protected_refs: ['a', 'b*'] } })
    expect(await set([])).toMatchObject({ status: 200, body: { protected_refs: [] } })
    expect(await server.admin.put(`/projects/${project.id}`, { ref_retention_days: -1 })).toMatchObject({ status: 400 })
  })
})

describe('GET /projects/:id/refs/compare', () => {
  const levels = ['Critical', 'High', 'Low'] as const
  const leveled = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const line = from + index
      return entry({ line: line + 1, rule: `r${line}`, severity: levels[line % 3] ?? 'Low' })
    })
  const compare = (project: TestProject, from: string, to: string) =>
    server.admin.get(
      `/projects/${project.id}/refs/compare?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`,
    )

  test('counts what only one branch has, and what both have, as the lists do', async () => {
    const project = await newProject()
    await server.report(project, leveled(0, 6))
    await server.report(project, leveled(3, 6), { ref: 'release/2', promote: 'true' })
    await server.report(project, leveled(3, 8), { ref: 'release/2', promote: 'false' })
    const [first] = await vulnerabilitiesOf(project)
    await server.admin.post(`/vulnerabilities/${first.id}/dismiss`)
    const { status, body } = await compare(project, 'main', 'release/2')
    expect(status).toBe(200)
    const lists = [
      ['only_on_from', 'ref=main&not_on=release/2'],
      ['only_on_to', 'ref=release/2&not_on=main'],
      ['on_both', 'ref=main&also_on=release/2'],
    ] as const
    for (const [part, query] of lists) {
      const open = 'state[]=detected&state[]=confirmed&per_page=100'
      const listed = await server.admin.get(`/projects/${project.id}/vulnerabilities?${query}&${open}`)
      const waiting = await server.admin.get(
        `/projects/${project.id}/vulnerability_findings?${query}&has_vulnerability=false&per_page=100`,
      )
      const expected: Record<string, number> = { critical: 0, high: 0, medium: 0, low: 0, info: 0, unknown: 0 }
      for (const { severity } of listed.body) expected[severity] = (expected[severity] ?? 0) + 1
      expect(body[part], part).toEqual({
        vulnerabilities: expected,
        total: listed.body.length,
        awaiting_triage: waiting.body.length,
      })
    }
    expect([body.only_on_from.total + body.on_both.total, body.only_on_to.awaiting_triage]).toEqual([5, 2])
    const swapped = await compare(project, 'release/2', 'main')
    expect([swapped.body.only_on_from, swapped.body.only_on_to]).toEqual([body.only_on_to, body.only_on_from])
  })

  test.runIf(onSqlite)('rejects branches without reports, missing parameters and guests', async () => {
    const project = await newProject()
    await server.report(project, some(1))
    expect(await compare(project, 'main', 'nowhere')).toMatchObject({ status: 404 })
    expect(await server.admin.get(`/projects/${project.id}/refs/compare?from=main`)).toMatchObject({ status: 400 })
    const guest = await server.as('guest', project)
    expect(await guest.get(`/projects/${project.id}/refs/compare?from=main&to=main`)).toMatchObject({ status: 403 })
  })
})
