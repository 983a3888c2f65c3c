import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../testing/client.ts'
import { entry } from '../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../testing/server.ts'

let server: TestServer
let project: TestProject
let developer: Client
let ids: number[]

beforeAll(async () => {
  server = await startServer({ settings: { externalUrl: 'https://alcove.test' } })
  project = await server.project('acme/shop')
  developer = await server.as('developer', project)
  await server.report(project, [
    entry({ line: 1, severity: 'Low', name: 'Weak hash' }),
    entry({
      ...{ line: 2, severity: 'Critical', name: 'SQL injection' },
      others: [{ type: 'owasp', name: 'A03:2021 - Injection', value: 'A03:2021' }],
    }),
    entry({ line: 3, severity: 'High', name: 'Path traversal' }),
    entry({ line: 4, severity: 'High', name: 'Open redirect' }),
  ])
  const list = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
  ids = list.body.map(({ id }: { id: number }) => id)
  await server.admin.post(`/vulnerabilities/${ids[3]}/issue_links`, { url: 'https://issues.example.com/1' })
})

async function query(client: Client, document: string, variables: object = {}) {
  const { status, body } = await client.post('//api/graphql', { query: document, variables })
  expect(status).toBe(200)
  return body
}

const list = (args: string, fields = 'nodes { title }') =>
  `{ project(fullPath: "acme/shop") { vulnerabilities(${args}) { ${fields} } } }`

async function titles(args: string) {
  const { data, errors } = await query(
    developer,
    list(args, 'nodes { title } count pageInfo { hasNextPage hasPreviousPage }'),
  )
  expect(errors).toBeUndefined()
  const { nodes, ...rest } = data.project.vulnerabilities
  return { titles: nodes.map(({ title }: { title: string }) => title), ...rest }
}

const all = ['SQL injection', 'Open redirect', 'Path traversal', 'Weak hash']

describe('a query', () => {
  test('returns the user of the token, and null for an anonymous request', async () => {
    const document = '{ currentUser { id username name state webUrl } }'
    expect(await query(developer, document)).toEqual({
      data: {
        currentUser: {
          id: `gid://gitlab/User/${developer.user?.id}`,
          username: developer.user?.username,
          name: developer.user?.name,
          state: 'active',
          webUrl: `https://alcove.test/${developer.user?.username}`,
        },
      },
    })
    expect(await query(server.anonymous, document)).toEqual({ data: { currentUser: null } })
  })

  test('returns a vulnerability with the fields of GitLab', async () => {
    const { data, errors } = await query(
      developer,
      `query($id: VulnerabilityID!) { vulnerability(id: $id) {
        id uuid title name state severity reportType resolvedOnDefaultBranch presentOnDefaultBranch falsePositive
        hasRemediations dismissalReason stateComment webUrl vulnerabilityPath detectedAt confirmedBy { username }
        project { id fullPath nameWithNamespace webUrl } scanner { externalId name vendor reportType reportTypeHumanized }
        identifiers { externalType externalId name url } primaryIdentifier { name } links { url } cvss { baseScore }
        location { __typename ... on VulnerabilityLocationSast { file startLine endLine } }
        stateTransitions { nodes { toState } } issueLinks { nodes { id } }
        userPermissions { adminVulnerability adminVulnerabilityIssueLink readVulnerability createVulnerabilityExport }
      } }`,
      { id: `gid://gitlab/Vulnerability/${ids[0]}` },
    )
    expect(errors).toBeUndefined()
    expect(data.vulnerability).toMatchObject({
      id: `gid://gitlab/Vulnerability/${ids[0]}`,
      title: 'SQL injection',
      name: 'SQL injection',
      state: 'DETECTED',
      severity: 'CRITICAL',
      reportType: 'SAST',
      resolvedOnDefaultBranch: false,
      presentOnDefaultBranch: true,
      falsePositive: false,
      hasRemediations: false,
      dismissalReason: null,
      confirmedBy: null,
      webUrl: `https://alcove.test/acme/shop/-/security/vulnerabilities/${ids[0]}`,
      vulnerabilityPath: `/acme/shop/-/security/vulnerabilities/${ids[0]}`,
      project: { id: `gid://gitlab/Project/${project.id}`, fullPath: 'acme/shop' },
      scanner: { reportType: 'SAST', reportTypeHumanized: 'SAST' },
      location: { __typename: 'VulnerabilityLocationSast', startLine: '2' },
      stateTransitions: { nodes: [] },
      issueLinks: { nodes: [] },
      userPermissions: {
        adminVulnerability: false,
        adminVulnerabilityIssueLink: true,
        readVulnerability: true,
        createVulnerabilityExport: true,
      },
    })
    expect(data.vulnerability.primaryIdentifier).toEqual({ name: data.vulnerability.identifiers[0].name })
  })

  test('is accepted with GET, with variables as JSON', async () => {
    const document = encodeURIComponent(
      'query A($path: ID!) { project(fullPath: $path) { name } } query B { __typename }',
    )
    const variables = encodeURIComponent('{"path":"acme/shop"}')
    const path = `//api/graphql?query=${document}&variables=${variables}&operationName=A`
    expect(await developer.get(path)).toMatchObject({ status: 200, body: { data: { project: { name: 'shop' } } } })
  })

  test('is answered in a list for a list of operations', async () => {
    const { body } = await developer.post('//api/graphql', [{ query: '{ __typename }' }, { query: '{ nothing }' }])
    expect(body).toMatchObject([{ data: { __typename: 'Query' } }, { errors: [{ message: expect.any(String) }] }])
  })

  test('finds a project by its former path and in another case', async () => {
    const moved = await server.project('acme/before')
    await server.admin.put(`/projects/${moved.id}`, { path: 'after' })
    const found = '{ a: project(fullPath: "acme/before") { fullPath } b: project(fullPath: "ACME/After") { fullPath } }'
    expect((await query(server.admin, found)).data).toEqual({
      a: { fullPath: 'acme/after' },
      b: { fullPath: 'acme/after' },
    })
  })
})

describe('vulnerabilities of a project', () => {
  test('are in the order of severity, newest first, by default', async () => {
    expect(await titles('first: 100')).toEqual({
      titles: all,
      count: 4,
      pageInfo: { hasNextPage: false, hasPreviousPage: false },
    })
  })

  test.each(['severity_desc', 'severity_asc', 'detected_desc', 'detected_asc'])(
    'have the same order forwards and backwards with %s',
    async (sort) => {
      const whole = (await titles(`sort: ${sort}`)).titles
      for (const direction of ['forwards', 'backwards']) {
        const walked: string[] = []
        let cursor: string | null = null
        for (let page = 0; page < 10; page++) {
          const args: string =
            direction === 'forwards'
              ? `first: 3, sort: ${sort} ${cursor ? `after: "${cursor}"` : ''}`
              : `last: 3, sort: ${sort} ${cursor ? `before: "${cursor}"` : ''}`
          const { data } = await query(
            developer,
            list(args, 'edges { node { title } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }'),
          )
          const { edges, pageInfo } = data.project.vulnerabilities
          const found = edges.map(({ node }: { node: { title: string } }) => node.title)
          if (direction === 'forwards') walked.push(...found)
          else walked.unshift(...found)
          cursor = direction === 'forwards' ? pageInfo.endCursor : pageInfo.startCursor
          if (!(direction === 'forwards' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) break
        }
        expect(walked).toEqual(whole)
      }
    },
  )

  test('end before the other cursor', async () => {
    const { data } = await query(developer, list('first: 100', 'edges { cursor }'))
    const [first, , , last] = data.project.vulnerabilities.edges.map(({ cursor }: { cursor: string }) => cursor)
    expect((await titles(`after: "${first}", before: "${last}"`)).titles).toEqual(all.slice(1, 3))
    expect((await titles(`last: 10, after: "${first}", before: "${last}"`)).titles).toEqual(all.slice(1, 3))
    expect((await titles(`last: 1, after: "${first}", before: "${last}"`)).titles).toEqual(all.slice(2, 3))
  })

  test.each([
    ['severity: [HIGH, LOW]', all.slice(1)],
    ['severity: []', all],
    ['state: [CONFIRMED]', []],
    ['reportType: [SAST]', all],
    ['reportType: [DAST]', []],
    ['scanner: ["unknown"]', []],
    ['hasResolution: true', []],
    ['hasMergeRequest: true', []],
    ['hasIssues: true', ['Weak hash']],
    ['hasIssues: false', all.slice(0, 3)],
    ['owaspTopTen: [A3_2021, A1_2017]', ['SQL injection']],
    ['owaspTopTen: [NONE]', all.slice(1)],
    ['owaspTopTen: []', all],
    ['hasMergeRequest: false, hasResolution: false', all],
    ['state: [CONFIRMED], dismissalReason: [FALSE_POSITIVE]', []],
    ['projectId: ["gid://gitlab/Project/99999"]', []],
    ['first: 0', []],
  ])('are filtered by %s', async (args, expected) => {
    expect((await titles(args)).titles).toEqual(expected)
  })

  test('are filtered by scanners and identifiers', async () => {
    const { data } = await query(
      developer,
      list('first: 1', 'nodes { scanner { id externalId } identifiers { name } }'),
    )
    const [{ scanner, identifiers }] = data.project.vulnerabilities.nodes
    expect((await titles(`scannerId: ["${scanner.id}"], scanner: ["${scanner.externalId}"]`)).titles).toEqual(all)
    expect((await titles(`identifierName: "${identifiers[0].name.toUpperCase()}"`)).titles).toContain('SQL injection')
    expect((await titles('identifierName: "CVE-0000-0000"')).titles).toEqual([])
  })

  test.each([
    ['first: 1, last: 1', 'Can only provide either `first` or `last`, not both'],
    ['first: -1', '`first` must not be negative'],
    ['last: -1', '`last` must not be negative'],
    ['after: "nonsense"', 'Please provide a valid cursor'],
    [
      'owaspTopTen: [NONE, A1_2021]',
      "Incompatible argument: owasp_top_ten. 'NONE' wildcard cannot be combined with other OWASP top 10 values.",
    ],
    ['projectId: ["acme"]', '"acme" is not the id of a project'],
  ])('are not listed with %s', async (args, message) => {
    const { data, errors } = await query(developer, list(args))
    expect([data.project.vulnerabilities, errors[0].message]).toEqual([null, message])
  })

  test('are 100 at most', async () => {
    const large = await server.project('acme/large')
    const entries = Array.from({ length: 103 }, (_, index) => entry({ line: index + 1 }))
    await server.report(large, entries)
    const fields = 'nodes { id } count pageInfo { hasNextPage }'
    const document = `{ project(fullPath: "acme/large") { vulnerabilities(first: 1000) { ${fields} } } }`
    const { vulnerabilities } = (await query(server.admin, document)).data.project
    expect([vulnerabilities.nodes.length, vulnerabilities.count]).toEqual([100, 103])
    expect(vulnerabilities.pageInfo.hasNextPage).toBe(true)
  })
})

describe('what the caller may not see', () => {
  test('is null or empty', async () => {
    const reporter = await server.as('reporter', project)
    const outsider = await server.user('outsider')
    const document = `{ project(fullPath: "acme/shop") { name vulnerabilities { nodes { id } count } }
      vulnerability(id: "gid://gitlab/Vulnerability/${ids[0]}") { title }
      missing: vulnerability(id: "gid://gitlab/Vulnerability/999999") { title } }`
    const hidden = { project: null, vulnerability: null, missing: null }
    expect((await query(server.anonymous, document)).data).toEqual(hidden)
    expect((await query(outsider, document)).data).toEqual(hidden)
    expect((await query(reporter, document)).data).toEqual({
      ...hidden,
      project: { name: 'shop', vulnerabilities: { nodes: [], count: 0 } },
    })
  })

  test('cannot be learnt by its scanner, which matches nothing', async () => {
    const hidden = await server.project('secret/vault')
    await server.report(hidden, [entry({ line: 1 })])
    const own = 'nodes { scanner { id externalId } }'
    const document = `{ project(fullPath: "secret/vault") { vulnerabilities { ${own} } } }`
    const { scanner } = (await query(server.admin, document)).data.project.vulnerabilities.nodes[0]
    // The project of the caller has a scanner of the same name.
    const guess = `scannerId: ["${scanner.id}"], scanner: ["${scanner.externalId}"]`
    expect((await titles(`scanner: ["${scanner.externalId}"]`)).titles).toEqual(all)
    expect((await titles(guess)).titles).toEqual([])
    expect((await titles(`scannerId: ["${scanner.id}"]`)).titles).toEqual([])
    const counts = `{ project(fullPath: "acme/shop") { vulnerabilitySeveritiesCount(${guess}) { critical high low } } }`
    expect((await query(developer, counts)).data.project.vulnerabilitySeveritiesCount).toEqual({
      ...{ critical: 0, high: 0, low: 0 },
    })
  })

  test('is refused to tokens without the scope, and to unknown tokens', async () => {
    const narrow = await server.client(developer, { scopes: ['read_user'] })
    const { status, body } = await narrow.post('//api/graphql', { query: '{ currentUser { id } }' })
    expect([status, body.errors[0].message]).toEqual([403, expect.stringContaining('higher privileges')])
    const unknown = await server.anonymous.post(
      '//api/graphql',
      { query: '{ __typename }' },
      { headers: { 'private-token': 'no-such-token-of-anyone' } },
    )
    expect([unknown.status, unknown.body]).toEqual([401, { errors: [{ message: '401 Unauthorized' }] }])
    const reading = await server.client(developer, { scopes: ['read_api'] })
    expect((await query(reading, '{ currentUser { username } }')).data.currentUser.username).toBe(
      developer.user?.username,
    )
  })
})
