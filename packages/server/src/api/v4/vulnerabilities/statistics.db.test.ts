import { expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const statistics = async (client: Client, project: TestProject) =>
  (await client.get(`/projects/${project.id}/vulnerability_statistics`)).body

test('statistics of an empty project have zeros, no grade and a year of empty days', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  const project = await server.project('acme/empty')
  const body = await statistics(await server.as('developer', project), project)
  const none = { critical: 0, high: 0, medium: 0, low: 0, unknown: 0, info: 0 }
  expect(body).toMatchObject({ total: 0, ...none, letter_grade: null, mean_time_to_resolve: null })
  expect(body.mean_time_to_resolve_by_severity.high).toBe(null)
  expect(body.counts.critical).toEqual({ detected: 0, confirmed: 0, resolved: 0, dismissed: 0 })
  expect(body.per_day).toHaveLength(365)
  expect(body.per_day[0]).toEqual({ date: '2025-03-02', total: 0, ...none })
  expect(body.per_day.at(-1).date).toBe('2026-03-01')
})

test('a grade requires a scan of the default branch and no findings that await promotion', async () => {
  const server = await startServer()
  const project = await server.project('acme/graded')
  const other = await server.project('acme/other')
  const maintainer = await server.as('maintainer', project)
  const grades = async () => {
    const group = (await server.admin.get('/groups/acme/vulnerability_statistics')).body
    return [(await statistics(server.admin, project)).letter_grade, group.letter_grade, group.projects_by_grade]
  }
  const none = { A: 0, B: 0, C: 0, D: 0, F: 0 }
  expect(await grades()).toEqual([null, null, none])

  await server.report(project, [], { ref: 'feature' })
  expect(await grades()).toEqual([null, null, none])
  await server.report(project, [])
  expect(await grades()).toEqual(['A', 'A', { ...none, A: 1 }])

  const [low, critical] = [entry({ line: 1, severity: 'Low' }), entry({ line: 2, severity: 'Critical', rule: 'b' })]
  await server.report(project, [low, critical], { promote: 'false' })
  expect(await grades()).toEqual([null, null, none])
  const { body: findings } = await maintainer.get(`/projects/${project.id}/vulnerability_findings`)
  const promote = async (severity: string) => {
    const { id } = findings.find((finding: { severity: string }) => finding.severity === severity)
    expect((await maintainer.post(`/projects/${project.id}/vulnerabilities?finding_id=${id}`)).status).toBe(201)
  }
  await promote('critical')
  expect(await grades()).toEqual([null, null, none])
  await promote('low')
  expect(await grades()).toEqual(['F', 'F', { ...none, F: 1 }])
  await server.report(project, [low])
  const { body: rows } = await maintainer.get(`/projects/${project.id}/vulnerabilities`)
  const fixed = rows.find(({ severity }: { severity: string }) => severity === 'critical')
  expect((await maintainer.post(`/vulnerabilities/${fixed.id}/resolve`)).status).toBe(201)
  expect(await grades()).toEqual(['B', 'B', { ...none, B: 1 }])
  await server.report(other, [])
  expect(await grades()).toEqual(['B', 'B', { ...none, A: 1, B: 1 }])
})

test('statistics count by severity and state, grade the project, and keep each past day', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  const project = await server.project('acme/days')
  const both = [entry({ line: 1, severity: 'High' }), entry({ line: 2, severity: 'Low', rule: 'b' })]
  await server.report(project, both)
  clock.now = '2026-03-04T23:59:59.999Z'
  await server.report(project, [...both, entry({ line: 3, severity: 'Critical', rule: 'c' })])
  clock.now = '2026-03-05T00:00:00.000Z'
  // The scanner lowers the severity of the first one.
  await server.report(project, [entry({ line: 1, severity: 'Medium' }), both[1] ?? {}])
  clock.now = '2026-03-06T12:00:00.000Z'

  const body = await statistics(server.admin, project)
  expect(body).toMatchObject({ total: 3, critical: 1, high: 0, medium: 1, low: 1, letter_grade: 'F' })
  expect(body.counts).toMatchObject({ critical: { detected: 1 }, medium: { detected: 1 }, high: { detected: 0 } })
  const ends = Object.fromEntries(
    body.per_day
      .slice(-7)
      .map(({ date, critical, high, medium, low, total }: Record<string, number>) => [
        date,
        [critical, high, medium, low, total],
      ]),
  )
  expect(ends).toEqual({
    '2026-02-28': [0, 0, 0, 0, 0],
    '2026-03-01': [0, 1, 0, 1, 2],
    '2026-03-02': [0, 1, 0, 1, 2],
    '2026-03-03': [0, 1, 0, 1, 2],
    '2026-03-04': [1, 1, 0, 1, 3],
    '2026-03-05': [1, 0, 1, 1, 3],
    '2026-03-06': [1, 0, 1, 1, 3],
  })
})

test('statistics of several projects follow changes of their names, and of their groups', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  await server.vulnerability(project, { name: 'SQL injection' })
  const mostAffected = async () => {
    const { body } = await server.admin.get('/vulnerability_statistics')
    return body.most_affected_projects.map((one: { name_with_namespace: string; web_url: string }) => [
      one.name_with_namespace,
      new URL(one.web_url).pathname,
    ])
  }
  expect(await mostAffected()).toEqual([['acme / site', '/acme/site']])
  expect(await mostAffected()).toEqual([['acme / site', '/acme/site']])
  await server.admin.put(`/projects/${project.id}`, { name: 'Web', path: 'web' })
  expect(await mostAffected()).toEqual([['acme / Web', '/acme/web']])
  await server.admin.put('/groups/acme', { name: 'Acme', path: 'acme-inc' })
  expect(await mostAffected()).toEqual([['Acme / Web', '/acme-inc/web']])
})

test('statistics have the mean time from detection to resolution of resolved vulnerabilities', async () => {
  const clock = { now: '2026-03-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  const project = await server.project('acme/times')
  const severities = ['High', 'High', 'Low', 'Critical']
  await server.report(
    project,
    severities.map((severity, line) => entry({ line: line + 1, severity, rule: `rule-${line}` })),
  )
  const { body: rows } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc`)
  const change = async (index: number, action: string, at: string) => {
    clock.now = at
    expect((await server.admin.post(`/vulnerabilities/${rows[index].id}/${action}`)).status).toBe(201)
  }
  await change(0, 'resolve', '2026-03-01T11:00:00.000Z')
  await change(1, 'resolve', '2026-03-01T13:00:00.000Z')
  await change(2, 'resolve', '2026-03-02T10:00:00.000Z')
  await change(3, 'dismiss', '2026-03-03T10:00:00.000Z')
  const hour = 3600
  expect(await statistics(server.admin, project)).toMatchObject({
    total: 0,
    letter_grade: 'A',
    counts: { high: { resolved: 2 }, low: { resolved: 1 }, critical: { dismissed: 1, detected: 0 } },
    mean_time_to_resolve: (28 * hour) / 3,
    mean_time_to_resolve_by_severity: { high: 2 * hour, low: 24 * hour, critical: null },
  })
  await change(2, 'revert', '2026-03-04T10:00:00.000Z')
  const body = await statistics(server.admin, project)
  expect(body).toMatchObject({ total: 1, letter_grade: 'B', mean_time_to_resolve: 2 * hour })
  expect(body.per_day.slice(-4).map(({ total }: { total: number }) => total)).toEqual([2, 1, 0, 1])
})

test('statistics require Developer, with the usual status for other callers', async () => {
  const server = await startServer()
  const project = await server.project('acme/private')
  const path = `/projects/${project.id}/vulnerability_statistics`
  expect((await server.anonymous.get(path)).status).toBe(401)
  expect((await (await server.as('outsider', project)).get(path)).status).toBe(404)
  expect((await (await server.as('reporter', project)).get(path)).status).toBe(403)
  expect((await (await server.as('developer', project)).get(path)).status).toBe(200)
})

async function groupOfThree(server: TestServer) {
  const projects = [
    await server.project('top/one'),
    await server.project('top/two'),
    await server.project('top/three'),
    await server.project('elsewhere/four'),
  ] as const
  for (const [index, project] of projects.entries()) {
    const severities = [['Low'], ['Critical', 'Low'], ['Medium'], ['Critical']][index] ?? []
    await server.report(
      project,
      severities.map((severity, line) => entry({ line: line + 1, severity, name: `${severity} in ${index + 1}` })),
    )
  }
  return projects
}

test('statistics and list of a group contain only what the caller may read in each project', async () => {
  const server = await startServer()
  const [one, two, three] = await groupOfThree(server)
  const developer = await server.as('developer', one)
  const member = { user_id: developer.user?.id, access_level: 20 }
  await server.admin.post(`/projects/${three.id}/members`, member)
  const groupDeveloper = await server.user('group-developer')
  await server.admin.post('/groups/top/members', { user_id: groupDeveloper.user?.id, access_level: 30 })

  const titles = async (client: Client, query = '') => {
    const { status, body, headers } = await client.get(`/groups/top/vulnerabilities${query}`)
    expect([status, headers['x-total']]).toEqual([200, String(body.length)])
    return body.map(({ title }: { title: string }) => title)
  }
  expect(await titles(developer)).toEqual(['Low in 1'])
  const worstFirst = ['Critical in 2', 'Medium in 3', 'Low in 2', 'Low in 1']
  expect(await titles(groupDeveloper)).toEqual(worstFirst)
  expect(await titles(server.admin)).toEqual(worstFirst)
  expect(await titles(server.admin, '?severity=low,medium&sort=detected_asc')).toEqual([
    'Low in 1',
    'Low in 2',
    'Medium in 3',
  ])
  expect(await titles(server.admin, `?project_id=${one.id},${two.id}&search=low`)).toEqual(['Low in 2', 'Low in 1'])
  const { body } = await server.admin.get('/groups/top/vulnerabilities?per_page=1')
  expect(body[0]).toMatchObject({
    project: { id: two.id, path_with_namespace: 'top/two' },
    finding: { project_id: two.id },
  })

  const ofTwo = await groupDeveloper.get(`/groups/top/vulnerability_statistics?project_id=${one.id},${three.id}`)
  expect(ofTwo).toMatchObject({ status: 200, body: { projects: 2, total: 2, medium: 1, low: 1, letter_grade: 'C' } })
  // The filter does not widen what the caller may read.
  const hidden = await developer.get(`/groups/top/vulnerability_statistics?project_id=${two.id}`)
  expect(hidden).toMatchObject({ status: 200, body: { projects: 0, total: 0, most_affected_projects: [] } })
  const own = await developer.get('/groups/top/vulnerability_statistics')
  expect(own).toMatchObject({ status: 200, body: { projects: 1, total: 1, low: 1, letter_grade: 'B' } })
  const all = await groupDeveloper.get('/groups/top/vulnerability_statistics')
  expect(all.body).toMatchObject({
    projects: 3,
    projects_by_grade: { A: 0, B: 1, C: 1, D: 0, F: 1 },
    total: 4,
    critical: 1,
    medium: 1,
    low: 2,
    letter_grade: 'F',
  })
  expect(all.body.per_day.at(-1)).toMatchObject({ total: 4, low: 2 })
})

test('statistics and list of a group require a token, and are empty for callers without access', async () => {
  const server = await startServer()
  await groupOfThree(server)
  const stranger = await server.user('stranger')
  expect((await server.anonymous.get('/groups/top/vulnerabilities')).status).toBe(401)
  expect(await stranger.get('/groups/top/vulnerabilities')).toMatchObject({ status: 200, body: [] })
  expect(await stranger.get('/groups/top/vulnerability_statistics')).toMatchObject({
    body: { projects: 0, total: 0 },
  })
  expect(await stranger.get('/groups/nowhere/vulnerabilities')).toMatchObject({
    status: 404,
    body: { message: '404 Group Not Found' },
  })
})
