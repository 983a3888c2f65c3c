import { beforeAll, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let shop: TestProject

beforeAll(async () => {
  server = await startServer()
  shop = await server.project('acme/shop')
  const site = await server.project('acme/site')
  await server.report(shop, [entry({ line: 1, severity: 'Critical' }), entry({ line: 2, severity: 'Low', rule: 'b' })])
  await server.report(site, [entry({ line: 1, severity: 'Low' })])
  const empty = await server.project('acme/empty')
  await server.report(empty, [])
  await server.project('acme/never-scanned')
})

async function send(client: Client, query: string) {
  const { status, body } = await client.post('//api/graphql', { query })
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data
}

const scanners = 'vulnerabilityScanners { nodes { id externalId name vendor reportType reportTypeHumanized } }'
const testScanner = {
  id: expect.stringMatching(/^gid:\/\/gitlab\/Vulnerabilities::Scanner\/\d+$/),
  ...{
    externalId: 'test-scanner',
    name: 'Test scanner',
    vendor: 'Acme',
    reportType: 'SAST',
    reportTypeHumanized: 'SAST',
  },
}

test('a project has its scanners and its active vulnerabilities', async () => {
  const statistic = 'vulnerabilityStatistic { total critical high low letterGrade }'
  const developer = await server.as('developer', shop)
  expect(await send(developer, `{ project(fullPath: "acme/shop") { ${scanners} ${statistic} } }`)).toEqual({
    project: {
      vulnerabilityScanners: { nodes: [testScanner] },
      vulnerabilityStatistic: { total: 2, critical: 1, high: 0, low: 1, letterGrade: 'F' },
    },
  })
  expect(await send(server.admin, `{ project(fullPath: "acme/never-scanned") { ${statistic} } }`)).toMatchObject({
    project: { vulnerabilityStatistic: { total: 0, letterGrade: null } },
  })
})

test('a group and the instance have the scanners and grades of their projects', async () => {
  const grades = 'vulnerabilityGrades { grade count projects(first: 5) { nodes { fullPath } edges { node { name } } } }'
  const only = 'low: vulnerabilityGrades(letterGrade: B) { grade }'
  const data = await send(
    server.admin,
    `{ group(fullPath: "acme") { ${scanners} ${grades} ${only} } instanceSecurityDashboard { ${scanners} ${grades} ${only} } }`,
  )
  const one = (grade: string, name: string) => ({
    ...{ grade, count: 1 },
    projects: { nodes: [{ fullPath: `acme/${name}` }], edges: [{ node: { name } }] },
  })
  const expected = {
    vulnerabilityScanners: { nodes: [testScanner] },
    vulnerabilityGrades: [one('A', 'empty'), one('B', 'site'), one('F', 'shop')],
    low: [{ grade: 'B' }],
  }
  expect(data).toEqual({ group: expected, instanceSecurityDashboard: expected })
})

test('a caller without the right sees none of them', async () => {
  const reporter = await server.as('reporter', shop)
  const query = `{
    project(fullPath: "acme/shop") { ${scanners} vulnerabilityStatistic { total } }
    instanceSecurityDashboard { vulnerabilityGrades { grade } }
  }`
  expect(await send(reporter, query)).toEqual({
    project: { vulnerabilityScanners: null, vulnerabilityStatistic: null },
    instanceSecurityDashboard: { vulnerabilityGrades: [] },
  })
})
