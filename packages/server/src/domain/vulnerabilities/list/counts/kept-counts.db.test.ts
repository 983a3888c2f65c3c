import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { disagreements } from '../../../../testing/kept-counts.ts'
import { entry, sastReport } from '../../../../testing/reports/reports.ts'
import { startServer, type TestProject } from '../../../../testing/server.ts'

const severities = ['Info', 'Low', 'Medium', 'High', 'Critical']

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test('stored counts equal the sums of rows after random concurrent changes', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  const projects = [await server.project('acme/one'), await server.project('acme/two')]
  const random = numbers(42)

  const report = async (project: TestProject) => {
    const entries = Array.from({ length: 12 }, (_, index) => index)
      .filter(() => random(3) > 0)
      .map((line) => entry({ line: line + 1, severity: severities[random(severities.length)] ?? 'Low' }))
    const file = sastReport(entries)
    file.scan.scanner.id = `scanner-${random(2)}`
    const fields = { promote: `${random(2) === 0}`, ref: random(4) === 0 ? 'feature' : 'main' }
    await server.report(project, file, fields)
  }
  const promote = async (project: TestProject) => {
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_findings?per_page=100`)
    const waiting = body.filter((row: { vulnerability_id: number | null }) => row.vulnerability_id === null)
    const chosen = waiting[random(waiting.length)]
    if (!chosen) return
    const reply = await server.admin.post(`/projects/${project.id}/vulnerabilities?finding_id=${chosen.id}`)
    expect([201, 400]).toContain(reply.status)
  }
  const triage = async (project: TestProject) => {
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?per_page=100`)
    const chosen = body[random(body.length)]
    const actions = ['confirm', 'resolve', 'dismiss', 'revert']
    const action = actions[random(actions.length)]
    if (!chosen) return
    const fields = action === 'dismiss' && random(2) === 0 ? { dismissal_reason: 'used_in_tests' } : {}
    const reply = await server.admin.post(`/vulnerabilities/${chosen.id}/${action}`, fields)
    expect([201, 304]).toContain(reply.status)
  }
  for (let round = 0; round < 15; round++) {
    clock.now = new Date(Date.parse(clock.now) + random(40) * 3_600_000).toISOString()
    const project = projects[random(projects.length)]
    if (!project) throw new Error('no project')
    const another = random(2) === 0 ? report(project) : promote(project)
    await Promise.all([report(project), promote(project), triage(project), triage(project), another])
    expect(await disagreements(server.deps)).toEqual([])
  }
  const [{ total } = { total: 0 }] = await server.deps.db.all<{ total: number }>(
    sql`select count(*) as total from vulnerabilities`,
  )
  expect(total).toBeGreaterThan(15)
  for (const project of projects) {
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_statistics`)
    const path = `/projects/${project.id}/vulnerabilities?state=detected,confirmed&per_page=100`
    const rows = await server.admin.get(path)
    expect(body.total).toBe(rows.body.length)
    expect(body.per_day.at(-1).total).toBe(body.total)
  }

  expect((await server.admin.delete(`/projects/${projects[0]?.id}`)).status).toBe(202)
  expect(await disagreements(server.deps)).toEqual([])
  const left = await server.deps.db.all(sql`select * from finding_texts where project_id = ${projects[0]?.id}`)
  expect(left).toEqual([])
}, 60_000)
