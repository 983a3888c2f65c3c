import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { formWithFile } from '../../../testing/client.ts'
import { testEngine } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const start = '2026-05-01T10:00:00.000Z'
const runs = Number(process.env['ALCOVE_TEST_FUZZ_RUNS'] ?? (testEngine === 'postgres' ? 2 : 6))

interface World {
  server: TestServer
  project: TestProject
  users: Client[]
  clock: { now: string }
}

/** A server with a project and two maintainers. */
async function openWorld(): Promise<World> {
  const clock = { now: start }
  const server = await startServer({ clock, keepOpen: true })
  const project = await server.project('acme/site')
  const users: Client[] = []
  for (const name of ['nadia', 'omar']) {
    const user = await server.user(name)
    await server.admin.post(`/projects/${project.id}/members`, { user_id: user.user?.id, access_level: 40 })
    users.push(user)
  }
  return { server, project, users, clock }
}

async function exported({ server, project, clock }: World, export_format: 'csv' | 'json'): Promise<string> {
  // Both exports are of the same day, on which overdue vulnerabilities depend.
  clock.now = '2026-06-01T00:00:00.000Z'
  const { body } = await server.admin.post(`/security/projects/${project.id}/vulnerability_exports`, { export_format })
  await server.runJobs()
  return (await server.admin.get(`/security/vulnerability_exports/${body.id}/download`)).text
}

/** Replaces the ids that the server assigns. */
const withoutIds = (text: string) =>
  text
    .replace(/("(?:id|[a-z_]+_id)"):\d+/g, '$1:0')
    .replace(/(acme\/site(?:\/-\/security\/vulnerabilities)?\/)\d+/g, '$10')
    .replace(/"version":"[^"]*"/g, '')

/** Text of any characters, visible at both ends. */
const anyText = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => `<${text}>`)
const packages = ['parser', '@acme/größe', 'a "quoted", name']
const finding = fc.record({
  kind: fc.constantFrom('sast', 'dependency', 'secret'),
  line: fc.integer({ min: 1, max: 60 }),
  severity: fc.constantFrom('Critical', 'High', 'Low', 'Unknown'),
  name: fc.oneof(fc.constantFrom('Flaw', 'Über "flaw", with; marks', '=cmd', 'two\nlines'), anyText),
  signature: fc.boolean(),
})
const text = fc.oneof(fc.constantFrom('Looked at.', 'a "b"; c|d', '-1\n+2', 'ünï 💥 \u2028', 'x'.repeat(500)), anyText)
const action = fc.oneof(
  fc.record({ action: fc.constantFrom('confirm', 'resolve', 'revert') }),
  fc.record(
    {
      action: fc.constant('dismiss'),
      dismissal_reason: fc.constantFrom('acceptable_risk', 'false_positive', 'used_in_tests'),
      until: fc.constantFrom('2026-08-01', '2027-01-01'),
      comment: text,
    },
    { requiredKeys: ['action'] },
  ),
  fc.record({ note: text }),
  fc.record({ severity: fc.constantFrom('low', 'critical') }),
  fc.record({ due_on: fc.constantFrom('2026-05-20', '2026-12-24') }),
  fc.record({
    tags: fc.oneof(fc.constantFrom(['legacy'], ['a', 'Ä tag']), fc.array(anyText, { minLength: 1, maxLength: 3 })),
  }),
  fc.record({ assignee: fc.nat(1) }),
)
const steps = fc.array(fc.record({ who: fc.nat(1), at: fc.nat(20), action }), { maxLength: 12 })

function reportsOf(
  findings: readonly { kind: string; line: number; severity: string; name: string; signature: boolean }[],
) {
  const of = (kind: string) => findings.flatMap((one, index) => (one.kind === kind ? [{ ...one, index }] : []))
  const code = (one: ReturnType<typeof of>[number]) =>
    entry({
      ...{ name: one.name, severity: one.severity, line: one.line, rule: `rule-${one.index % 3}`, file: 'src/a b.ts' },
      ...(one.signature && { signature: `s${one.index}` }),
    })
  return [
    sastReport(of('sast').map(code), 'semgrep'),
    sastReport(of('secret').map(code), 'gitleaks', 'secret_detection'),
    sastReport(
      of('dependency').map(({ index, line, name, severity }) => ({
        id: `${index}`,
        name,
        severity,
        identifiers: [
          { type: 'cve', name: `CVE-2099-${line}`, value: `CVE-2099-${line}`, url: 'https://nvd.example.test/1' },
          { type: 'cwe', name: 'CWE-79', value: '79' },
        ],
        links: [{ url: 'https://example.test/advisory' }],
        cvss_vectors: [{ vendor: 'NVD', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
        location: {
          file: `${index % 2}/package-lock.json`,
          dependency: { package: { name: packages[index % 3] }, version: '1.0' },
        },
      })),
      'trivy',
      'dependency_scanning',
    ),
  ]
}

/** Triages the vulnerabilities of a project at random. */
async function triage(
  { server, project, users, clock }: World,
  list: readonly { who: number; at: number; action: object }[],
) {
  const { body: rows } = await server.admin.get(
    `/projects/${project.id}/vulnerabilities?per_page=100&sort=detected_asc`,
  )
  if (rows.length === 0) return
  for (const { who, at, action } of list) {
    clock.now = new Date(Date.parse(clock.now) + 61_001).toISOString()
    const { id } = rows[at % rows.length]
    const user = users[who] ?? server.admin
    const step: Record<string, unknown> = { ...action }
    const { action: verb, note, assignee, ...fields } = step
    if (verb) await user.post(`/vulnerabilities/${id}/${verb}`, fields)
    else if (note) await user.post(`/projects/${project.id}/vulnerabilities/${id}/notes`, { body: note })
    else if (typeof assignee === 'number') {
      await user.put(`/vulnerabilities/${id}/assignee`, { assignee_id: users[assignee]?.user?.id })
    } else if (fields['due_on']) await user.put(`/vulnerabilities/${id}/due_date`, fields)
    else if (fields['tags']) await user.post(`/vulnerabilities/${id}/tags`, fields)
    else await user.put(`/vulnerabilities/${id}/severity`, fields)
  }
}

/** Returns the fields of each row of a CSV file. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '\n') rows.push([])
  }
  return rows.slice(0, -1)
}

const recordsOf = (text: string, format: 'csv' | 'json'): object[] =>
  format === 'json'
    ? JSON.parse(text).map(({ import_data }: { import_data: object }) => import_data)
    : parseCsv(text)
        .slice(1)
        .map((row) => JSON.parse(row.at(-1) ?? ''))

async function importInto({ server, project }: World, records: readonly object[], client = server.admin) {
  const batch = JSON.stringify({ source: 'alcove', source_name: 'Alcove', records })
  const form = formWithFile('file', 'batch.json', batch)
  const done = await client.post(`/projects/${project.id}/imported_findings`, form)
  expect([done.status, done.text.slice(0, 500)]).toEqual([201, expect.any(String)])
  return done.body
}

describe('an export of Alcove', () => {
  test.each(['csv', 'json'] as const)('as %s that is imported is exported again identically', async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(finding, { minLength: 1, maxLength: 8 }), steps, async (findings, list) => {
        const [from, into] = [await openWorld(), await openWorld()]
        try {
          for (const report of reportsOf(findings)) await from.server.report(from.project, report)
          await triage(from, list)
          // One kind of findings is no longer reported.
          await from.server.report(from.project, sastReport([], 'semgrep'))
          await from.server.report(from.project, sastReport([], 'semgrep'))
          const first = await exported(from, format)
          into.clock.now = '2026-06-01T00:00:00.000Z'
          const records = recordsOf(first, format)
          const done = await importInto(into, records)
          expect(done).toMatchObject({ created: records.length, matched: 0 })
          expect(withoutIds(await exported(into, format))).toBe(withoutIds(first))

          // It changes nothing when it is imported again, and the reports find their findings.
          expect(await importInto(into, records)).toMatchObject({ created: 0, unchanged: records.length })
          expect(withoutIds(await exported(into, format))).toBe(withoutIds(first))
          const { body: before } = await into.server.admin.get(
            `/projects/${into.project.id}/vulnerabilities?per_page=100`,
          )
          for (const report of reportsOf(findings)) await into.server.report(into.project, report)
          const { body: after } = await into.server.admin.get(
            `/projects/${into.project.id}/vulnerabilities?per_page=100`,
          )
          expect(after).toHaveLength(before.length)
        } finally {
          await from.server.close()
          await into.server.close()
        }
      }),
      { numRuns: runs },
    )
  })

  test('is imported with the names of its authors by users who are no administrators', async () => {
    const [from, into] = [await openWorld(), await openWorld()]
    await from.server.report(from.project, [entry({ line: 3 })])
    await triage(from, [
      { who: 0, at: 0, action: { note: 'Looked at.' } },
      { who: 0, at: 0, action: { action: 'dismiss', dismissal_reason: 'false_positive', comment: 'Not reachable.' } },
    ])
    const records = recordsOf(await exported(from, 'json'), 'json')
    into.clock.now = '2026-06-01T00:00:00.000Z'
    const [, omar] = into.users
    await importInto(into, records, omar)
    const { body } = await into.server.admin.get(`/projects/${into.project.id}/vulnerabilities`)
    expect(body).toMatchObject([
      { state: 'dismissed', dismissal_reason: 'false_positive', dismissed_by_id: omar?.user?.id },
    ])
    const notes = await into.server.admin.get(
      `/projects/${into.project.id}/vulnerabilities/${body[0].id}/notes?sort=asc`,
    )
    expect(notes.body[0].body).toBe('By nadia on 2026-05-01 in Alcove:\n\nLooked at.')
    await from.server.close()
    await into.server.close()
  })
})
