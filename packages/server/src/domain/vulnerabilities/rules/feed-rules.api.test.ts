import { beforeAll, expect, test } from 'vitest'
import { loadRows } from '../../../testing/reports/feeds.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import type { FeedRows } from '../../feeds/feed.ts'
import { updatePriorities } from '../priority/score-all.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

const kevOf = (cve: string): FeedRows => ({
  kind: 'kev',
  rows: [{ cve, addedOn: '2026-01-01', dueOn: '2026-02-01', isRansomware: false }],
})

const cases: [name: string, identifier: string, match: object, rows: FeedRows][] = [
  ['KEV', 'CVE-2031-0001', { kev: true }, kevOf('CVE-2031-0001')],
  [
    ...(['EPSS', 'CVE-2031-0002', { min_epss: 0.5 }] as const),
    { kind: 'epss', rows: [{ cve: 'CVE-2031-0002', scoreMillionths: 600_000, percentileMillionths: 900_000 }] },
  ],
  [
    ...(['aliases', 'GHSA-2222-3333-4444', { identifier: 'CVE-2031-0003' }] as const),
    { kind: 'osv', rows: [{ name: 'CVE-2031-0003', alias: 'GHSA-2222-3333-4444' }] },
  ],
]

test.each(cases)(
  'a rule that depends on %s is applied as soon as these are loaded',
  async (name, identifier, match, rows) => {
    const project = await server.project(`feeds/${name.toLowerCase()}`)
    const other = { type: 'advisory', name: identifier, value: identifier }
    await server.report(project, [entry({ severity: 'Low', others: [other] })])
    const rules = `/projects/${project.id}/vulnerability_rules`
    expect(await server.admin.post(rules, { name, match, action: { severity: 'critical' } })).toMatchObject({
      status: 201,
    })
    const severity = async () => {
      await server.runJobs()
      return (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body[0].severity
    }
    expect(await severity()).toBe('low')
    await loadRows(server.deps, rows)
    await updatePriorities(server.deps)
    expect(await severity()).toBe('critical')
  },
)

test('a load of feeds queues nothing for rules that do not depend on them', async () => {
  const project = await server.project('feeds/others')
  const rules = `/projects/${project.id}/vulnerability_rules`
  const rule = { name: 'Tests', match: { path: 'test/**' }, action: { severity: 'low' } }
  await server.admin.post(rules, rule)
  await server.runJobs()
  await loadRows(server.deps, kevOf('CVE-2031-0009'))
  await updatePriorities(server.deps)
  expect((await server.admin.get(rules)).body.update ?? null).toBeNull()
})
