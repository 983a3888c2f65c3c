import fc from 'fast-check'
import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { listProjectsById } from '../../../domain/projects/projects.ts'
import { loadVulnerabilities } from '../../../domain/vulnerabilities/list/list.ts'
import type { Client } from '../../../testing/client.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { todayOf, viewVulnerability } from './views.ts'

/*
 * Lists of vulnerabilities and findings consist of rendered rows that are kept until their versions change. They are
 * compared with views that are read and rendered anew.
 */

let server: TestServer
let project: TestProject
let colleague: Client

const flaws = [0, 1, 2, 3, 4]
const entryOf = (flaw: number, more: object = {}) =>
  entry({ name: `Flaw ${flaw}`, rule: `r${flaw}`, line: flaw + 1, ...more })

beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/site')
  colleague = await server.as('maintainer', project)
  await server.report(project, sastReport(flaws.map((flaw) => entryOf(flaw))))
})

interface Row {
  id: number
  uuid: string
  web_url: string
}

let requests = 0
/** Returns a list whose URL no earlier request had, so that the response is not cached as a whole. */
async function listOf(path: string): Promise<Row[]> {
  const { status, body } = await server.admin.get(`${path}${path.includes('?') ? '&' : '?'}nonce=${++requests}`)
  expect(status).toBe(200)
  return body
}

const lists = {
  vulnerabilities: () => listOf(`/projects/${project.id}/vulnerabilities?per_page=100`),
  findings: () => listOf(`/projects/${project.id}/vulnerability_findings?scope=all&per_page=100`),
}

async function viewAnew(shown: readonly { id: number; web_url: string }[]): Promise<unknown[]> {
  const [current] = await listProjectsById(server.deps.db, [project.id])
  if (!current) throw new Error('the project is missing')
  const rows = await loadVulnerabilities(
    server.deps,
    shown.map(({ id }) => id),
  )
  const origin = shown[0]?.web_url.split('/').slice(0, 3).join('/') ?? ''
  return rows.map((row) => JSON.parse(JSON.stringify(viewVulnerability(current, row, origin, todayOf(server.deps)))))
}

async function expectCurrent(): Promise<void> {
  const vulnerabilities = await lists.vulnerabilities()
  expect(vulnerabilities).toEqual(await viewAnew(vulnerabilities))
  for (const list of ['/groups/acme/vulnerabilities', '/vulnerabilities']) {
    expect((await server.admin.get(`${list}?per_page=100`)).body).toEqual(vulnerabilities)
  }
  for (const row of vulnerabilities) {
    expect((await server.admin.get(`/vulnerabilities/${row.id}`)).body).toEqual(row)
  }
  for (const row of await lists.findings()) {
    expect((await server.admin.get(`/projects/${project.id}/vulnerability_findings/${row.id}`)).body).toEqual(row)
  }
  expect(await lists.vulnerabilities()).toEqual(vulnerabilities)
}

const flaw = fc.constantFrom(...flaws)
const word = fc.constantFrom('one', 'two', 'three')
const change = fc.oneof(
  fc.record({
    kind: fc.constant('triage' as const),
    flaw,
    action: fc.constantFrom('confirm', 'resolve', 'dismiss', 'revert'),
  }),
  fc.record({ kind: fc.constant('severity' as const), flaw, severity: fc.constantFrom('low', 'high', undefined) }),
  fc.record({
    kind: fc.constant('import' as const),
    found: fc.subarray(flaws),
    severity: fc.constantFrom('Low', 'High'),
    code: word,
    cwe: word,
    line: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant('link' as const), flaw, word }),
  fc.record({ kind: fc.constant('unlink' as const), flaw }),
  fc.record({ kind: fc.constant('bulk' as const), flaws: fc.subarray(flaws, { minLength: 1 }) }),
  fc.record({ kind: fc.constant('project' as const), word }),
  fc.record({ kind: fc.constant('user' as const), word }),
  fc.record({ kind: fc.constant('statement' as const), word }),
)
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

/** Applies a change through the API. It may be refused, when it changes nothing. */
async function apply(change: Change): Promise<void> {
  const ids = (await lists.vulnerabilities()).map(({ id }) => id).sort((a, b) => a - b)
  const idOf = (flaw: number) => ids[flaw % ids.length]
  switch (change.kind) {
    case 'triage':
      await colleague.post(`/vulnerabilities/${idOf(change.flaw)}/${change.action}`, { comment: 'checked' })
      return
    case 'severity':
      if (change.severity) {
        await colleague.put(`/vulnerabilities/${idOf(change.flaw)}/severity`, { severity: change.severity })
      } else await colleague.delete(`/vulnerabilities/${idOf(change.flaw)}/severity`)
      return
    case 'import': {
      const { code, severity, line, cwe } = change
      const others = [{ type: 'cwe', name: `CWE ${cwe}`, value: cwe }]
      const found = change.found.map((flaw) => entryOf(flaw, { code, severity, line: flaw + line, others }))
      await server.report(project, sastReport(found))
      return
    }
    case 'link':
      await colleague.post(`/vulnerabilities/${idOf(change.flaw)}/issue_links`, {
        url: `https://example.com/${change.word}`,
      })
      return
    case 'unlink': {
      const { body } = await colleague.get(`/vulnerabilities/${idOf(change.flaw)}/issue_links`)
      const [link] = body as { issue_link_id?: number; id: number }[]
      if (link)
        await colleague.delete(`/vulnerabilities/${idOf(change.flaw)}/issue_links/${link.issue_link_id ?? link.id}`)
      return
    }
    case 'bulk':
      await colleague.post(`/projects/${project.id}/vulnerabilities/bulk`, {
        action: 'dismiss',
        vulnerability_ids: change.flaws.map(idOf),
      })
      return
    case 'project':
      await server.admin.put(`/projects/${project.id}`, { description: change.word, name: `Site ${change.word}` })
      return
    case 'user':
      await server.admin.put(`/users/${colleague.user?.id}`, { name: `Colleague ${change.word}` })
      return
    case 'statement':
      // Not even a statement that does not know of versions leaves an outdated row.
      await server.deps.db.run(sql`update findings set solution = ${change.word} where project_id = ${project.id}`)
      await server.deps.db.run(sql`update vulnerabilities set description = ${change.word}`)
  }
}

test('rendered rows are current after any changes, also while others read', async () => {
  await expectCurrent()
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 3, maxLength: 6 }), async (changes) => {
      for (const change of changes) {
        await Promise.all([apply(change), lists.vulnerabilities(), lists.findings(), lists.findings()])
        await expectCurrent()
      }
    }),
    { numRuns: 6 },
  )
  const deleted = await server.admin.delete(`/users/${colleague.user?.id}`)
  expect(deleted.status).toBe(204)
  await server.runJobs()
  await expectCurrent()
})

test('every update of a row raises its version, on statements that raise it themselves just once', async () => {
  const { db } = server.deps
  const versions = () => db.all<{ version: number }>(sql`select version from findings order by id`)
  const before = await versions()
  await db.run(sql`update findings set solution = 'Update it.'`)
  await db.run(sql`update findings set name = name, version = version + 1`)
  expect(await versions()).toEqual(before.map(({ version }) => ({ version: version + 2 })))
})
