import { beforeAll, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { entry } from '../../../testing/reports/reports.ts'
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

test('images, identifiers and types of scans are those of the vulnerabilities that the caller may read', async () => {
  const image = await server.project('images/app')
  const other = await server.project('images/other')
  const scanner = { id: 'trivy', name: 'Trivy', version: '1', vendor: { name: 'Aqua' } }
  const vulnerability = (name: string, cve: string) => ({
    ...{ id: `${name} ${cve}`, name: cve, severity: 'High' },
    identifiers: [{ type: 'cve', name: cve, value: cve }],
    location: {
      ...{ image: name, operating_system: 'debian:12' },
      dependency: { package: { name: 'openssl' }, version: '1' },
    },
  })
  for (const [project, names] of [
    [image, ['registry.test/b:1', 'registry.test/a:1']],
    [other, ['registry.test/a:1', 'registry.test/c:1']],
  ] as const) {
    await server.report(project, {
      version: '15.2.1',
      scan: {
        ...{ type: 'container_scanning', status: 'success', analyzer: scanner, scanner },
        ...{ start_time: '2026-05-01T09:00:00', end_time: '2026-05-01T09:01:00' },
      },
      vulnerabilities: names.map((name, index) => vulnerability(name, `CVE-2099-10${index}${project.id}`)),
      remediations: [
        { fixes: [{ id: `${names[0]} CVE-2099-100${project.id}` }], summary: 'Update openssl', diff: 'ZGlmZg==' },
      ],
    })
  }
  const developer = await server.as('developer', image)
  const images = 'vulnerabilityImages { nodes { name } }'
  const search = 'vulnerabilityIdentifierSearch(name: "cve-2099-1")'
  const query = `{
    project(fullPath: "images/app") { ${images} ${search} securityScanners { available enabled pipelineRun }
      one: vulnerabilityImages(first: 1) { nodes { name } pageInfo { hasNextPage } }
      none: vulnerabilityIdentifierSearch(name: "%_%")
    }
    group(fullPath: "images") { ${images} ${search} }
    instanceSecurityDashboard { ${images} }
  }`
  const nodes = (...names: string[]) => ({ nodes: names.map((name) => ({ name: `registry.test/${name}:1` })) })
  const own = [`CVE-2099-100${image.id}`, `CVE-2099-101${image.id}`]
  expect(await send(developer, query)).toEqual({
    project: {
      vulnerabilityImages: nodes('a', 'b'),
      vulnerabilityIdentifierSearch: own,
      securityScanners: {
        available: expect.arrayContaining(['SAST', 'DAST']),
        enabled: ['CONTAINER_SCANNING'],
        pipelineRun: ['CONTAINER_SCANNING'],
      },
      one: { ...nodes('a'), pageInfo: { hasNextPage: true } },
      none: [],
    },
    group: { vulnerabilityImages: nodes('a', 'b'), vulnerabilityIdentifierSearch: own },
    instanceSecurityDashboard: { vulnerabilityImages: nodes('a', 'b') },
  })
  expect((await send(server.admin, query)).group.vulnerabilityImages).toEqual(nodes('a', 'b', 'c'))

  const imagesOf = async (filter: string) => {
    const location = 'location { ... on VulnerabilityLocationContainerScanning { image } }'
    const list = `vulnerabilities(${filter}, sort: detected_asc) { nodes { ${location} hasRemediations } }`
    const { project } = await send(developer, `{ project(fullPath: "images/app") { ${list} } }`)
    type Node = { location: { image: string }; hasRemediations: boolean }
    return project.vulnerabilities.nodes.map((node: Node) => [node.location.image, node.hasRemediations])
  }
  const [b, a] = [
    ['registry.test/b:1', true],
    ['registry.test/a:1', false],
  ]
  expect(await imagesOf('image: ["registry.test/a:1", "other"]')).toEqual([a])
  expect(await imagesOf('image: ["registry.test"]')).toEqual([])
  expect(await imagesOf('image: [], hasRemediations: null')).toEqual([b, a])
  expect(await imagesOf('hasRemediations: true')).toEqual([b])
  expect(await imagesOf('hasRemediations: false')).toEqual([a])
  expect(await imagesOf('hasRemediations: false, image: ["registry.test/b:1"]')).toEqual([])
  const { body } = await developer.get('/vulnerabilities?image[]=registry.test/b:1&has_remediations=true')
  expect(body).toMatchObject([{ title: own[0] }])

  const reporter = await server.as('reporter', image)
  expect(
    await send(reporter, `{ project(fullPath: "images/app") { ${images} ${search} securityScanners { enabled } } }`),
  ).toEqual({
    project: { vulnerabilityImages: null, vulnerabilityIdentifierSearch: null, securityScanners: null },
  })
  const short = '{ project(fullPath: "images/app") { vulnerabilityIdentifierSearch(name: "cv") } }'
  const refused = await developer.post('//api/graphql', { query: short })
  expect(refused.body.errors[0].message).toBe('Name should be at least 3 characters.')
})
