import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../testing/client.ts'
import { onSqlite } from '../../testing/databases/database.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../testing/server.ts'

let server: TestServer
let shop: TestProject
let site: TestProject
let developer: Client

beforeAll(async () => {
  server = await startServer({ clock: { now: '2026-09-10T10:00:00.000Z' } })
  site = await server.project('acme/site')
  const { body: acme } = await server.admin.get('/groups/acme')
  const { body: web } = await server.admin.post('/groups', { name: 'web', path: 'web', parent_id: acme.id })
  shop = (await server.admin.post('/projects', { name: 'shop', namespace_id: web.id })).body
  const other = await server.project('other/tool')
  developer = await server.as('developer', shop)
  await server.admin.put('/groups/acme', { visibility: 'private' })
  await server.report(shop, [
    entry({ line: 1, severity: 'Critical', name: 'SQL injection' }),
    entry({ line: 2, severity: 'Low', name: 'Weak hash' }),
  ])
  await server.report(site, [entry({ line: 1, severity: 'High', name: 'Path traversal' })])
  await server.report(other, [entry({ line: 1, severity: 'High', name: 'Open redirect' })])
})

async function query(client: Client, document: string, variables: object = {}) {
  const { status, body } = await client.post('//api/graphql', { query: document, variables })
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data
}

const titlesIn = ({ nodes }: { nodes: { title: string }[] }) => nodes.map(({ title }) => title)
const all = ['SQL injection', 'Open redirect', 'Path traversal', 'Weak hash']
const counts = 'vulnerabilitySeveritiesCount { critical high medium low info unknown }'
const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0, unknown: 0 }

describe.runIf(onSqlite)('a group', () => {
  const document = `query($path: ID!) { group(fullPath: $path) {
    id fullPath vulnerabilities { nodes { title project { fullPath } } count } ${counts} } }`

  test('has the vulnerabilities of its projects and subgroups', async () => {
    const { group } = await query(server.admin, document, { path: 'acme' })
    expect(titlesIn(group.vulnerabilities)).toEqual(['SQL injection', 'Path traversal', 'Weak hash'])
    expect(group.vulnerabilities.nodes[1].project.fullPath).toBe('acme/site')
    expect(group).toMatchObject({
      fullPath: 'acme',
      [`vulnerabilitySeveritiesCount`]: { ...none, critical: 1, high: 1, low: 1 },
    })
    const { group: below } = await query(server.admin, document, { path: 'acme/web' })
    expect(titlesIn(below.vulnerabilities)).toEqual(['SQL injection', 'Weak hash'])
  })

  test('shows only what the caller may read in each project', async () => {
    const { group } = await query(developer, document, { path: 'acme' })
    expect(titlesIn(group.vulnerabilities)).toEqual(['SQL injection', 'Weak hash'])
    expect(group.vulnerabilities.count).toBe(2)
    expect(group.vulnerabilitySeveritiesCount).toEqual({ ...none, critical: 1, low: 1 })
    expect(await query(await server.user('outsider'), document, { path: 'acme' })).toEqual({ group: null })
    expect(await query(server.anonymous, document, { path: 'acme' })).toEqual({ group: null })
  })

  test('is found by its former path', async () => {
    await server.project('before/tool')
    const { body } = await server.admin.get('/groups/before')
    await server.admin.put(`/groups/${body.id}`, { path: 'after' })
    const { group } = await query(server.admin, document, { path: 'before' })
    expect(group.fullPath).toBe('after')
  })
})

describe.runIf(onSqlite)('the instance', () => {
  const document = `query($ids: [ID!]) { vulnerabilities(projectId: $ids) { nodes { title } }
    instanceSecurityDashboard { vulnerabilitySeveritiesCount(projectId: $ids) { critical high low } } }`

  test('has the vulnerabilities of all projects that the caller may read', async () => {
    const everything = await query(server.admin, document)
    expect(titlesIn(everything.vulnerabilities)).toEqual(all)
    expect(everything.instanceSecurityDashboard.vulnerabilitySeveritiesCount).toEqual({ critical: 1, high: 2, low: 1 })
    expect(titlesIn((await query(developer, document)).vulnerabilities)).toEqual(['SQL injection', 'Weak hash'])
    expect(await query(server.anonymous, document)).toEqual({
      vulnerabilities: { nodes: [] },
      instanceSecurityDashboard: null,
    })
  })

  test('is narrowed to projects, but not widened', async () => {
    const ids = [`gid://gitlab/Project/${site.id}`, String(shop.id)]
    expect(titlesIn((await query(server.admin, document, { ids })).vulnerabilities)).toEqual([
      'SQL injection',
      'Path traversal',
      'Weak hash',
    ])
    const { vulnerabilities, instanceSecurityDashboard } = await query(developer, document, { ids: ids.slice(0, 1) })
    expect(vulnerabilities.nodes).toEqual([])
    expect(instanceSecurityDashboard.vulnerabilitySeveritiesCount).toEqual({ critical: 0, high: 0, low: 0 })
  })
})

describe('vulnerabilitySeveritiesCount of a project', () => {
  const count = async (client: Client, args: string) => {
    const document = `{ project(fullPath: "acme/web/shop") { vulnerabilitySeveritiesCount${args} { critical high low } } }`
    return (await query(client, document)).project.vulnerabilitySeveritiesCount
  }

  test.runIf(onSqlite).each([
    ['', { critical: 1, high: 0, low: 1 }],
    ['(severity: [LOW])', { critical: 0, high: 0, low: 1 }],
    ['(state: [RESOLVED])', { critical: 0, high: 0, low: 0 }],
    ['(identifierName: "CWE-0")', { critical: 0, high: 0, low: 0 }],
    ['(hasMergeRequest: true)', { critical: 0, high: 0, low: 0 }],
    ['(capped: true)', { critical: 1, high: 0, low: 1 }],
  ])('counts with %s', async (args, expected) => {
    expect(await count(developer, args)).toEqual(expected)
  })

  test.runIf(onSqlite)('stops at 1001 where it is capped', async () => {
    const large = await server.project('acme/large')
    const entries = Array.from({ length: 1003 }, (_, index) => entry({ line: index + 1, severity: 'High' }))
    await server.report(large, entries)
    await server.runJobs()
    const fields = (capped: boolean) => `vulnerabilitySeveritiesCount(capped: ${capped}) { high }`
    const document = (capped: boolean) => `{ project(fullPath: "acme/large") { ${fields(capped)} } }`
    const countOf = async (capped: boolean) =>
      (await query(server.admin, document(capped))).project.vulnerabilitySeveritiesCount.high
    expect([await countOf(false), await countOf(true)]).toEqual([1003, 1001])
    await server.admin.delete(`/projects/${large.id}`)
  })

  test('is null for a caller who may not read them', async () => {
    expect(await count(await server.as('reporter', shop), '')).toBe(null)
  })
})

test.runIf(onSqlite)('vulnerabilitiesCountByDay has the active vulnerabilities of each day', async () => {
  const document = (start: string, end: string) => `{ project(fullPath: "acme/web/shop") {
    vulnerabilitiesCountByDay(startDate: "${start}", endDate: "${end}") { nodes { date total critical low high } } } }`
  const { project } = await query(developer, document('2026-09-09', '2026-09-30'))
  expect(project.vulnerabilitiesCountByDay.nodes).toEqual([
    { date: '2026-09-09', total: 0, critical: 0, low: 0, high: 0 },
    { date: '2026-09-10', total: 2, critical: 1, low: 1, high: 0 },
  ])
  const { body } = await developer.post('//api/graphql', { query: document('2026-09-30', '2026-09-09') })
  expect(body.errors[0].message).toBe('`startDate` must not be after `endDate`')
})
