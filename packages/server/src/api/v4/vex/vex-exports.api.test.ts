import { expect, test } from 'vitest'
import { bomCheck } from '../../../domain/reports/formats/cyclonedx/check.ts'
import { findProblems } from '../../../domain/reports/formats/problems/checks.ts'
import { vexProblems } from '../../../testing/reports/vex-schemas.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const formats = ['openvex', 'cyclonedx', 'csaf'] as const
const start = '2026-05-01T10:00:00.000Z'
const reasons = ['acceptable_risk', 'false_positive', 'mitigating_control', 'used_in_tests', 'not_applicable']

const dependency = (index: number, file: string) => ({
  id: `${index} ${file}`,
  name: `Flaw ${index}`,
  severity: 'High',
  solution: 'Upgrade to 2.0.0',
  identifiers: [
    { type: 'cve', name: `CVE-2099-000${index}`, value: `CVE-2099-000${index}` },
    { type: 'ghsa', name: `GHSA-aaaa-bbbb-ccc${index}`, value: `GHSA-aaaa-bbbb-ccc${index}` },
    { type: 'cwe', name: 'CWE-79', value: '79' },
  ],
  location: { file, dependency: { package: { name: '@example/parser' }, version: '1.2.0' } },
})

const scanner = { id: 'a', name: 'A', version: '1', vendor: { name: 'V' } }
const report = {
  version: '15.2.1',
  scan: {
    ...{ type: 'dependency_scanning', status: 'success', analyzer: scanner, scanner },
    ...{ start_time: '2026-05-01T09:00:00', end_time: '2026-05-01T09:01:00' },
  },
  // The same package in two files, about which users decide differently.
  vulnerabilities: [1, 2, 3, 4].flatMap((index) => [
    dependency(index, 'package-lock.json'),
    dependency(index, 'web/package-lock.json'),
  ]),
}

/** A project with a vulnerability in each state and dismissed for each reason. */
async function world() {
  const clock = { now: start }
  const server = await startServer({ clock })
  const project = await server.project('acme/site')
  await server.report(project, report)
  const [first, second, third, ...others] = await rowsOf(server, project)
  clock.now = '2026-05-02T10:00:00.000Z'
  await server.admin.post(`/vulnerabilities/${first?.id}/confirm`, { comment: 'It is reachable.' })
  await server.admin.post(`/vulnerabilities/${second?.id}/resolve`)
  for (const [index, reason] of reasons.entries()) {
    const body = { dismissal_reason: reason, comment: `Decided: ${reason}` }
    await server.admin.post(`/vulnerabilities/${others[index]?.id}/dismiss`, body)
  }
  return { clock, server, project, untouched: third }
}

async function rowsOf({ admin }: TestServer, project: TestProject) {
  const { body } = await admin.get(`/projects/${project.id}/vulnerabilities?per_page=100&sort=detected_asc`)
  return body as { id: number; state: string; dismissal_reason: string | null }[]
}

async function exported(server: TestServer, path: string, input: object) {
  const { body } = await server.admin.post(`/security/${path}/vulnerability_exports`, input)
  await server.runJobs()
  const file = await server.admin.get(`/security/vulnerability_exports/${body.id}/download`)
  return { document: JSON.parse(file.text), file }
}

function send({ admin }: TestServer, project: TestProject, document: object, fields: Record<string, string> = {}) {
  const form = new FormData()
  form.set('file', new Blob([JSON.stringify(document)]), 'vex.json')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return admin.post(`/projects/${project.id}/vex`, form)
}

test.for(formats)('an export as %s that is imported again changes nothing', async (export_format) => {
  const { server, project } = await world()
  const before = await rowsOf(server, project)
  const { document, file } = await exported(server, `projects/${project.id}`, { export_format })
  expect(file.headers['content-disposition']).toContain(
    `acme-site_vulnerabilities_2026-05-02T1000.${export_format}.json`,
  )
  for (const override of ['false', 'true']) {
    expect((await send(server, project, document, { override })).body).toMatchObject({
      ...{ format: export_format, statements: 8, unmatched: 0, changed: 0, unchanged: 8, kept: 0, bulk_change_ids: [] },
    })
  }
  expect(await rowsOf(server, project)).toEqual(before)
})

test.for(formats)('an export as %s of one instance brings the states to another one', async (export_format) => {
  const { server, project } = await world()
  const { document } = await exported(server, `projects/${project.id}`, { export_format })
  // Addresses of another instance are not followed.
  const foreign = JSON.parse(
    JSON.stringify(document).replaceAll(/https?:\/\/[^/"]+\/acme/g, 'https://other.example.com/acme'),
  )
  const other = await server.project('acme/copy')
  await server.report(other, { ...report, vulnerabilities: report.vulnerabilities.slice(0, 1) })
  const { body } = await send(server, other, foreign)
  expect(body).toMatchObject({ changed: 1 })
  expect((await rowsOf(server, other)).map(({ state }) => state)).not.toEqual(['detected'])
})

test('an export of a group names each project, and changes only its own vulnerabilities', async () => {
  const { server, project } = await world()
  const other = await server.project('acme/other')
  await server.report(other, report)
  const { body: group } = await server.admin.get('/groups/acme')
  const { document } = await exported(server, `groups/${group.id}`, { export_format: 'openvex' })
  expect(document.statements).toHaveLength(16)
  expect((await send(server, other, document)).body).toMatchObject({ changed: 0, unmatched: 8 })
  expect((await send(server, project, document)).body).toMatchObject({ changed: 0, unmatched: 8 })
})

test.for(['openvex', 'csaf'] as const)(
  'the document of %s has the structure of its standard',
  async (export_format) => {
    const { server, project } = await world()
    const { document } = await exported(server, `projects/${project.id}`, { export_format })
    expect(vexProblems(export_format, document)).toEqual([])
    const [first] = document.statements ?? document.vulnerabilities
    Object.assign(first, export_format === 'openvex' ? { status: 'unknown' } : { product_status: { fixed: ['other'] } })
    expect(vexProblems(export_format, document)).not.toEqual([])
    const empty = await server.project('acme/empty')
    const { document: ofEmpty } = await exported(server, `projects/${empty.id}`, { export_format })
    expect(vexProblems(export_format, ofEmpty)).toEqual([])
  },
)

test('statements of OpenVEX have what their status requires', async () => {
  const { server, project } = await world()
  const { document } = await exported(server, `projects/${project.id}`, { export_format: 'openvex' })
  expect(document).toMatchObject({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    ...{ author: expect.any(String), timestamp: '2026-05-02T10:00:00.000Z', version: 1 },
  })
  expect(document.statements[0]).toMatchObject({
    vulnerability: { name: 'CVE-2099-0001', aliases: ['GHSA-aaaa-bbbb-ccc1'] },
    products: [{ subcomponents: [{ '@id': 'pkg:npm/%40example/parser@1.2.0' }] }],
    ...{ status: 'affected', action_statement: 'It is reachable. Upgrade to 2.0.0' },
  })
  const byStatus: Record<string, string[]> = {
    not_affected: ['justification', 'status_notes'],
    affected: ['action_statement'],
    fixed: [],
    under_investigation: [],
  }
  for (const statement of document.statements) {
    for (const key of byStatus[statement.status] ?? expect.fail(statement.status)) expect(statement).toHaveProperty(key)
  }
  expect(document.statements.filter((one: object) => 'impact_statement' in one)).toEqual([])
  const count = (status: string) =>
    document.statements.filter((one: { status: string }) => one.status === status).length
  expect(Object.keys(byStatus).map(count)).toEqual([4, 2, 1, 1])
})

test('the document of CycloneDX is valid, and contains each component once', async () => {
  const { server, project } = await world()
  const { document } = await exported(server, `projects/${project.id}`, { export_format: 'cyclonedx' })
  expect(findProblems(bomCheck, document)).toEqual([])
  expect(document.components).toEqual([
    expect.objectContaining({ name: '@example/parser', version: '1.2.0', purl: 'pkg:npm/%40example/parser@1.2.0' }),
  ])
  const states = document.vulnerabilities.map(({ analysis }: { analysis: { state: string } }) => analysis.state)
  expect(states.toSorted()).toEqual([
    'exploitable',
    'exploitable',
    'false_positive',
    'in_triage',
    'not_affected',
    'not_affected',
    'not_affected',
    'resolved',
  ])
})

test('the document of CSAF has what the profile VEX requires', async () => {
  const { server, project } = await world()
  const { document } = await exported(server, `projects/${project.id}`, { export_format: 'csaf' })
  expect(document.document).toMatchObject({
    ...{ category: 'csaf_vex', csaf_version: '2.0', title: 'Vulnerabilities of acme/site' },
    publisher: { category: 'user', name: expect.any(String), namespace: expect.any(String) },
    tracking: { id: expect.any(String), status: 'final', version: '1', revision_history: [{ number: '1' }] },
  })
  const [product] = document.product_tree.full_product_names
  expect(document.product_tree.full_product_names).toHaveLength(1)
  for (const one of document.vulnerabilities) {
    expect(one.notes).toHaveLength(1)
    expect([one.cve, ...one.ids.map(({ text }: { text: string }) => text)]).toContainEqual(
      expect.stringMatching(/^CVE-2099-000\d$/),
    )
    expect(Object.values(one.product_status)).toEqual([[product.product_id]])
    const [status] = Object.keys(one.product_status)
    if (status === 'known_affected') expect(one.remediations).toHaveLength(1)
    if (status === 'known_not_affected') expect(one.threats).toHaveLength(1)
  }
})

test.for(['openvex', 'cyclonedx'])(
  'an export as %s of a project without vulnerabilities is a document',
  async (export_format) => {
    const server = await startServer()
    const project = await server.project('acme/empty')
    const { document } = await exported(server, `projects/${project.id}`, { export_format })
    expect(document.statements ?? document.vulnerabilities).toEqual([])
  },
)
