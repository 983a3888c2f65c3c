import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newestEvents } from '../../testing/audit-events.ts'
import type { Client } from '../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../testing/server.ts'

let server: TestServer
let project: TestProject
let maintainer: Client
let developer: Client
let [first, second] = [0, 0]
let made = 0

beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/shop')
  maintainer = await server.as('maintainer', project)
  developer = await server.as('developer', project)
})

const create = async (of: TestProject = project) =>
  (await server.vulnerability(of, { line: ++made, rule: `rule-${made}`, severity: 'High' })).id as number

beforeEach(async () => {
  first = await create()
  second = await create()
})

const gid = (id: number) => `gid://gitlab/Vulnerability/${id}`
const notAvailable =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action"

async function mutate(client: Client, name: string, input: object, fields: string) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
  const query = `mutation($input: ${type}!) { ${name}(input: $input) { errors clientMutationId ${fields} } }`
  const { status, body } = await client.post('//api/graphql', { query, variables: { input } })
  expect(status).toBe(200)
  return { payload: body.data?.[name], messages: body.errors?.map(({ message }: { message: string }) => message) }
}

const change = (client: Client, name: string, input: object) =>
  mutate(
    client,
    name,
    input,
    'vulnerability { id state severity dismissalReason stateComment confirmedBy { username } }',
  )

/** Everything that REST shows of a vulnerability, without what differs between two of them. */
async function shown(id: number) {
  const { body } = await server.admin.get(`/vulnerabilities/${id}`)
  const history = await server.admin.get(`/vulnerabilities/${id}/history`)
  return {
    fields: [body.state, body.severity, body.dismissal_reason, body.severity_overridden],
    people: [body.confirmed_by_id, body.resolved_by_id, body.dismissed_by_id],
    history: history.body.map((entry: Record<string, unknown>) => [
      entry['kind'],
      entry['from'],
      entry['to'],
      entry['comment'],
      entry['dismissal_reason'],
    ]),
  }
}

describe('a mutation of one vulnerability', () => {
  test.each([
    ['vulnerabilityConfirm', 'confirm', { comment: 'Reproduced' }, {}],
    ['vulnerabilityResolve', 'resolve', {}, {}],
    [
      'vulnerabilityDismiss',
      'dismiss',
      { comment: 'Only in fixtures', dismissalReason: 'USED_IN_TESTS' },
      { dismissal_reason: 'used_in_tests' },
    ],
  ])('%s does what REST does, with the same history and audit events', async (name, action, input, parameters) => {
    const graphql = await change(maintainer, name, { id: gid(first), ...input, clientMutationId: 'a' })
    expect(graphql.payload).toMatchObject({ errors: [], clientMutationId: 'a', vulnerability: { id: gid(first) } })
    const [byGraphql] = await newestEvents(server, 1)
    const comment = 'comment' in input ? { comment: input.comment } : {}
    expect((await maintainer.post(`/vulnerabilities/${second}/${action}`, { ...comment, ...parameters })).status).toBe(
      201,
    )
    const [byRest] = await newestEvents(server, 1)
    expect(await shown(first)).toEqual(await shown(second))
    expect(byGraphql?.name).toBe(byRest?.name)
    expect(byGraphql?.id).not.toBe(byRest?.id)
  })

  test('reverts it to detected', async () => {
    await change(maintainer, 'vulnerabilityConfirm', { id: gid(first) })
    const { payload } = await change(maintainer, 'vulnerabilityRevertToDetected', { id: gid(first), comment: 'No' })
    expect(payload.vulnerability).toMatchObject({ state: 'DETECTED', stateComment: 'No', confirmedBy: null })
  })

  test('that changes nothing is no error', async () => {
    await change(maintainer, 'vulnerabilityConfirm', { id: gid(first) })
    const { payload, messages } = await change(maintainer, 'vulnerabilityConfirm', { id: gid(first) })
    expect([payload.errors, payload.vulnerability.state, messages]).toEqual([[], 'CONFIRMED', undefined])
    expect((await shown(first)).history.filter(([kind]: [string]) => kind === 'state')).toHaveLength(1)
  })

  test('is refused with one sentence to callers without the right, in any state', async () => {
    await change(maintainer, 'vulnerabilityConfirm', { id: gid(first) })
    for (const client of [developer, await server.user(`outsider-${made}`), server.anonymous]) {
      for (const id of [first, second, 999_999]) {
        const { payload, messages } = await change(client, 'vulnerabilityConfirm', { id: gid(id) })
        expect([payload, messages]).toEqual([null, [notAvailable]])
      }
    }
    expect((await shown(second)).fields[0]).toBe('detected')
  })

  test('needs a token that may write', async () => {
    const reading = await server.client(maintainer, { scopes: ['read_api'] })
    const { payload, messages } = await change(reading, 'vulnerabilityConfirm', { id: gid(first) })
    expect([payload, messages]).toEqual([null, [notAvailable]])
  })

  test('returns violated rules in its errors', async () => {
    const comment = 'x'.repeat(50_001)
    const { payload } = await change(maintainer, 'vulnerabilityConfirm', { id: gid(first), comment })
    expect(payload).toEqual({
      clientMutationId: null,
      errors: ['comment is too long (maximum is 50000 characters)'],
      vulnerability: null,
    })
  })

  test('says in its errors that a dismissal awaits approval', async () => {
    const strict = await server.project(`acme/strict-${made}`)
    const [id, other] = [await create(strict), await create(strict)]
    await server.admin.put(`/projects/${strict.id}/dismissal_approval`, { severity: 'high' })
    const { payload } = await change(server.admin, 'vulnerabilityDismiss', { id: gid(id) })
    const { body } = await server.admin.get(`/vulnerabilities/${id}`)
    const awaited = (of: number, request: number) =>
      `The dismissal of vulnerability ${of} awaits the approval of a second person (request ${request})`
    expect(payload.errors).toEqual([awaited(id, body.dismissal_request_id)])
    expect(payload.vulnerability).toMatchObject({ id: gid(id), state: 'DETECTED' })
    const again = await change(server.admin, 'vulnerabilityDismiss', { id: gid(id) })
    expect(again.payload.errors).toEqual([
      `request ${body.dismissal_request_id} to dismiss this vulnerability awaits approval`,
    ])
    const input = { vulnerabilityIds: [gid(other), gid(first)] }
    const many = await mutate(server.admin, 'vulnerabilitiesDismiss', input, 'vulnerabilities { id state }')
    const requested = await server.admin.get(`/vulnerabilities/${other}`)
    expect(many.payload.errors).toEqual([awaited(other, requested.body.dismissal_request_id)])
    expect(many.payload.vulnerabilities).toEqual([
      { id: gid(other), state: 'DETECTED' },
      { id: gid(first), state: 'DISMISSED' },
    ])
    expect((await change(server.admin, 'vulnerabilityConfirm', { id: gid(id) })).payload.errors).toEqual([])
  })

  test('says that the project is archived', async () => {
    const archived = await server.project(`acme/archived-${made}`)
    const id = await create(archived)
    await server.admin.post(`/projects/${archived.id}/archive`)
    const { messages } = await change(server.admin, 'vulnerabilityConfirm', { id: gid(id) })
    expect(messages).toEqual(['The project is archived. Unarchive it to make changes.'])
  })

  test('is forbidden with GET', async () => {
    const query = encodeURIComponent(`mutation { vulnerabilityConfirm(input: { id: "${gid(first)}" }) { errors } }`)
    const { body } = await maintainer.get(`//api/graphql?query=${query}`)
    expect(body).toEqual({ errors: [{ message: 'Mutations are forbidden in GET requests' }] })
    expect((await shown(first)).fields[0]).toBe('detected')
  })

  test('runs before the next one of the same document', async () => {
    const id = `id: "${gid(first)}"`
    const query = `mutation {
      a: vulnerabilityConfirm(input: { ${id}, comment: "one" }) { vulnerability { stateComment } }
      b: vulnerabilityResolve(input: { ${id}, comment: "two" }) { vulnerability { stateComment stateTransitions { nodes { toState } } } }
    }`
    const { body } = await maintainer.post('//api/graphql', { query })
    expect(body.data.a.vulnerability.stateComment).toBe('one')
    expect(body.data.b.vulnerability).toEqual({
      stateComment: 'two',
      stateTransitions: { nodes: [{ toState: 'CONFIRMED' }, { toState: 'RESOLVED' }] },
    })
  })
})

describe('a mutation of many vulnerabilities', () => {
  const fields = 'vulnerabilities { id state severity dismissalReason }'

  test('dismisses those of several projects together', async () => {
    const other = await server.project(`acme/other-${made}`)
    const third = await create(other)
    const input = { vulnerabilityIds: [gid(third), gid(first)], dismissalReason: 'FALSE_POSITIVE', comment: 'No' }
    const { payload } = await mutate(server.admin, 'vulnerabilitiesDismiss', input, fields)
    const changed = { state: 'DISMISSED', severity: 'HIGH', dismissalReason: 'FALSE_POSITIVE' }
    expect(payload).toEqual({
      errors: [],
      clientMutationId: null,
      vulnerabilities: [
        { id: gid(third), ...changed },
        { id: gid(first), ...changed },
      ],
    })
    const bulks = await server.admin.get(`/projects/${other.id}/vulnerability_bulk_changes`)
    expect(bulks.body).toMatchObject([{ action: 'dismiss', changed: 1 }])
  })

  test('changes nothing when one of them may not be changed', async () => {
    const hidden = await create(await server.project(`acme/hidden-${made}`))
    for (const id of [hidden, 999_999]) {
      const input = { vulnerabilityIds: [gid(first), gid(id)] }
      const { payload, messages } = await mutate(maintainer, 'vulnerabilitiesDismiss', input, fields)
      expect([payload, messages]).toEqual([null, [notAvailable]])
    }
    expect((await shown(first)).fields[0]).toBe('detected')
  })

  test('overrides severities', async () => {
    const input = { vulnerabilityIds: [gid(first), gid(second)], severity: 'LOW', comment: 'Not reachable' }
    const { payload } = await mutate(maintainer, 'vulnerabilitiesSeverityOverride', input, fields)
    expect(payload.vulnerabilities.map(({ severity }: { severity: string }) => severity)).toEqual(['LOW', 'LOW'])
    expect((await shown(first)).fields).toEqual(['detected', 'low', null, true])
    expect((await shown(first)).history).toContainEqual(['severity', 'high', 'low', 'Not reachable', null])
  })

  test.each([
    [[], 'At least 1 value must be provided for vulnerability_ids'],
    [Array.from({ length: 101 }, (_, index) => index + 1), 'Maximum vulnerability_ids exceeded (100)'],
  ])('is refused for %j', async (ids, message) => {
    const input = { vulnerabilityIds: ids.map(gid) }
    const { messages } = await mutate(maintainer, 'vulnerabilitiesDismiss', input, fields)
    expect(messages).toEqual([message])
  })
})

describe('vulnerabilityIssueLinkCreate', () => {
  const fields = 'issueLinks { linkType issue { webUrl title } }'
  const link = (client: Client, input: object) => mutate(client, 'vulnerabilityIssueLinkCreate', input, fields)
  const issueUrl = 'https://tracker.example.com/issues/7'

  test('links vulnerabilities to the address of an issue', async () => {
    const input = { issueUrl, issueTitle: 'Upgrade', vulnerabilityIds: [gid(first), gid(second)] }
    const { payload } = await link(developer, input)
    const linked = { linkType: 'RELATED', issue: { webUrl: issueUrl, title: 'Upgrade' } }
    expect(payload).toEqual({ errors: [], clientMutationId: null, issueLinks: [linked, linked] })
    const { body } = await server.admin.get(`/vulnerabilities/${second}/issue_links`)
    expect(body).toMatchObject([{ web_url: issueUrl, vulnerability_link_type: 'related' }])
    const query = `{ vulnerability(id: "${gid(first)}") { issueLinks(linkType: CREATED) { nodes { id } } } }`
    const created = await developer.post('//api/graphql', { query })
    expect(created.body.data.vulnerability.issueLinks.nodes).toEqual([])
  })

  test('links all of them or none', async () => {
    await link(developer, { issueUrl, vulnerabilityIds: [gid(second)] })
    const { payload } = await link(developer, { issueUrl, vulnerabilityIds: [gid(first), gid(second)] })
    expect(payload).toMatchObject({
      errors: ['Issue has already been linked to another vulnerability'],
      issueLinks: null,
    })
    expect((await server.admin.get(`/vulnerabilities/${first}/issue_links`)).body).toEqual([])
  })

  test('needs an address, and rights in every project', async () => {
    const withoutUrl = await link(developer, { issueId: 'gid://gitlab/Issue/7', vulnerabilityIds: [gid(first)] })
    expect(withoutUrl.payload.errors).toEqual(['issueUrl is missing: this server has no issues, only their addresses'])
    const reporter = await server.as('reporter', project)
    const refused = await link(reporter, { issueUrl, vulnerabilityIds: [gid(first)] })
    expect(refused.messages).toEqual([notAvailable])
  })
})

describe('vulnerabilityCreate', () => {
  const fields = `vulnerability { id uuid title description solution state severity reportType presentOnDefaultBranch
    scanner { id externalId name vendor } identifiers { externalType externalId name url }
    location { ... on VulnerabilityLocationGeneric { description } } }`
  const described = () => ({
    project: `gid://gitlab/Project/${project.id}`,
    name: 'Stored XSS in comments',
    description: 'A comment runs scripts.',
    scanner: {
      id: 'pentest',
      name: 'Penetration test',
      version: '1',
      url: 'https://example.com',
      vendor: { name: 'Acme' },
    },
    identifiers: [
      { name: 'CWE-79', url: 'https://cwe.mitre.org/data/definitions/79.html' },
      { name: 'REPORT-7', url: 'https://example.com/7', externalType: 'acme', externalId: '7' },
    ],
  })
  const make = (client: Client, input: object) =>
    mutate(client, 'vulnerabilityCreate', { ...described(), ...input }, fields)

  test('creates a vulnerability without a report', async () => {
    const { payload } = await make(maintainer, { severity: 'HIGH', state: 'CONFIRMED', solution: 'Escape it' })
    expect(payload.errors).toEqual([])
    const { vulnerability } = payload
    expect(vulnerability).toMatchObject({
      title: 'Stored XSS in comments',
      description: 'A comment runs scripts.',
      solution: 'Escape it',
      state: 'CONFIRMED',
      severity: 'HIGH',
      reportType: 'GENERIC',
      presentOnDefaultBranch: true,
      scanner: { externalId: 'pentest', name: 'Penetration test', vendor: 'Acme' },
      identifiers: [
        { externalType: 'cwe', externalId: 'CWE-79', name: 'CWE-79' },
        { externalType: 'acme', externalId: '7', name: 'REPORT-7' },
      ],
      location: { description: 'A comment runs scripts.' },
    })
    const id = vulnerability.id.split('/').at(-1)
    const { body } = await maintainer.get(`/vulnerabilities/${id}`)
    expect(body).toMatchObject({ state: 'confirmed', report_type: 'generic', author_id: maintainer.user?.id })
    expect(body.finding).toMatchObject({ uuid: vulnerability.uuid, metadata_version: 'manual:1.0' })
    const names = (await newestEvents(server, 2)).map(({ name }) => name)
    expect(names.sort()).toEqual(['vulnerability_created', 'vulnerability_state_updated'])
  })

  test('creates different vulnerabilities from equal descriptions, which reports leave as they are', async () => {
    const other = await server.project(`acme/manual-${made}`)
    const input = { project: `gid://gitlab/Project/${other.id}`, severity: 'LOW' }
    await make(server.admin, input)
    await make(server.admin, { ...input, scanner: { ...described().scanner, id: 'semgrep' } })
    await server.report(other, [])
    await server.vulnerability(other, { line: 1 })
    const { body } = await server.admin.get(`/projects/${other.id}/vulnerabilities?report_type=generic`)
    expect(body).toHaveLength(2)
    for (const row of body) expect(row).toMatchObject({ resolved_on_default_branch: false, state: 'detected' })
    const statistics = await server.admin.get(`/projects/${other.id}/vulnerability_statistics`)
    expect(statistics.body.low).toBe(2)
  })

  test('stores the dismissal of the user where a rule has dismissed it already', async () => {
    const other = await server.project(`acme/ruled-${made}`)
    const rules = `/projects/${other.id}/vulnerability_rules`
    const action = { dismiss: { reason: 'used_in_tests', until: '2028-01-01' } }
    const rule = await server.admin.post(rules, { name: 'All', match: { identifier: 'CWE-79' }, action })
    expect(rule.status).toBe(201)
    const input = { project: `gid://gitlab/Project/${other.id}` }
    const created = await Promise.all(['DISMISSED', 'DETECTED'].map((state) => make(server.admin, { ...input, state })))
    const [byUser, byRule] = created.map(({ payload }) => Number(payload.vulnerability.id.split('/').at(-1)))
    const read = async (id: number | undefined) => (await server.admin.get(`/vulnerabilities/${id}`)).body
    const decided = { state: 'dismissed', rule_id: null, dismissal_reason: null, dismissed_until: null }
    expect(await read(byUser)).toMatchObject({ ...decided, dismissed_by_id: expect.any(Number) })
    expect(await read(byRule)).toMatchObject({ state: 'dismissed', rule_id: rule.body.id, dismissed_by_id: null })
    const history = await server.admin.get(`/vulnerabilities/${byUser}/history`)
    expect(history.body.at(-1)).toMatchObject({ kind: 'state', to: 'dismissed', author: { username: 'root' } })
    await server.admin.put(`${rules}/${rule.body.id}`, { enabled: false })
    await server.runJobs()
    expect(await read(byUser)).toMatchObject(decided)
    expect(await read(byRule)).toMatchObject({ state: 'detected' })
  })

  test.each([
    [{ name: ' ' }, "name can't be blank"],
    [{ name: 'x'.repeat(256) }, 'name is too long (maximum is 255 characters)'],
    [{ identifiers: [] }, "identifiers can't be blank"],
    [
      { identifiers: [{ name: 'a', url: 'javascript:alert(1)' }] },
      'identifier url is no address of http, https or ftp',
    ],
  ])('is refused with %j', async (input, message) => {
    const before = await server.admin.get(`/projects/${project.id}/vulnerabilities?report_type=generic`)
    const { payload } = await make(maintainer, input)
    expect([payload.errors, payload.vulnerability]).toEqual([[message], null])
    const after = await server.admin.get(`/projects/${project.id}/vulnerabilities?report_type=generic`)
    expect(after.body).toEqual(before.body)
  })

  test('is refused to developers', async () => {
    expect((await make(developer, {})).messages).toEqual([notAvailable])
  })
})
