import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { formWithFile, type Reply } from '../../../testing/client.ts'
import { data, entriesIn, isImportedHere, type ReportEntry } from '../../../testing/models/report-facts.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

// Includes files of unsupported formats.
const files: ReportEntry[] = existsSync(data)
  ? JSON.parse(readFileSync(new URL('expected.json', data), 'utf8')).files
  : []
const hostile = files.filter((entry) => entry.file.startsWith('reports/hostile/') && isImportedHere(entry))

const send = (
  project: TestProject,
  bytes: string | Uint8Array,
  fields: Record<string, string> = {},
  sender = server.admin,
) => sender.post(`/projects/${project.id}/security_reports`, formWithFile('file', 'report.json', bytes, fields))

const dangerous = /<(?:script|iframe)|<[^>]*\son\w+=|(?:href|src)="\s*javascript:/i

/** Returns the first hundred findings, highest severity first. */
async function findingsOf(project: TestProject): Promise<Reply['body'][]> {
  const { status, body } = await server.admin.get(
    `/projects/${project.id}/vulnerability_findings?scope=all&per_page=100`,
  )
  expect(status).toBe(200)
  return body
}

describe.runIf(hostile.length > 0)('a hostile report', () => {
  test.for(hostile)('$file has the outcome: $sane_outcome', async (sent) => {
    const { file, kind, sane_outcome: outcome = '' } = sent
    const project = await server.project(`acme/hostile-${hostile.indexOf(sent)}`)
    const bytes = readFileSync(new URL(file, data))
    const strict = await send(project, bytes, { strict: 'true' })
    if (strict.status === 400) {
      expect(await findingsOf(project)).toEqual([])
      expect(strict.body.message.base[0].length).toBeGreaterThan(10)
    } else expect(strict.status).toBe(201)
    if (outcome.startsWith('refused') && !outcome.startsWith('refused, or')) expect(strict.status).toBe(400)
    if (kind === 'other') expect((await send(project, bytes)).status).toBe(400)

    const { status, body } = await send(project, bytes)
    expect([201, 400]).toContain(status)
    const listed = await findingsOf(project)
    expect(listed).toHaveLength(Math.min(100, status === 201 ? body.findings.new + body.findings.known : 0))
    for (const { description_html: html } of listed) expect(html).not.toMatch(dangerous)
    if (/^(?:imported|accepted)/.test(outcome)) expect(status).toBe(201)
    if (outcome.includes('0 findings')) expect([file, listed]).toEqual([file, []])
    if (outcome === 'imported in full') {
      const { read, skipped } = body.findings
      expect([read, skipped, body.warnings]).toEqual([entriesIn(sent), 0, []])
    }
    // Repeated imports have the same result.
    if (status === 201) expect((await send(project, bytes)).body).toMatchObject({ unchanged: true })
    expect((await server.anonymous.get('//-/health')).status).toBe(200)
  })

  const imported = async (name: string, { mayTriage = true } = {}) => {
    const project = await server.project(`acme/one-${name.replace(/\W/g, '-')}`)
    const maintainer = await server.as('maintainer', project)
    const sender = mayTriage ? server.admin : await server.client(maintainer, { scopes: ['write_security_reports'] })
    const { status, body } = await send(project, readFileSync(new URL(`reports/hostile/${name}`, data)), {}, sender)
    expect(status).toBe(201)
    return { project, body, findings: await findingsOf(project) }
  }

  test('cannot raise a severity by a prototype, and a missing severity is unknown', async () => {
    const prototype = await imported('gitlab/prototype-in-finding.json')
    expect(prototype.findings.map(({ name, severity }) => [name, severity])).toEqual([
      ['SQL injection', 'high'],
      ['Weak hash', 'low'],
    ])
    expect((await imported('gitlab/severity-missing.json')).findings).toMatchObject([
      { name: 'Weak hash', severity: 'low' },
      { name: 'SQL injection', severity: 'unknown' },
    ])
    // The default level of a missing rule in SARIF is `warning`.
    expect((await imported('sarif/rule-missing.sarif')).findings).toMatchObject([{ severity: 'medium' }])
  })

  test('gets titles for findings without a name, and warns of dropped identifiers', async () => {
    const { findings } = await imported('gitlab/name-empty-or-missing.json')
    expect(findings.map(({ name }) => name)).toEqual(['CWE-89 in db.py', 'CWE-327 in h.py'])
    const many = await imported('gitlab/identifiers-many.json')
    expect(JSON.stringify(many.body.warnings)).toContain('more than 20 identifiers')
  })

  test('keeps markup, addresses and paths as text', async () => {
    const markup = await imported('gitlab/markup-in-text.json')
    expect(markup.findings.map(({ name }) => name)).toContain('<script>alert(1)</script>')
    const paths = await imported('gitlab/paths-in-location.json')
    expect(paths.findings.map(({ location }) => location.file)).toContain('../../../../etc/passwd')
    const uris = await imported('sarif/uris-hostile.sarif')
    expect(uris.findings.map(({ location }) => location.file)).toContain('http://169.254.169.254/latest/')
  })

  test('skips only entries that its scanner marks as accepted', async () => {
    // With the right to triage, they would be dismissed instead.
    const { body, findings } = await imported('sarif/suppressed.sarif', { mayTriage: false })
    const accepted = body.skipped.filter(({ reason }: { reason: string }) => reason.includes('accepted'))
    expect(accepted.length).toBe(
      files.find(({ file }) => file.endsWith('/suppressed.sarif'))?.facts?.suppressed_accepted,
    )
    expect(body.findings.read - body.findings.merged - accepted.length).toBe(findings.length)
  })

  test('makes nothing absent when its scan failed', async () => {
    const project = await server.project('acme/failed-scan')
    await send(project, JSON.stringify(sastReport([entry()], 'scanner-x')))
    const failed = readFileSync(new URL('reports/hostile/gitlab/scan-failure-empty.json', data))
    expect((await send(project, failed)).body.findings).toMatchObject({ gone: 0 })
    expect(await findingsOf(project)).toHaveLength(1)
  })
})

describe('texts that are longer than an index of the database holds', () => {
  /** Cannot be compressed, which would make it shorter. */
  const long = (name: string) => name + randomBytes(10_000).toString('hex')

  test('are shortened in identifiers, and findings with the same beginning stay apart', async () => {
    const project = await server.project('acme/long-identifiers')
    const rule = long('rule-')
    const others = [{ type: long('type'), name: long('name'), value: long('value') }]
    const report = sastReport([
      entry({ rule: `${rule}1`, file: long('src/'), others }),
      entry({ rule: `${rule}2`, line: 2 }),
    ])
    expect(await send(project, JSON.stringify(report))).toMatchObject({ status: 201, body: { findings: { new: 2 } } })
    expect(await send(project, JSON.stringify(report))).toMatchObject({ status: 201, body: { unchanged: true } })
    const identifiers = (await findingsOf(project)).flatMap((finding) => finding.identifiers)
    expect(identifiers).toHaveLength(3)
    for (const { external_id: id, name } of identifiers) expect([id.length, name.length]).toEqual([500, 500])
  })

  test.each([
    [
      'SARIF',
      {
        version: '2.1.0',
        runs: [
          { tool: { driver: { name: long('tool') } }, results: [{ ruleId: long('rule'), message: { text: 'x' } }] },
        ],
      },
    ],
    [
      'Semgrep',
      {
        results: [
          {
            check_id: long('rule'),
            path: long('a.py'),
            start: { line: 1, col: 1 },
            end: { line: 1, col: 2 },
            extra: { message: 'x', severity: 'ERROR', metadata: {} },
          },
        ],
        errors: [],
        paths: { scanned: [] },
      },
    ],
  ])('are shortened in %s', async (format, report) => {
    const project = await server.project(`acme/long-${format.toLowerCase()}`)
    expect(await send(project, JSON.stringify(report))).toMatchObject({ status: 201, body: { findings: { new: 1 } } })
  })

  test.each([
    ['SPDX 2.3', 'spdx/fixtures/version-2.3.json'],
    ['SPDX 3.0', 'spdx/fixtures/version-3.0.json'],
    ['CycloneDX', 'cyclonedx/fixtures/bom-1.6.json'],
  ])('are shortened in the names of the bill of materials %s', async (format, path) => {
    const fixture = readFileSync(new URL(`../../../domain/reports/formats/${path}`, import.meta.url), 'utf8')
    const places = [...fixture.matchAll(/"name": ?"[^"]*"/g)]
    expect(places.length).toBeGreaterThan(2)
    const project = await server.project(`acme/long-${format.replaceAll(/\W/g, '-')}`)
    for (const { 0: found, index } of places) {
      const text = `${fixture.slice(0, index)}"name": "${long('name')}"${fixture.slice(index + found.length)}`
      expect([found, (await send(project, text)).status]).toEqual([found, 201])
    }
  })
})
