import { isEnumType, isInputObjectType, isNonNullType } from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import type { Client } from '../../testing/client.ts'
import { people as roles } from '../../testing/roles.ts'
import { startServer, type TestProject, type TestServer } from '../../testing/server.ts'
import { loadSchema } from './schema.ts'

type Role = (typeof roles)[number]
const from = (least: Role) => roles.slice(roles.indexOf(least))

let server: TestServer
let project: TestProject
let clients: Record<Role, Client>
let lines = 0

beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/shop')
  await server.admin.put('/groups/acme', { visibility: 'private' })
  await server.vulnerability(project, { line: ++lines })
  const { anonymous, admin } = server
  const named = await Promise.all(
    (['outsider', 'guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'] as const).map(
      async (role) => [role, await server.as(role, project)] as const,
    ),
  )
  clients = { anonymous, admin, ...Object.fromEntries(named) } as Record<Role, Client> // all of them
})

/** Which callers see something with a query: more than null and an empty list. */
const queries: Record<string, { document: string; seenBy: readonly Role[] }> = {
  currentUser: { document: '{ seen: currentUser { id } }', seenBy: from('outsider') },
  project: { document: '{ seen: project(fullPath: "acme/shop") { id } }', seenBy: from('guest') },
  'project.vulnerabilities': {
    document: '{ project(fullPath: "acme/shop") { seen: vulnerabilities { nodes { id } } } }',
    seenBy: from('developer'),
  },
  'project.vulnerabilitySeveritiesCount': {
    document: '{ project(fullPath: "acme/shop") { seen: vulnerabilitySeveritiesCount { high } } }',
    seenBy: from('developer'),
  },
  'project.vulnerabilitiesCountByDay': {
    document:
      '{ project(fullPath: "acme/shop") { seen: vulnerabilitiesCountByDay(startDate: "2000-01-01", endDate: "2999-01-01", last: 1) { nodes { date } } } }',
    seenBy: from('developer'),
  },
  ...Object.fromEntries(
    [
      ['vulnerabilityImages', 'vulnerabilityImages { pageInfo { hasNextPage } }'],
      ['vulnerabilityIdentifierSearch', 'vulnerabilityIdentifierSearch(name: "cwe")'],
      ['securityScanners', 'securityScanners { enabled }'],
    ].map(([name, field]) => [
      `project.${name}`,
      { document: `{ project(fullPath: "acme/shop") { seen: ${field} } }`, seenBy: from('developer') },
    ]),
  ),
  // As in REST, members of a project see its group.
  group: { document: '{ seen: group(fullPath: "acme") { id } }', seenBy: from('guest') },
  'group.vulnerabilities': {
    document: '{ group(fullPath: "acme") { seen: vulnerabilities { nodes { id } } } }',
    seenBy: from('developer'),
  },
  vulnerabilities: { document: '{ seen: vulnerabilities { nodes { id } } }', seenBy: from('developer') },
  vulnerability: { document: '{ seen: vulnerability(id: $id) { id } }', seenBy: from('developer') },
  // The numbers of a user without projects are zero.
  instanceSecurityDashboard: {
    document: '{ seen: instanceSecurityDashboard { vulnerabilitySeveritiesCount { high } } }',
    seenBy: from('outsider'),
  },
}

/** Which callers may execute a mutation. */
const mutations: Record<string, readonly Role[]> = {
  vulnerabilityConfirm: from('maintainer'),
  vulnerabilityResolve: from('maintainer'),
  vulnerabilityRevertToDetected: from('maintainer'),
  vulnerabilityDismiss: from('maintainer'),
  vulnerabilitiesDismiss: from('maintainer'),
  vulnerabilitiesSeverityOverride: from('maintainer'),
  vulnerabilityIssueLinkCreate: from('developer'),
  vulnerabilityIssueLinkDestroy: from('developer'),
  vulnerabilityExternalIssueLinkDestroy: from('developer'),
  vulnerabilityExternalIssueLinkCreate: from('maintainer'),
  vulnerabilityCreate: from('maintainer'),
}

/** Errors of mutations that the project cannot execute, for callers who may. */
const errorsOf: Record<string, string[]> = {
  vulnerabilityExternalIssueLinkCreate: ['Jira integration is not configured'],
}

test('every query and mutation is in the tables', () => {
  const schema = loadSchema()
  const names = Object.keys(queries).filter((name) => !name.includes('.'))
  expect(names.sort()).toEqual(Object.keys(schema.getQueryType()?.getFields() ?? {}).sort())
  expect(Object.keys(mutations).sort()).toEqual(Object.keys(schema.getMutationType()?.getFields() ?? {}).sort())
})

// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
const seenIn = (data: any): any =>
  data === null || typeof data !== 'object' || 'seen' in data ? data?.seen : seenIn(Object.values(data)[0])

test.each(Object.keys(queries))('the query %s shows something to the callers of the table only', async (name) => {
  const { document, seenBy } = queries[name] as (typeof queries)[string] // a key of the table
  const { id } = await server.vulnerability(project, { line: ++lines, rule: `rule-${lines}` })
  const query = document.replace('$id', `"gid://gitlab/Vulnerability/${id}"`)
  const found: Role[] = []
  for (const role of roles) {
    const { status, body } = await clients[role].post('//api/graphql', { query })
    expect([role, status, body.errors]).toEqual([role, 200, undefined])
    const seen = seenIn(body.data)
    if (seen && seen.nodes?.length !== 0) found.push(role)
  }
  expect(found).toEqual(seenBy)
})

test.each(Object.keys(mutations))('the mutation %s is executed for the callers of the table only', async (name) => {
  const found: Role[] = []
  for (const role of roles) {
    const { id } = await server.vulnerability(project, { line: ++lines, rule: `rule-${lines}` })
    const link = await server.admin.post(`/vulnerabilities/${id}/issue_links`, { url: `https://example.com/${id}` })
    const before = await server.admin.get(`/vulnerabilities/${id}/history`)
    const query = `mutation($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { errors } }`
    const { status, body } = await clients[role].post('//api/graphql', {
      query,
      variables: { input: inputOf(name, id, link.body.id) },
    })
    expect([role, status]).toEqual([role, 200])
    if (body.data[name]) {
      expect(body).toEqual({ data: { [name]: { errors: errorsOf[name] ?? [] } } })
      found.push(role)
    } else {
      expect(body.errors).toHaveLength(1)
      expect((await server.admin.get(`/vulnerabilities/${id}/history`)).body).toEqual(before.body)
    }
  }
  expect(found).toEqual(mutations[name])
})

/** Returns an input with a value for every required field of the mutation. */
function inputOf(name: string, id: number, linkId: number): Record<string, unknown> {
  const type = loadSchema().getType(`${name.charAt(0).toUpperCase()}${name.slice(1)}Input`)
  if (!isInputObjectType(type)) throw new Error(`${name} has no input`)
  const gid = `gid://gitlab/Vulnerability/${id}`
  const address = 'https://example.com/7'
  const known: Record<string, unknown> = {
    project: `gid://gitlab/Project/${project.id}`,
    scanner: { id: 'pentest', name: 'Penetration test', version: '1', url: address, vendor: { name: 'Acme' } },
    identifiers: [{ name: 'CWE-79', url: address }],
    id: gid,
    vulnerabilityIds: [gid],
    issueUrl: address,
    ...(name === 'vulnerabilityIssueLinkDestroy' && { id: `gid://gitlab/Vulnerabilities::IssueLink/${linkId}` }),
    ...(name === 'vulnerabilityExternalIssueLinkDestroy' && {
      id: `gid://gitlab/Vulnerabilities::ExternalIssueLink/${linkId}`,
    }),
  }
  const values = Object.values(type.getFields()).map((field) => {
    if (field.name in known) return [field.name, known[field.name]]
    if (!isNonNullType(field.type)) return undefined
    const inner = field.type.ofType
    return [field.name, isEnumType(inner) ? inner.getValues()[0]?.name : 'text']
  })
  return Object.fromEntries(values.filter((value) => value !== undefined))
}
