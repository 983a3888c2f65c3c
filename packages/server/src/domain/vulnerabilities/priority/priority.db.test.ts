import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { observeDatabase } from '../../../testing/databases/observe.ts'
import { loadRows } from '../../../testing/reports/feeds.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import type { FeedRows } from '../../feeds/feed.ts'
import { severities } from '../../findings/scales.ts'
import { listWithFindings } from '../list/list-queries.ts'
import { exposurePoints, priorityOf } from './priority.ts'
import { updatePriorities } from './score-all.ts'

let server: TestServer
const clock = { now: '2026-03-01T10:00:00.000Z' }
beforeAll(async () => {
  server = await startServer({ clock, keepOpen: true })
  return () => server.close()
})

const load = (rows: FeedRows) => loadRows(server.deps, rows)

const millionths = (cve: string, score: number) => ({
  cve,
  scoreMillionths: score * 1_000_000,
  percentileMillionths: 987_654,
})

const identifier = (type: string, name: string) => ({ type, name, value: name })

const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'

test('the stored column is the sum of the parts that the answer explains', async () => {
  const project = await server.project('priority/sums')
  const epss = [null, 0, 999, 1_000, 9_999, 10_000, 99_999, 100_000, 499_999, 500_000, 1_000_000]
  const firstId = 900_000
  const rows = epss.flatMap((epssMillionths, row) =>
    severities.map(
      (severity, column): MadeUp => ({
        ...usual,
        id: firstId + row * 10 + column,
        projectId: project.id,
        severity,
        epssMillionths,
        cvssTenths: [null, 4, 5, 14, 15, 100][column] ?? null,
        isKev: (row + column) % 2 === 0,
        hasFix: (row + column) % 3 === 0,
      }),
    ),
  )
  const { db } = server.deps
  await insertMadeUp(db, rows, clock.now)
  for (const [index, points] of Object.values(exposurePoints).entries()) {
    await db.run(sql`
      update vulnerabilities set exposure_points = ${points}, age_points = ${[0, 1, 3, 5][index]}
      where id >= ${firstId} and id % 4 = ${index}`)
  }
  const stored = await db.all<{ id: number; priority: number }>(sql`
    select id, priority from vulnerabilities where id >= ${firstId} order by id`)
  const rowsOf = await listWithFindings(
    db,
    stored.map(({ id }) => id),
  )
  const computed = rowsOf.map(({ vulnerability }) => ({
    id: vulnerability.id,
    priority: priorityOf(vulnerability).score,
  }))
  expect(stored).toEqual(computed.sort((a, b) => a.id - b.id))
  expect(new Set(stored.map(({ priority }) => priority)).size).toBeGreaterThan(30)
})

test('scores are set at promotion, through aliases as well, and follow new feeds and new identifiers', async () => {
  await load({ kind: 'epss', rows: [millionths('CVE-2024-0001', 0.2), millionths('CVE-2024-0002', 0.6)] })
  await load({
    kind: 'kev',
    rows: [{ cve: 'CVE-2024-0001', addedOn: '2024-01-01', dueOn: '2024-01-22', isRansomware: true }],
  })
  await load({ kind: 'osv', rows: [{ name: 'GHSA-AAAA-BBBB-CCCC', alias: 'CVE-2024-0002' }] })
  await updatePriorities(server.deps)
  const project = await server.project('priority/scores')
  const first = {
    ...entry({
      line: 1,
      severity: 'High',
      others: [identifier('cve', 'CVE-2024-0001'), identifier('ghsa', 'GHSA-aaaa-bbbb-cccc')],
    }),
    cvss_vectors: [{ vendor: 'NVD', vector }],
    solution: 'Upgrade to 1.2',
  }
  const second = entry({ line: 2, severity: 'Low', others: [identifier('cwe', 'CWE-79')] })
  await server.report(project, [first, second], { promote: 'true' })
  const list = async (query = '') => (await server.admin.get(`/projects/${project.id}/vulnerabilities${query}`)).body
  const [high, low] = await list()
  expect(high).toMatchObject({
    cvss_score: 9.8,
    epss: { score: 0.6, percentile: 0.988 },
    kev: true,
    priority: {
      score: 30 + 10 + 15 + 15 + 5 + 5,
      parts: [
        { name: 'severity', points: 30, max_points: 40, value: 'high' },
        { name: 'cvss', points: 10, max_points: 10, value: 9.8 },
        { name: 'epss', points: 15, max_points: 15, value: 0.6 },
        { name: 'kev', points: 15, max_points: 15, value: true },
        { name: 'fix_available', points: 5, max_points: 5, value: true },
        { name: 'exposure', points: 5, max_points: 10, value: 'unknown' },
        { name: 'age', points: 0, max_points: 5, value: 0 },
      ],
    },
  })
  expect(low).toMatchObject({ cvss_score: null, epss: null, kev: false, priority: { score: 15 } })
  expect((await server.admin.get(`/vulnerabilities/${high.id}`)).body.priority).toEqual(high.priority)

  const ids = async (query: string) => (await list(query)).map(({ id }: { id: number }) => id)
  expect((await server.admin.get(`/vulnerabilities/${high.id}/known_exploitations`)).body).toEqual([
    { cve: 'CVE-2024-0001', added_on: '2024-01-01', due_on: '2024-01-22', known_ransomware_use: true },
  ])
  expect((await server.admin.get(`/vulnerabilities/${low.id}/known_exploitations`)).body).toEqual([])
  const exported = async (format: string) => {
    const asked = { export_format: format }
    const { id } = (await server.admin.post(`/security/projects/${project.id}/vulnerability_exports`, asked)).body
    await server.runJobs()
    return (await server.admin.get(`/security/vulnerability_exports/${id}/download`)).text.trim()
  }
  const exploited = [{ cve: 'CVE-2024-0001', added_on: '2024-01-01', due_on: '2024-01-22', known_ransomware_use: true }]
  const exportedRows: { id: number; known_exploitations: object[] }[] = JSON.parse(await exported('json'))
  expect(new Map(exportedRows.map((row) => [row.id, row.known_exploitations]))).toEqual(
    new Map([
      [high.id, exploited],
      [low.id, []],
    ]),
  )
  const [header, ...lines] = (await exported('csv')).split('\n')
  expect(header).toMatch(/,KEV Due On,Known Ransomware Use,Import Data$/)
  const withoutData = lines.map((line) => line.replace(/,"\{""id"".*$/, ''))
  expect(withoutData.map((line) => line.split(',').slice(-2)).sort()).toEqual([
    ['', 'false'],
    ['2024-01-22', 'true'],
  ])
  expect(await ids('?kev=true')).toEqual([high.id])
  expect(await ids('?kev=false')).toEqual([low.id])
  expect(await ids('?epss_min=0.6')).toEqual([high.id])
  expect(await ids('?epss_min=0.61')).toEqual([])
  expect(await ids('?fix_available=false')).toEqual([low.id])
  expect(await ids('?sort=priority_asc')).toEqual([low.id, high.id])
  expect(await server.admin.get(`/projects/${project.id}/vulnerabilities?epss_min=2`)).toMatchObject({ status: 400 })

  await load({ kind: 'kev', rows: [{ cve: 'CVE-2024-0009', addedOn: '2024-01-01', dueOn: null, isRansomware: false }] })
  await updatePriorities(server.deps)
  expect((await list())[0]).toMatchObject({ kev: false, epss: { score: 0.6 }, updated_at: high.updated_at })

  const changed = { ...second, identifiers: [...second.identifiers, identifier('cve', 'CVE-2024-0009')] }
  await server.report(project, [first, changed], { promote: 'true' })
  expect((await list())[1]).toMatchObject({ id: low.id, kev: true, priority: { score: 30 } })
})

test('a changed severity changes the priority at once', async () => {
  const project = await server.project('priority/severity')
  await server.report(project, [entry({ severity: 'Low' })], { promote: 'true' })
  const [{ id }] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
  const scoreOf = async () => (await server.admin.get(`/vulnerabilities/${id}`)).body.priority.score
  expect(await scoreOf()).toBe(15)
  await server.deps.db.run(sql`update vulnerabilities set severity = 7 where id = ${id}`)
  expect(await scoreOf()).toBe(45)
})

test('exposure of the project and age change the priority in a task', async () => {
  const project = await server.project('priority/exposure')
  const entries = [1, 2, 3].map((line) => entry({ line, severity: 'Medium' }))
  await server.report(project, entries, { promote: 'true' })
  const scores = async () =>
    (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body.map(
      ({ priority }: { priority: { score: number } }) => priority.score,
    )
  expect(await scores()).toEqual([25, 25, 25])
  const put = (exposure: string) => server.admin.put(`/projects/${project.id}`, { exposure })
  expect(await put('internet')).toMatchObject({ status: 200, body: { exposure: 'internet' } })
  await updatePriorities(server.deps)
  expect(await scores()).toEqual([30, 30, 30])
  expect(await put('moon')).toMatchObject({ status: 400 })
  const events = (await server.admin.get(`/projects/${project.id}/audit_events`)).body
  expect(JSON.stringify(events)).toContain('"exposure"')

  await server.report(project, [...entries, entry({ line: 4, severity: 'Medium' })], { promote: 'true' })
  expect(await scores()).toEqual([30, 30, 30, 30])

  const start = clock.now
  const after = (days: number) => new Date(Date.parse(start) + days * 24 * 60 * 60 * 1000).toISOString()
  for (const [days, points] of [
    [29, 0],
    [30, 1],
    [89, 1],
    [90, 3],
    [400, 5],
  ] as const) {
    clock.now = after(days)
    await updatePriorities(server.deps)
    expect(await scores()).toEqual(Array(4).fill(30 + points))
  }
  clock.now = start
})

test('the task writes nothing when every priority is up to date', async () => {
  const { deps } = server
  await updatePriorities(deps)
  const statements: string[] = []
  const db = observeDatabase(deps.db, ({ text }) => statements.push(text.trim()))
  await updatePriorities({ ...deps, db })
  expect(statements.length).toBeGreaterThan(0)
  expect(statements.filter((text) => !text.startsWith('select'))).toEqual([])
})

test('vulnerabilities from before the columns are scored, and a second process leaves them to the first', async () => {
  const project = await server.project('priority/unscored')
  await server.report(project, [entry({ others: [identifier('cve', 'CVE-2024-0001')] })], { promote: 'true' })
  const { db } = server.deps
  const reset = sql`
    update vulnerabilities set is_scored = false, epss_millionths = null where project_id = ${project.id}`
  const score = async () => (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body[0].epss
  await db.run(reset)
  await db.run(sql`update feed_application set running_until = '2026-03-01T10:01:00.000Z'`)
  await updatePriorities(server.deps)
  expect(await score()).toBeNull()
  await db.run(sql`update feed_application set running_until = null`)
  await updatePriorities(server.deps)
  expect(await score()).toEqual({ score: 0.2, percentile: 0.988 })
})
