import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { bomCheck } from '../../../domain/reports/formats/cyclonedx/check.ts'
import { findProblems } from '../../../domain/reports/formats/problems/checks.ts'
import type { Client } from '../../../testing/client.ts'
import { testEngine } from '../../../testing/databases/database.ts'
import { vexProblems } from '../../../testing/reports/vex-schemas.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const clock = { now: '2026-05-01T10:00:00.000Z' }
const after = '2026-06-01T00:00:00Z'
let server: TestServer
beforeAll(async () => {
  server = await startServer({ clock })
})

const scanner = { id: 'a', name: 'A', version: '1', vendor: { name: 'V' } }
const report = (packages: readonly string[]) => ({
  version: '15.2.1',
  scan: {
    ...{ type: 'dependency_scanning', status: 'success', analyzer: scanner, scanner },
    ...{ start_time: '2026-05-01T09:00:00', end_time: '2026-05-01T09:01:00' },
  },
  vulnerabilities: packages.map((name, index) => ({
    id: `${name} ${index}`,
    name: `Flaw of ${name}`,
    severity: 'High',
    identifiers: [{ type: 'cve', name: `CVE-2099-000${index}`, value: `CVE-2099-000${index}` }],
    location: { file: 'package-lock.json', dependency: { package: { name }, version: '1.2.0' } },
  })),
})

const packages = ['parser', 'cookie', 'left']
let groups = 0

/** Creates a project, which may be in the subgroup `sub`. */
async function projectIn(group: string, path: string): Promise<TestProject> {
  if (path.startsWith('sub/')) {
    const { body: parent } = await server.admin.get(`/groups/${group}`)
    await server.admin.post('/groups', { name: 'Sub', path: 'sub', parent_id: parent.id, visibility: 'public' })
  }
  return server.project(`${group}/${path}`)
}

/** A group with a project, one in a subgroup and, for a member who is developer there, one where they may only read. */
async function world() {
  const group = `vex-${++groups}`
  const own = await server.project(`${group}/own`)
  const below = await projectIn(group, 'sub/below')
  const readOnly = await server.project(`${group}/read`)
  const hidden = await server.project(`${group}/hidden`)
  for (const project of [own, below, readOnly, hidden]) await server.report(project, report(packages))
  const member = await server.as('maintainer', own)
  for (const [project, access_level] of [
    [below, 40],
    [readOnly, 30],
  ] as const) {
    await server.admin.post(`/projects/${project.id}/members`, { user_id: member.user?.id, access_level })
  }
  return { group, own, below, readOnly, hidden, member }
}

function send(client: Client, path: string, document: unknown, fields: Record<string, string> = {}) {
  const form = new FormData()
  form.set('file', new Blob([typeof document === 'string' ? document : JSON.stringify(document)]), 'vex.json')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return client.post(`${path}/vex`, form)
}

async function statesOf({ id }: TestProject): Promise<string[]> {
  const { body } = await server.admin.get(`/projects/${id}/vulnerabilities?per_page=100&sort=detected_asc`)
  return body.map((row: { state: string; dismissal_reason: string | null }) => row.dismissal_reason ?? row.state)
}

const statement = (id: string, fields: object, product = 'pkg:oci/app', component?: string) => ({
  vulnerability: { name: id },
  products: [{ '@id': product, ...(component && { subcomponents: [{ '@id': component }] }) }],
  timestamp: after,
  ...fields,
})
const notAffected = { status: 'not_affected', justification: 'inline_mitigations_already_exist' }
const openVex = (...statements: object[]) => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://example.com/vex/1',
  author: 'Example',
  timestamp: after,
  version: 1,
  statements,
})

const untouched = packages.map(() => 'detected')

describe('POST /groups/:id/vex', () => {
  test('previews each statement in each project, with the reason, and changes nothing', async () => {
    const { group, own, below, readOnly, hidden, member } = await world()
    const document = openVex(
      statement('CVE-2099-0000', notAffected, 'pkg:oci/app', 'pkg:npm/parser'),
      statement('CVE-2099-0001', { status: 'fixed' }, own['path_with_namespace']),
      statement('CVE-2099-0002', { status: 'affected', action_statement: 'Upgrade' }, 'x', 'pkg:npm/other'),
    )
    const { status, body } = await send(member, `/groups/${group}`, document, { dry_run: 'true' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...{ dry_run: true, statements: 3, unmatched: 1, changed: 3, refused: 1, unchanged: 0, bulk_change_ids: [] },
    })
    const effects = body.effects.map((one: Record<string, unknown>) => [one.pointer, one.project_path, one.action])
    expect(effects).toEqual([
      ['/statements/0', `${group}/own`, 'dismiss'],
      ['/statements/1', `${group}/own`, 'resolve'],
      ['/statements/0', `${group}/sub/below`, 'dismiss'],
      ['/statements/0', `${group}/read`, 'none'],
      ['/statements/2', null, 'none'],
    ])
    expect(body.effects[3]).toMatchObject({
      ...{ matched: 1, changed: 0, refused: 1, project_id: readOnly.id },
      reason: `you do not have the right to triage vulnerabilities of ${group}/read`,
    })
    expect(body.effects[4]).toMatchObject({
      ...{ project_id: null, matched: 0, reason: 'no project of the group has CVE-2099-0002 in pkg:npm/other' },
    })
    expect(JSON.stringify(body)).not.toContain('hidden')
    for (const project of [own, below, readOnly, hidden]) expect(await statesOf(project)).toEqual(untouched)
  })

  test('changes what the preview has shown, and nothing in projects without the right or outside the group', async () => {
    const { group, own, below, readOnly, hidden, member } = await world()
    const outside = await server.project(`vex-outside-${groups}/app`)
    await server.report(outside, report(packages))
    await server.admin.post(`/projects/${outside.id}/members`, { user_id: member.user?.id, access_level: 40 })
    const document = openVex(statement('CVE-2099-0000', notAffected, 'pkg:oci/app', 'pkg:npm/parser'))
    const { body: preview } = await send(member, `/groups/${group}`, document, { dry_run: 'true' })
    const { status, body } = await send(member, `/groups/${group}`, document)
    expect(status).toBe(201)
    expect(body).toEqual({ ...preview, dry_run: false, bulk_change_ids: [expect.any(Number), expect.any(Number)] })
    expect(body).toMatchObject({ changed: 2, refused: 1 })
    const dismissed = ['mitigating_control', 'detected', 'detected']
    expect([await statesOf(own), await statesOf(below)]).toEqual([dismissed, dismissed])
    for (const project of [readOnly, hidden, outside]) expect(await statesOf(project)).toEqual(untouched)
    const again = await send(member, `/groups/${group}`, document)
    expect(again.body).toMatchObject({ changed: 0, unchanged: 2, refused: 1, bulk_change_ids: [] })

    const { body: bulks } = await member.get(`/projects/${own.id}/vulnerability_bulk_changes`)
    expect(bulks).toMatchObject([{ id: body.bulk_change_ids[0], changed: 1 }])
  })

  test('reports what users decided later as kept, unless it overrides', async () => {
    const { group, own, member } = await world()
    const { body: rows } = await server.admin.get(`/projects/${own.id}/vulnerabilities?sort=detected_asc`)
    clock.now = '2026-07-01T10:00:00.000Z'
    await server.admin.post(`/vulnerabilities/${rows[0].id}/confirm`)
    const document = openVex(statement('CVE-2099-0000', notAffected, own['path_with_namespace']))
    expect((await send(member, `/groups/${group}`, document)).body).toMatchObject({ changed: 0, kept: 1 })
    const overriding = await send(member, `/groups/${group}`, document, { override: 'true' })
    expect(overriding.body).toMatchObject({ changed: 1, kept: 0 })
    expect((await statesOf(own))[0]).toBe('mitigating_control')
  })

  test('refuses files that are no documents, small scopes, and callers who may not see the group', async () => {
    const { group, member } = await world()
    const document = openVex(statement('CVE-2099-0000', notAffected))
    const path = `/groups/${group}`
    expect((await send(member, path, '{')).status).toBe(400)
    expect((await send(member, path, { statements: [] })).status).toBe(400)
    expect((await send(server.anonymous, path, document)).status).toBe(401)
    const reader = await server.client(member, { scopes: ['read_api'] })
    expect((await send(reader, path, document)).status).toBe(403)
    await server.admin.post('/groups', { name: 'Secret', path: `secret-${groups}`, visibility: 'private' })
    expect((await send(member, `/groups/secret-${groups}`, document)).status).toBe(404)
    const outsider = await server.user(`vex-outsider-${groups}`)
    expect((await send(outsider, path, document)).body).toMatchObject({ changed: 0, unmatched: 1, effects: [{}] })
  })
})

async function exported(path: string, export_format: string) {
  const { body } = await server.admin.post(`/security/groups/${path}/vulnerability_exports`, { export_format })
  await server.runJobs()
  const file = await server.admin.get(`/security/vulnerability_exports/${body.id}/download`)
  return JSON.parse(file.text)
}

const decisions = ['none', 'confirm', 'resolve', 'acceptable_risk', 'false_positive', 'used_in_tests'] as const

test('an export of a group that is imported again changes nothing', { timeout: 60_000 }, async () => {
  const world = fc.record({
    format: fc.constantFrom('openvex' as const, 'cyclonedx' as const, 'csaf' as const),
    override: fc.boolean(),
    // Decisions about the packages of three projects.
    decided: fc.array(fc.array(fc.constantFrom(...decisions), { minLength: 3, maxLength: 3 }), {
      ...{ minLength: 2, maxLength: 3 },
    }),
  })
  await fc.assert(
    fc.asyncProperty(world, async ({ format, override, decided }) => {
      const group = `vex-${++groups}`
      clock.now = '2026-05-01T10:00:00.000Z'
      const projects: TestProject[] = []
      for (const [index, ofProject] of decided.entries()) {
        const project = await projectIn(group, ['one', 'two', 'sub/three'][index] ?? '')
        projects.push(project)
        await server.report(project, report(packages))
        const { body: rows } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc`)
        clock.now = '2026-05-02T10:00:00.000Z'
        for (const [at, decision] of ofProject.entries()) {
          const path = `/vulnerabilities/${rows[at].id}`
          if (decision === 'confirm' || decision === 'resolve') await server.admin.post(`${path}/${decision}`)
          else if (decision !== 'none') await server.admin.post(`${path}/dismiss`, { dismissal_reason: decision })
        }
      }
      const { body } = await server.admin.get(`/groups/${group}`)
      const before = await Promise.all(projects.map(statesOf))
      const document = await exported(body.id, format)
      expect(format === 'cyclonedx' ? findProblems(bomCheck, document) : vexProblems(format, document)).toEqual([])
      const imported = await send(server.admin, `/groups/${group}`, document, { override: String(override) })
      const total = projects.length * packages.length
      expect(imported.body).toMatchObject({
        ...{ format, statements: total, unmatched: 0, changed: 0, kept: 0, refused: 0, unchanged: total },
      })
      expect(await Promise.all(projects.map(statesOf))).toEqual(before)
    }),
    { seed: 11, numRuns: testEngine === 'postgres' ? 4 : 12 },
  )
})
