import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadFeedFile } from '../../../domain/feeds/feed-folder.ts'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { startWithTracker } from '../../../testing/trackers.ts'

let server: TestServer
let project: TestProject
let developer: Client

beforeAll(async () => {
  server = await startServer({ settings: { externalUrl: 'https://alcove.test' } })
  project = await server.project('acme/shop')
  developer = await server.as('developer', project)
})

// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
async function send(client: Client, query: string, variables: object = {}): Promise<any> {
  const { status, body } = await client.post('//api/graphql', { query, variables })
  expect(status).toBe(200)
  return body
}

/** Requests fields of a vulnerability. */
async function read(id: number, fields: string, client = developer) {
  const { data, errors } = await send(client, `query($id: VulnerabilityID!) { vulnerability(id: $id) { ${fields} } }`, {
    id: `gid://gitlab/Vulnerability/${id}`,
  })
  expect(errors).toBeUndefined()
  return data.vulnerability
}

/** Imports a finding with more fields, and returns the id of its vulnerability. */
async function vulnerabilityWith(name: string, fields: object): Promise<number> {
  await server.report(project, [{ ...entry({ name, rule: name, file: `${name}.ts` }), ...fields }])
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?search=${name}`)
  return body[0].id
}

const fresh = (name: string, fields: object = {}) => server.vulnerability(project, { name, rule: name, ...fields })

describe.runIf(onSqlite)('details', () => {
  test('have the type that the report gives them, and lists have theirs', async () => {
    const file = { file_name: 'a.ts', line_start: 3 }
    const id = await vulnerabilityWith('every-detail', {
      details: {
        flag: { name: 'Flag', type: 'boolean', value: true },
        number: { name: 'Number', type: 'int', value: 7 },
        code: { name: 'Code', type: 'code', value: 'eval(x)', lang: 'js' },
        page: { name: 'Page', type: 'url', href: 'https://example.com/a', text: 'page' },
        change: { name: 'Change', type: 'diff', before: 'a', after: 'b' },
        place: { name: 'Place', type: 'file-location', ...file, line_end: 4 },
        part: { name: 'Part', type: 'module-location', module_name: 'libc', offset: 12 },
        list: {
          name: 'List',
          type: 'list',
          items: [
            { type: 'text', value: 'one' },
            { type: 'markdown', value: '*two*' },
          ],
        },
        named: { name: 'Named', type: 'named-list', items: { inner: { name: 'Inner', type: 'text', value: 'x' } } },
        table: {
          name: 'Table',
          type: 'table',
          header: [{ type: 'text', value: 'h' }],
          rows: [[{ type: 'int', value: 1 }]],
        },
        flows: {
          name: 'Flows',
          type: 'code-flows',
          items: [[{ type: 'code-flow-node', node_type: 'source', file_location: { type: 'file-location', ...file } }]],
        },
      },
    })
    const { details } = await read(
      id,
      `details {
        __typename
        ... on VulnerabilityDetailBoolean { fieldName name flag: value }
        ... on VulnerabilityDetailInt { number: value }
        ... on VulnerabilityDetailCode { code: value lang }
        ... on VulnerabilityDetailUrl { href text }
        ... on VulnerabilityDetailDiff { before after }
        ... on VulnerabilityDetailFileLocation { fileName lineStart lineEnd }
        ... on VulnerabilityDetailModuleLocation { moduleName offset }
        ... on VulnerabilityDetailList { items { ... on VulnerabilityDetailText { fieldName value } ... on VulnerabilityDetailMarkdown { markdown: value } } }
        ... on VulnerabilityDetailNamedList { named: items { fieldName name value { ... on VulnerabilityDetailText { value } } } }
        ... on VulnerabilityDetailTable { headers { ... on VulnerabilityDetailText { value } } rows { row { ... on VulnerabilityDetailInt { value } } } }
        ... on VulnerabilityDetailCodeFlows { flows: items { nodeType fileLocation { fileName lineStart lineEnd } } }
      }`,
    )
    const type = (name: string) => `VulnerabilityDetail${name}`
    // Details are stored in the order of their keys on one engine and of the report on the other.
    expect(details).toHaveLength(11)
    expect(details).toEqual(
      expect.arrayContaining([
        { __typename: type('Boolean'), fieldName: 'flag', name: 'Flag', flag: true },
        { __typename: type('Int'), number: 7 },
        { __typename: type('Code'), code: 'eval(x)', lang: 'js' },
        { __typename: type('Url'), href: 'https://example.com/a', text: 'page' },
        { __typename: type('Diff'), before: 'a', after: 'b' },
        { __typename: type('FileLocation'), fileName: 'a.ts', lineStart: 3, lineEnd: 4 },
        { __typename: type('ModuleLocation'), moduleName: 'libc', offset: 12 },
        { __typename: type('List'), items: [{ fieldName: null, value: 'one' }, { markdown: '*two*' }] },
        { __typename: type('NamedList'), named: [{ fieldName: 'inner', name: 'Inner', value: { value: 'x' } }] },
        { __typename: type('Table'), headers: [{ value: 'h' }], rows: [{ row: [{ value: 1 }] }] },
        {
          __typename: type('CodeFlows'),
          flows: [[{ nodeType: 'SOURCE', fileLocation: { fileName: 'a.ts', lineStart: 3, lineEnd: 3 } }]],
        },
      ]),
    )
  })

  test('in a number beyond the limit are refused', async () => {
    const items = Array.from({ length: 7000 }, (_, index) => ({ type: 'int', value: index }))
    const id = await vulnerabilityWith('many-details', { details: { all: { name: 'All', type: 'list', items } } })
    const query = (times: number) =>
      `query($id: VulnerabilityID!) { ${Array.from(
        { length: times },
        (_, index) =>
          `v${index}: vulnerability(id: $id) { details { ... on VulnerabilityDetailList { items { __typename } } } }`,
      ).join(' ')} }`
    const variables = { id: `gid://gitlab/Vulnerability/${id}` }
    expect((await send(developer, query(2), variables)).errors).toBeUndefined()
    expect((await send(developer, query(3), variables)).errors[0].message).toBe(
      'The response has more than 20000 details. Request fewer nodes with `first`',
    )
  })
})

describe('notes', () => {
  test.runIf(onSqlite)('are comments and system notes, with their authors, as notes and as discussions', async () => {
    const { id } = await fresh('discussed')
    const path = `/projects/${project.id}/vulnerabilities/${id}/notes`
    const { body: first } = await developer.post(path, { body: 'Look at **this**' })
    await server.admin.post(`/vulnerabilities/${id}/confirm`)
    await server.admin.post(path, { body: 'Seen' })
    await developer.post(path, { body: 'Thanks' })
    const found = await read(
      id,
      `userNotesCount
       notes { nodes { id body system internal author { username } discussion { id notes { nodes { body } } } } }
       comments: notes(filter: ONLY_COMMENTS, last: 2) { nodes { body } pageInfo { hasPreviousPage } }
       discussions(first: 1) { nodes { id replyId resolved notes { nodes { body } } } }
       commenters { nodes { username } }`,
    )
    const { username } = developer.user ?? {}
    const discussion = `gid://gitlab/Discussion/${first.id.toString(16).padStart(40, '0')}`
    expect(found).toEqual({
      userNotesCount: 3,
      notes: {
        nodes: [
          {
            id: `gid://gitlab/Note/${first.id}`,
            body: 'Look at **this**',
            system: false,
            internal: false,
            author: { username },
            discussion: { id: discussion, notes: { nodes: [{ body: 'Look at **this**' }] } },
          },
          expect.objectContaining({
            body: 'changed vulnerability status from Detected to Confirmed',
            system: true,
            author: { username: 'root' },
          }),
          expect.objectContaining({ body: 'Seen' }),
          expect.objectContaining({ body: 'Thanks' }),
        ],
      },
      comments: { nodes: [{ body: 'Seen' }, { body: 'Thanks' }], pageInfo: { hasPreviousPage: true } },
      discussions: {
        nodes: [
          { id: discussion, replyId: discussion, resolved: false, notes: { nodes: [{ body: 'Look at **this**' }] } },
        ],
      },
      commenters: { nodes: [{ username }, { username: 'root' }] },
    })
  })

  test('with too many characters are refused', async () => {
    const { id } = await fresh('long-notes')
    const path = `/projects/${project.id}/vulnerabilities/${id}/notes`
    for (let index = 0; index < 4; index++) await developer.post(path, { body: 'x'.repeat(900_000) })
    const query = 'query($id: VulnerabilityID!) { vulnerability(id: $id) { notes { nodes { body } } } }'
    const operation = { query, variables: { id: `gid://gitlab/Vulnerability/${id}` } }
    const { body } = await developer.post('//api/graphql', [operation, operation, operation])
    expect(body[0].data.vulnerability.notes.nodes).toHaveLength(4)
    expect(body.map(({ errors }: { errors?: { message: string }[] }) => errors?.[0]?.message)).toEqual([
      undefined,
      undefined,
      expect.stringContaining('the notes have more than 10000000 characters'),
    ])
  })

  test.runIf(onSqlite)('about the severity by users are its overrides', async () => {
    const { id } = await fresh('overridden', { severity: 'Low' })
    const changed = await server.admin.put(`/vulnerabilities/${id}/severity`, { severity: 'high' })
    expect(changed.status).toBe(200)
    expect(
      (await read(id, 'severityOverrides { nodes { originalSeverity newSeverity author { username } } }'))
        .severityOverrides.nodes,
    ).toEqual([{ originalSeverity: 'LOW', newSeverity: 'HIGH', author: { username: 'root' } }])
  })
})

test.runIf(onSqlite)('the enrichment is that of the CVE with the highest score in the loaded feeds', async () => {
  const cve = (value: string) => ({ type: 'cve', name: value, value })
  const id = await vulnerabilityWith('with-cves', {
    identifiers: [cve('CVE-2099-0001'), cve('CVE-2099-0002'), cve('CVE-2099-0003')],
  })
  expect(await read(id, 'cveEnrichment { cve }')).toEqual({ cveEnrichment: null })
  const folder = await mkdtemp(join(tmpdir(), 'alcove-graphql-'))
  const file = join(folder, 'epss_scores-2026-05-01.csv.gz')
  const rows = ['CVE-2099-0001,0.1,0.5', 'CVE-2099-0002,0.25,0.7']
  const text = ['#model_version:v1,score_date:2026-05-01T00:00:00Z', 'cve,epss,percentile', ...rows, ''].join('\n')
  await writeFile(file, gzipSync(text))
  expect(await loadFeedFile(server.deps, file, { isForced: false })).toMatchObject({ outcome: 'loaded' })
  await rm(folder, { recursive: true })
  expect(
    await read(id, 'cveEnrichment { cve epssScore isKnownExploit } representationInformation { resolvedInCommitSha }'),
  ).toEqual({
    cveEnrichment: { cve: 'CVE-2099-0002', epssScore: 0.25, isKnownExploit: false },
    representationInformation: null,
  })
})

test.runIf(onSqlite)('external issue links are requested in Jira, listed and destroyed', async () => {
  const { server, project } = await startWithTracker('jira')
  const { id } = await server.vulnerability(project, { name: 'Injection' })
  const globalId = `gid://gitlab/Vulnerability/${id}`
  const input = `{ id: "${globalId}", linkType: CREATED, externalTracker: JIRA }`
  const create = `mutation { vulnerabilityExternalIssueLinkCreate(input: ${input}) { errors externalIssueLink { id } } }`
  const outsider = await server.as('reporter', project)
  expect((await send(outsider, create)).errors[0].message).toContain("you don't have permission")
  expect(await send(server.admin, create)).toEqual({
    data: { vulnerabilityExternalIssueLinkCreate: { errors: [], externalIssueLink: null } },
  })
  await server.runJobs()
  const list = `{ vulnerability(id: "${globalId}") {
    externalIssueLinks { nodes { id linkType externalIssue { title relativeReference status externalTracker webUrl } } }
    issueLinks { nodes { id } } } }`
  const { externalIssueLinks, issueLinks } = (await send(server.admin, list)).data.vulnerability
  expect(issueLinks.nodes).toHaveLength(1)
  expect(externalIssueLinks.nodes).toMatchObject([
    {
      linkType: 'CREATED',
      externalIssue: {
        relativeReference: 'SHOP-1',
        status: 'opened',
        externalTracker: 'jira',
        webUrl: expect.any(String),
      },
    },
  ])
  const destroy = `mutation { vulnerabilityExternalIssueLinkDestroy(input: { id: "${externalIssueLinks.nodes[0].id}" }) { errors } }`
  expect((await send(outsider, destroy)).errors[0].message).toContain("you don't have permission")
  expect(await send(server.admin, destroy)).toEqual({ data: { vulnerabilityExternalIssueLinkDestroy: { errors: [] } } })
  expect((await send(server.admin, destroy)).errors[0].message).toContain('does not exist')
  expect((await send(server.admin, list)).data.vulnerability.externalIssueLinks.nodes).toEqual([])
})

test('issue links are destroyed, and a project without Jira has no external ones', async () => {
  const { id } = await fresh('linked')
  const globalId = `gid://gitlab/Vulnerability/${id}`
  await server.admin.post(`/vulnerabilities/${id}/issue_links`, { url: 'https://issues.test/1' })
  const fields = 'issueLinks { nodes { id linkType issue { webUrl } } } externalIssueLinks { nodes { id } }'
  const { issueLinks, externalIssueLinks } = await read(id, fields)
  expect([issueLinks.nodes.length, externalIssueLinks.nodes]).toEqual([1, []])
  const destroy = `mutation { vulnerabilityIssueLinkDestroy(input: { id: "${issueLinks.nodes[0].id}" }) { errors } }`
  expect((await send(developer, destroy)).data).toEqual({ vulnerabilityIssueLinkDestroy: { errors: [] } })
  expect((await read(id, fields)).issueLinks.nodes).toEqual([])
  const input = `{ id: "${globalId}", linkType: CREATED, externalTracker: JIRA }`
  const create = `mutation { vulnerabilityExternalIssueLinkCreate(input: ${input}) { errors } }`
  expect((await send(server.admin, create)).data).toEqual({
    vulnerabilityExternalIssueLinkCreate: { errors: ['Jira integration is not configured'] },
  })
})

test.runIf(onSqlite)('a vulnerability says what the caller may do', async () => {
  const { id } = await fresh('permitted')
  const fields = `userPermissions { createVulnerabilityFeedback readVulnerabilityFeedback
    updateVulnerabilityFeedback destroyVulnerabilityFeedback adminVulnerability }`
  const all = (may: boolean) => ({
    createVulnerabilityFeedback: may,
    readVulnerabilityFeedback: true,
    updateVulnerabilityFeedback: may,
    destroyVulnerabilityFeedback: may,
    adminVulnerability: may,
  })
  expect((await read(id, fields)).userPermissions).toEqual(all(false))
  expect((await read(id, fields, server.admin)).userPermissions).toEqual(all(true))
})

test.runIf(onSqlite).each([
  ['clusterAgentId: ["gid://gitlab/Clusters::Agent/1"]', []],
  ['clusterId: ["gid://gitlab/Clusters::Cluster/1"]', []],
  ['clusterAgentId: []', expect.arrayContaining([expect.anything()])],
])('the list with %s is that of a server without clusters', async (args, nodes) => {
  const { data, errors } = await send(
    developer,
    `{ project(fullPath: "acme/shop") { vulnerabilities(${args}) { nodes { id } } } }`,
  )
  expect(errors).toBeUndefined()
  expect(data.project.vulnerabilities.nodes).toEqual(nodes)
})

test.each([
  'owaspTopTen2021: [A1_2021]',
  'reachability: IN_USE',
  'validityCheck: [ACTIVE]',
  'policyAutoDismissed: true',
  'falsePositive: false',
])('the filter %s is refused as on GitLab without advanced search', async (args) => {
  const { errors } = await send(
    developer,
    `{ project(fullPath: "acme/shop") { vulnerabilities(${args}) { nodes { id } } } }`,
  )
  expect(errors[0].message).toBe('Require advanced vulnerability management to be enabled!')
})
