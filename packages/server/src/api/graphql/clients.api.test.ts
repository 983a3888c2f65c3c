import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../testing/client.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../testing/server.ts'

/*
 * Documents with the fields, arguments and variables that clients of GitLab's API request: updates of dependencies
 * (Renovate), inventories (mql), catalogues (Port), assistants (gitlab-mcp), converters and exporters of results.
 */

let server: TestServer
let project: TestProject
let developer: Client
let ids: number[]

beforeAll(async () => {
  const lines: Record<string, unknown>[] = []
  server = await startServer({ log: (line) => lines.push(line) })
  logged = lines
  project = await server.project('acme/shop')
  developer = await server.as('developer', project)
  await server.report(project, {
    version: '15.2.1',
    scan: {
      analyzer: { id: 'gemnasium', name: 'Gemnasium', version: '5.0.0', vendor: { name: 'GitLab' } },
      scanner: { id: 'gemnasium', name: 'Gemnasium', version: '5.0.0', vendor: { name: 'GitLab' } },
      start_time: '2026-09-01T10:00:00',
      end_time: '2026-09-01T10:01:00',
      status: 'success',
      type: 'dependency_scanning',
    },
    vulnerabilities: [
      {
        id: 'a',
        name: 'Prototype pollution',
        description: 'Assigns to the prototype of objects.',
        severity: 'High',
        solution: 'Upgrade to 4.17.21',
        identifiers: [{ type: 'cve', name: 'CVE-2099-0001', value: 'CVE-2099-0001', url: 'https://example.com/cve' }],
        links: [{ url: 'https://example.com/advisory' }],
        location: { file: 'package-lock.json', dependency: { package: { name: 'lodash' }, version: '4.17.20' } },
        cvss_vectors: [{ vendor: 'NVD', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      },
    ],
  })
  await server.report(project, [entry({ line: 3, severity: 'Low', name: 'Weak hash' })])
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
  ids = body.map(({ id }: { id: number }) => id)
})

let logged: Record<string, unknown>[]

// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
async function send(document: string, variables: object = {}): Promise<any> {
  const { status, body } = await developer.post('//api/graphql', { query: document, variables })
  expect([status, body.errors]).toEqual([200, undefined])
  return body.data
}

type Data = Awaited<ReturnType<typeof send>>

describe('a client', () => {
  test('that updates dependencies reads all alerts of a project without arguments', async () => {
    const document = `query alerts($fullPath: ID!) {
      project(fullPath: $fullPath) { vulnerabilities { nodes {
        webUrl detectedAt reportType state severity title id identifiers { name externalId externalType }
      } } }
    }`
    const { nodes } = (await send(document, { fullPath: 'acme/shop' })).project.vulnerabilities
    expect(nodes).toMatchObject([
      { title: 'Prototype pollution', reportType: 'DEPENDENCY_SCANNING', identifiers: [{ externalType: 'cve' }] },
      { title: 'Weak hash', reportType: 'SAST' },
    ])
  })

  test.each(['project(fullPath: "acme/shop")', 'group(fullPath: "acme")'])(
    'that keeps an inventory reads the versions of scanners, which are null, in the pages of %s',
    async (place) => {
      const user = '{ username id }'
      const lines = 'startLine endLine file vulnerableMethod vulnerableClass blobPath'
      const dependency = 'dependency { version package { name } }'
      const page = (after: string) => `query { ${place} { vulnerabilities(first: 100${after}) {
        nodes {
          id title description state severity reportType webUrl detectedAt confirmedAt resolvedAt dismissedAt
          resolvedOnDefaultBranch dismissalReason identifiers { name url externalId externalType }
          scanner { externalId version vendor name id } project { fullPath id }
          confirmedBy ${user} resolvedBy ${user} dismissedBy ${user}
          location { __typename
            ... on VulnerabilityLocationSast { ${lines} }
            ... on VulnerabilityLocationSecretDetection { ${lines} }
            ... on VulnerabilityLocationDependencyScanning { file ${dependency} }
            ... on VulnerabilityLocationContainerScanning { operatingSystem image ${dependency} }
            ... on VulnerabilityLocationDast { param requestMethod path hostname }
          }
        }
        pageInfo { endCursor hasNextPage }
      } } }`
      const { vulnerabilities } = Object.values<Data>(await send(page('')))[0]
      expect(vulnerabilities.nodes).toHaveLength(2)
      expect(vulnerabilities.nodes[0].scanner).toMatchObject({ externalId: 'gemnasium', version: null })
      const next = await send(page(`, after: ${JSON.stringify(vulnerabilities.pageInfo.endCursor)}`))
      expect(Object.values<Data>(next)[0].vulnerabilities.nodes).toEqual([])
      const counts = `query { project(fullPath: "acme/shop") { vulnerabilitySeveritiesCount {
        unknown info low medium high critical } } }`
      expect((await send(counts)).project.vulnerabilitySeveritiesCount).toMatchObject({ high: 1, low: 1, unknown: 0 })
    },
  )

  test('that fills a catalogue reads a group by severities, which may be null', async () => {
    const lines = '{ endLine startLine file }'
    const document = `query($severity: [VulnerabilitySeverity!], $after: String, $first: Int, $groupPath: ID!) {
      group(fullPath: $groupPath) { vulnerabilities(severity: $severity, after: $after, first: $first) {
        pageInfo { hasNextPage endCursor }
        nodes {
          uuid id description title state severity reportType updatedAt detectedAt confirmedAt dismissedAt resolvedAt
          presentOnDefaultBranch resolvedOnDefaultBranch falsePositive hasRemediations solution dismissalReason
          webUrl vulnerabilityPath
          # Comments are not fields.
          project { webUrl fullPath name id }
          primaryIdentifier { externalId externalType url name }
          scanner { vendor name id }
          location {
            ... on VulnerabilityLocationSecretDetection ${lines}
            ... on VulnerabilityLocationDependencyScanning { file }
            ... on VulnerabilityLocationSast ${lines}
          }
          cvss { vendor severity overallScore baseScore version vector }
        }
      } }
    }`
    const read = async (variables: object) =>
      (await send(document, { groupPath: 'acme', first: 50, ...variables })).group.vulnerabilities.nodes
    expect(await read({ severity: null, after: null })).toHaveLength(2)
    expect(await read({ severity: ['LOW'] })).toMatchObject([
      { title: 'Weak hash', project: { fullPath: 'acme/shop' } },
    ])
    expect(await send('query { currentUser { name } }')).toMatchObject({ currentUser: { name: expect.any(String) } })
  })

  test('that updates dependencies reads open alerts with package, identifiers and fix', async () => {
    const document = `query vulnerabilityAlerts($fullPath: ID!, $after: String) {
      project(fullPath: $fullPath) {
        vulnerabilities(state: [DETECTED, CONFIRMED], reportType: [DEPENDENCY_SCANNING], first: 100, after: $after) {
          pageInfo { hasNextPage endCursor }
          nodes {
            id severity state solution
            identifiers { externalType externalId name url }
            location {
              __typename
              ... on VulnerabilityLocationDependencyScanning { file dependency { package { name } version } }
            }
          }
        }
      }
    }`
    const { vulnerabilities } = (await send(document, { fullPath: 'acme/shop', after: null })).project
    expect(vulnerabilities.pageInfo.hasNextPage).toBe(false)
    expect(vulnerabilities.nodes).toEqual([
      {
        id: `gid://gitlab/Vulnerability/${ids[0]}`,
        severity: 'HIGH',
        state: 'DETECTED',
        solution: 'Upgrade to 4.17.21',
        identifiers: [
          { externalType: 'cve', externalId: 'CVE-2099-0001', name: 'CVE-2099-0001', url: 'https://example.com/cve' },
        ],
        location: {
          __typename: 'VulnerabilityLocationDependencyScanning',
          file: 'package-lock.json',
          dependency: { package: { name: 'lodash' }, version: '4.17.20' },
        },
      },
    ])
  })

  test('that keeps an inventory reads every kind of location, and the scores', async () => {
    const document = `query ($fullPath: ID!, $first: Int!, $after: String) {
      project(fullPath: $fullPath) {
        vulnerabilities(first: $first, after: $after, sort: detected_asc) {
          nodes {
            id uuid title description state severity reportType webUrl detectedAt confirmedAt resolvedAt dismissedAt updatedAt
            dismissalReason stateComment falsePositive presentOnDefaultBranch resolvedOnDefaultBranch hasRemediations
            confirmedBy { username } resolvedBy { username } dismissedBy { username }
            cvss { vendor vector version baseScore overallScore severity }
            links { name url } primaryIdentifier { name } scanner { externalId name vendor }
            location {
              __typename
              ... on VulnerabilityLocationSast { file startLine endLine vulnerableClass vulnerableMethod blobPath }
              ... on VulnerabilityLocationSecretDetection { file startLine endLine }
              ... on VulnerabilityLocationDependencyScanning { file dependency { package { name } version } }
              ... on VulnerabilityLocationContainerScanning { image operatingSystem dependency { package { name } version } }
              ... on VulnerabilityLocationClusterImageScanning { image kubernetesResource { namespace kind name containerName } }
              ... on VulnerabilityLocationDast { hostname path requestMethod param }
              ... on VulnerabilityLocationCoverageFuzzing { file crashType crashAddress stacktraceSnippet }
              ... on VulnerabilityLocationGeneric { description }
            }
          }
          pageInfo { endCursor hasNextPage }
        }
      }
    }`
    const titles: string[] = []
    let [after, scores]: [string | null, unknown] = [null, undefined]
    do {
      const data: Data = await send(document, { fullPath: 'acme/shop', first: 1, after })
      const { nodes, pageInfo } = data.project.vulnerabilities
      titles.push(...nodes.map(({ title }: { title: string }) => title))
      scores ??= nodes[0].cvss
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null
    } while (after)
    expect(titles).toEqual(['Prototype pollution', 'Weak hash'])
    expect(scores).toEqual([
      {
        vendor: 'NVD',
        vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
        version: 3.1,
        baseScore: 9.8,
        overallScore: 9.8,
        severity: 'CRITICAL',
      },
    ])
  })

  test('that fills a catalogue reads the vulnerabilities of a group, with their projects', async () => {
    const document = `query ($groupPath: ID!, $first: Int, $after: String, $severity: [VulnerabilitySeverity!]) {
      group(fullPath: $groupPath) {
        vulnerabilities(first: $first, after: $after, severity: $severity) {
          nodes { id title severity state project { id name fullPath webUrl } scanner { id name vendor } mergeRequest { webUrl } }
          pageInfo { endCursor hasNextPage }
        }
      }
    }`
    const { nodes } = (await send(document, { groupPath: 'acme', first: 50, severity: ['HIGH'] })).group.vulnerabilities
    expect(nodes).toMatchObject([
      { title: 'Prototype pollution', project: { fullPath: 'acme/shop' }, mergeRequest: null },
    ])
  })

  test('that asks for several vulnerabilities names each with an alias', async () => {
    const fields = 'title state project { fullPath } location { ... on VulnerabilityLocationSast { startLine } }'
    const parts = ids.map(
      (id, index) => `vuln${index}: vulnerability(id: "gid://gitlab/Vulnerability/${id}") { ${fields} }`,
    )
    expect(await send(`query Several { ${parts.join('\n')} }`)).toMatchObject({
      vuln0: { title: 'Prototype pollution', location: {} },
      vuln1: { title: 'Weak hash', location: { startLine: '3' } },
    })
  })

  test('that converts results reads who changed the state, when and why', async () => {
    await server.admin.post(`/vulnerabilities/${ids[1]}/dismiss`, {
      comment: 'Tests',
      dismissal_reason: 'used_in_tests',
    })
    const document = `query Converted($path: ID!) { project(fullPath: $path) { vulnerabilities(state: [DISMISSED]) { nodes {
      title state dismissalReason stateComment dismissedBy { id username }
      stateTransitions { nodes { fromState toState createdAt comment dismissalReason author { username name } } }
    } } } }`
    const { nodes } = (await send(document, { path: 'acme/shop' })).project.vulnerabilities
    expect(nodes).toMatchObject([
      {
        title: 'Weak hash',
        dismissalReason: 'USED_IN_TESTS',
        stateComment: 'Tests',
        dismissedBy: { username: 'root' },
        stateTransitions: {
          nodes: [{ fromState: 'DETECTED', toState: 'DISMISSED', comment: 'Tests', author: { username: 'root' } }],
        },
      },
    ])
    const line = logged.findLast(({ msg, url }) => msg === 'request' && url === '/api/graphql')
    expect(line?.['operation']).toBe('query Converted')
    const metrics = await server.anonymous.get('//-/metrics')
    expect(metrics.text).toMatch(/^alcove_graphql_fields_total\{type="query",field="project"\} \d+$/m)
  })
})
