import { describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const start = '2026-05-01T10:00:00.000Z'
const before = '2026-04-01T00:00:00Z'
const after = '2026-06-01T00:00:00Z'

/** Dependencies of a report of GitLab, with an id of a vulnerability each. */
const report = (packages: readonly [name: string, version: string, id: string][]) => ({
  version: '15.2.1',
  scan: {
    ...{ type: 'dependency_scanning', status: 'success' },
    ...{ start_time: '2026-05-01T09:00:00', end_time: '2026-05-01T09:01:00' },
    analyzer: { id: 'a', name: 'A', version: '1', vendor: { name: 'V' } },
    scanner: { id: 'a', name: 'A', version: '1', vendor: { name: 'V' } },
  },
  vulnerabilities: packages.map(([name, version, id]) => ({
    id: `${name} ${id}`,
    name: `${id} in ${name}`,
    severity: 'High',
    identifiers: [{ type: 'cve', name: id, value: id }],
    location: { file: 'package-lock.json', dependency: { package: { name }, version } },
  })),
})

const packages: [string, string, string][] = [
  ['parser', '1.2.0', 'CVE-2099-0001'],
  ['@example/http', '2.0.0', 'CVE-2099-0002'],
  ['cookie', '0.6.0', 'CVE-2099-0003'],
  ['left', '1.0.0', 'CVE-2099-0004'],
]

async function world() {
  const clock = { now: start }
  const server = await startServer({ clock })
  const project = await server.project('acme/site')
  await server.report(project, report(packages))
  return { clock, server, project }
}

function send(client: Client, project: TestProject, document: unknown, fields: Record<string, string> = {}) {
  const form = new FormData()
  form.set('file', new Blob([typeof document === 'string' ? document : JSON.stringify(document)]), 'vex.json')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return client.post(`/projects/${project.id}/vex`, form)
}

async function statesOf({ admin }: TestServer, project: TestProject) {
  const { body } = await admin.get(`/projects/${project.id}/vulnerabilities?per_page=100`)
  const rows = body as { title: string; state: string; dismissal_reason: string | null }[]
  return Object.fromEntries(rows.map((row) => [row.title, row.dismissal_reason ?? row.state]))
}

const statement = (id: string, purl: string | undefined, fields: object) => ({
  vulnerability: { name: id },
  products: [{ '@id': 'pkg:oci/site', ...(purl && { subcomponents: [{ '@id': purl }] }) }],
  timestamp: after,
  ...fields,
})

const openVex = (...statements: object[]) => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://example.com/vex/1',
  author: 'Example',
  timestamp: after,
  version: 1,
  statements,
})

const notAffected = { status: 'not_affected', justification: 'inline_mitigations_already_exist' }

const ofAllStatuses = openVex(
  statement('CVE-2099-0001', 'pkg:npm/parser@1.2.0', { ...notAffected, impact_statement: 'The proxy limits it.' }),
  statement('CVE-2099-0002', 'pkg:npm/%40example/http@2.0.0', { status: 'fixed' }),
  statement('CVE-2099-0003', 'pkg:npm/cookie', { status: 'affected', action_statement: 'Upgrade' }),
  statement('CVE-2099-0004', 'pkg:npm/left@1.0.0', { status: 'under_investigation' }),
)

const changedStates = {
  'CVE-2099-0001 in parser': 'mitigating_control',
  'CVE-2099-0002 in @example/http': 'resolved',
  'CVE-2099-0003 in cookie': 'confirmed',
  'CVE-2099-0004 in left': 'detected',
}

describe('POST /projects/:id/vex', () => {
  test('dismisses, resolves and confirms, with the statement as the comment', async () => {
    const { server, project } = await world()
    const { status, body } = await send(server.admin, project, ofAllStatuses)
    expect([status, body]).toMatchObject([
      201,
      {
        ...{ format: 'openvex', document_id: 'https://example.com/vex/1', dry_run: false },
        ...{ statements: 4, unmatched: 0, changed: 3, unchanged: 1, kept: 0 },
        bulk_change_ids: [expect.any(Number), expect.any(Number), expect.any(Number)],
      },
    ])
    expect(body.effects).toMatchObject([
      { action: 'dismiss', dismissal_reason: 'mitigating_control', changed: 1, reason: 'its status is not_affected' },
      { action: 'resolve', dismissal_reason: null, changed: 1 },
      { action: 'confirm', changed: 1 },
      { action: 'none', changed: 0, reason: 'a statement under investigation decides nothing' },
    ])
    expect(await statesOf(server, project)).toEqual(changedStates)
    const [{ id }] = body.effects[0].vulnerabilities
    expect((await server.admin.get(`/vulnerabilities/${id}/history`)).text).toContain(
      'VEX statement about CVE-2099-0001: not_affected, inline_mitigations_already_exist\\n\\nThe proxy limits it.',
    )
  })

  test('can be undone as bulk changes', async () => {
    const { server, project } = await world()
    const { body } = await send(server.admin, project, ofAllStatuses)
    for (const id of body.bulk_change_ids) {
      await server.admin.post(`/projects/${project.id}/vulnerability_bulk_changes/${id}/undo`)
    }
    expect(new Set(Object.values(await statesOf(server, project)))).toEqual(new Set(['detected']))
  })

  test('changes nothing in a dry run, and predicts the import exactly', async () => {
    const { server, project } = await world()
    const predicted = await send(server.admin, project, ofAllStatuses, { dry_run: 'true' })
    expect(new Set(Object.values(await statesOf(server, project)))).toEqual(new Set(['detected']))
    const { body } = await send(server.admin, project, ofAllStatuses)
    expect({ ...predicted.body, dry_run: false, bulk_change_ids: body.bulk_change_ids }).toEqual(body)
  })

  test('requests dismissals that need approval, also in the prediction', async () => {
    const { server, project } = await world()
    await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'info' })
    const predicted = await send(server.admin, project, ofAllStatuses, { dry_run: 'true' })
    const { body } = await send(server.admin, project, ofAllStatuses)
    expect(body).toMatchObject({ changed: 2, requested: 1, unchanged: 1, kept: 0 })
    expect(body.effects[0]).toMatchObject({
      ...{ action: 'dismiss', changed: 0, requested: 1 },
      reason: 'its status is not_affected; the dismissal needs approval',
    })
    expect({ ...predicted.body, dry_run: false, bulk_change_ids: body.bulk_change_ids }).toEqual(body)
    expect(await statesOf(server, project)).toEqual({ ...changedStates, 'CVE-2099-0001 in parser': 'detected' })
    const again = (await send(server.admin, project, ofAllStatuses)).body
    expect(again).toMatchObject({ changed: 0, requested: 0, unchanged: 4, bulk_change_ids: [] })
  })

  test('changes nothing the second time', async () => {
    const { server, project } = await world()
    await send(server.admin, project, ofAllStatuses)
    expect((await send(server.admin, project, ofAllStatuses)).body).toMatchObject({
      ...{ changed: 0, unchanged: 4, kept: 0, bulk_change_ids: [] },
    })
  })

  test('keeps the later decision of a user, unless it is overridden', async () => {
    const { server, project } = await world()
    const [{ id }] = (await server.admin.get(`/projects/${project.id}/vulnerabilities?identifier=CVE-2099-0001`)).body
    await server.admin.post(`/vulnerabilities/${id}/confirm`)
    const old = openVex(statement('CVE-2099-0001', 'pkg:npm/parser', { ...notAffected, timestamp: before }))
    expect((await send(server.admin, project, old)).body).toMatchObject({
      ...{ changed: 0, kept: 1 },
      effects: [{ action: 'none', reason: 'a user set it to confirmed on 2026-05-01, after this statement' }],
    })
    expect(await statesOf(server, project)).toMatchObject({ 'CVE-2099-0001 in parser': 'confirmed' })
    expect((await send(server.admin, project, old, { override: 'true' })).body).toMatchObject({ changed: 1, kept: 0 })
    expect(await statesOf(server, project)).toMatchObject({ 'CVE-2099-0001 in parser': 'mitigating_control' })
  })

  test('reports statements about other packages, versions and vulnerabilities with the reason', async () => {
    const { server, project } = await world()
    const document = openVex(
      statement('CVE-2099-0001', 'pkg:npm/parser@9.9.9', notAffected),
      statement('CVE-2099-0001', 'pkg:npm/other', notAffected),
      statement('CVE-2099-7777', undefined, notAffected),
    )
    expect((await send(server.admin, project, document)).body).toMatchObject({
      ...{ statements: 3, unmatched: 3, changed: 0 },
      effects: [
        { matched: 0, reason: 'the project has CVE-2099-0001, but not in pkg:npm/parser@9.9.9' },
        { matched: 0, reason: 'the project has CVE-2099-0001, but not in pkg:npm/other' },
        { matched: 0, reason: 'the project has no vulnerability CVE-2099-7777' },
      ],
    })
  })

  test('applies the newest of several statements about a vulnerability', async () => {
    const { server, project } = await world()
    const document = openVex(
      statement('CVE-2099-0001', 'pkg:npm/parser', { status: 'fixed' }),
      statement('CVE-2099-0001', 'pkg:npm/parser', { ...notAffected, timestamp: '2026-05-15T00:00:00Z' }),
    )
    expect((await send(server.admin, project, document)).body).toMatchObject({ changed: 1, unchanged: 0 })
    expect(await statesOf(server, project)).toMatchObject({ 'CVE-2099-0001 in parser': 'resolved' })
  })

  test('reads the analyses of CycloneDX', async () => {
    const { server, project } = await world()
    const analysed = (id: string, ref: string, analysis: object) => ({ id, analysis, affects: [{ ref }] })
    const document = {
      ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { timestamp: after } },
      components: [{ 'bom-ref': 'p', name: 'parser', purl: 'pkg:npm/parser@1.2.0' }],
      vulnerabilities: [
        analysed('CVE-2099-0001', 'p', { state: 'not_affected', justification: 'protected_at_perimeter' }),
        analysed('CVE-2099-0002', 'urn:cdx:1/1#pkg%3Anpm%2F%2540example%2Fhttp', { state: 'resolved' }),
        analysed('CVE-2099-0003', 'pkg:npm/cookie@0.6.0', { state: 'exploitable', response: ['update'] }),
        analysed('CVE-2099-0004', 'pkg:npm/left', { state: 'in_triage' }),
        { id: 'CVE-2099-0004' },
      ],
    }
    expect((await send(server.admin, project, document)).body).toMatchObject({
      format: 'cyclonedx',
      statements: 4,
      changed: 3,
    })
    expect(await statesOf(server, project)).toEqual(changedStates)
  })

  test('reads the product statuses of CSAF', async () => {
    const { server, project } = await world()
    const product = (id: string, purl: string) => ({
      ...{ product_id: id, name: id },
      product_identification_helper: { purl },
    })
    const document = {
      document: { category: 'csaf_vex', csaf_version: '2.0', tracking: { id: 'EX-1', current_release_date: after } },
      product_tree: {
        full_product_names: [product('P1', 'pkg:npm/parser@1.2.0')],
        branches: [{ branches: [{ product: product('P2', 'pkg:npm/%40example/http@2.0.0') }] }],
        relationships: [
          {
            product_reference: 'P2',
            relates_to_product_reference: 'P1',
            full_product_name: { product_id: 'R', name: 'r' },
          },
        ],
      },
      vulnerabilities: [
        {
          cve: 'CVE-2099-0001',
          product_status: { known_not_affected: ['P1'] },
          flags: [{ label: 'inline_mitigations_already_exist', product_ids: ['P1'] }],
          threats: [{ category: 'impact', details: 'The proxy limits it.', product_ids: ['P1'] }],
        },
        { cve: 'CVE-2099-0002', product_status: { fixed: ['R'], under_investigation: [] } },
        { ids: [{ system_name: 'x', text: 'CVE-2099-0003' }], product_status: { known_affected: ['cookie'] } },
      ],
    }
    expect((await send(server.admin, project, document)).body).toMatchObject({
      ...{ format: 'csaf', document_id: 'EX-1', statements: 3, changed: 3 },
    })
    expect(await statesOf(server, project)).toEqual(changedStates)
  })

  test.for([
    ['{', 'is not valid JSON'],
    ['"a"', 'This is no VEX document'],
    [{ bomFormat: 'CycloneDX', vulnerabilities: [{ id: 'CVE-1' }] }, 'no statement with a known status'],
    [openVex({ vulnerability: 'CVE-1', status: 'safe' }), 'no statement with a known status'],
    [openVex(...Array.from({ length: 20_001 }, () => ({ status: 'fixed' }))), 'has 20001 statements'],
  ] as const)('rejects %#, and changes nothing', async ([document, message]) => {
    const { server, project } = await world()
    const { status, text } = await send(server.admin, project, document)
    expect([status, text]).toEqual([400, expect.stringContaining(message)])
    expect(new Set(Object.values(await statesOf(server, project)))).toEqual(new Set(['detected']))
  })

  test('tolerates values of any type', async () => {
    const { server, project } = await world()
    const odd = [null, 1, 'a', [], {}, [null], [[]], { a: 1 }]
    const statements = odd.flatMap((value) => [
      { status: 'fixed', vulnerability: value, products: value, timestamp: value },
      { status: 'fixed', vulnerability: { name: value, aliases: value }, products: [value, { subcomponents: value }] },
    ])
    expect((await send(server.admin, project, openVex(...statements))).body).toMatchObject({ changed: 0 })
  })

  test('is refused without the right to triage', async () => {
    const { server, project } = await world()
    const developer = await server.as('reporter', project)
    expect((await send(developer, project, ofAllStatuses)).status).toBe(403)
    expect((await send(server.anonymous, project, ofAllStatuses)).status).toBe(401)
  })

  test('records an audit event for each bulk change', async () => {
    const { server, project } = await world()
    await send(server.admin, project, ofAllStatuses)
    const { body } = await server.admin.get(`/projects/${project.id}/audit_events?per_page=3`)
    const events = body as { event_name: string }[]
    expect(events.map(({ event_name }) => event_name)).toEqual(Array(3).fill('vulnerabilities_bulk_updated'))
  })
})
