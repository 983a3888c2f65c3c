import { createReadStream, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { severities } from '../../../domain/findings/scales.ts'
import type { Report } from '../../../domain/reports/formats/report.ts'
import { readWholeReport } from '../../../domain/reports/reader/read-report.ts'
import { type Client, formWithFile, type Reply } from '../../../testing/client.ts'
import {
  count,
  data,
  distinct,
  entries,
  entriesIn,
  type Facts,
  ourWords,
  type ReportEntry,
  scannersOf,
} from '../../../testing/models/report-facts.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
/** Without the right to triage, so that suppressions that a report states are skipped. */
let sender: Client
beforeAll(async () => {
  server = await startServer()
  sender = await server.client(await server.user('pipeline', { admin: true }), { scopes: ['write_security_reports'] })
})

let projects = 0

describe.skipIf(entries.length === 0)('the collected reports', () => {
  const formats = [...new Set(entries.map(({ kind }) => kind))]

  test.for(formats)(
    'of %s have the listed fields and counts, and change nothing when sent again',
    { timeout: 180_000 },
    async (format) => {
      let imported = 0
      for (const entry of entries.filter((entry) => entry.kind === format)) {
        const project = await server.project(`acme/collection-${++projects}`)
        // An empty gitleaks report could be of any format.
        const fields: Record<string, string> = format === 'gitleaks' ? { report_type: 'secret_detection' } : {}
        const send = () => sender.post(`/projects/${project.id}/security_reports`, formOf(entry, fields))
        const [answer, read] = [await send(), await readFor(entry, project, fields)]
        expect([entry.file, answer.status]).toEqual([entry.file, read ? 201 : 400])
        const listed = await listAll(project)
        if (!read) {
          expect([listed, answer.body.errors.length > 0]).toEqual([[], true])
          continue
        }
        imported++
        expect({ file: entry.file, rows: listed.map(listedFields) }).toEqual({
          file: entry.file,
          rows: readFields(read),
        })
        expect(answer.body).toMatchObject({
          format,
          unchanged: listed.length === 0,
          findings: { ...noChange, read: read.counts.read, new: listed.length, merged: read.counts.merged },
        })
        checkFacts(entry, answer.body.findings, listed)

        const again = await send()
        expect(again).toMatchObject({
          status: 201,
          body: { unchanged: true, findings: { ...noChange, read: read.counts.read, known: listed.length } },
        })
        // The newest observation is the incomplete report.
        const isIncomplete = answer.body.warnings.some(({ type }: { type: string }) => type === 'Incomplete')
        const seen = (rows: Reply['body'][]) =>
          isIncomplete ? rows.map(({ found_by_pipeline: _, ...row }) => row) : rows
        expect(seen(await listAll(project))).toEqual(seen(listed))
      }
      expect(imported).toBeGreaterThan(3)
    },
  )
})

const noChange = { new: 0, known: 0, returned: 0, gone: 0, changed: 0, moved: 0, promoted: 0 }

const formOf = ({ file }: ReportEntry, fields: Record<string, string>) =>
  formWithFile('file', 'report.json', readFileSync(new URL(file, data)), fields)

async function readFor({ file }: ReportEntry, { id }: TestProject, fields: Record<string, string>) {
  const open = () => createReadStream(new URL(file, data))
  const reportType = fields['report_type'] === 'secret_detection' ? fields['report_type'] : undefined
  const result = await readWholeReport(open, { projectId: id, ...(reportType && { reportType }) })
  return 'report' in result ? result.report : undefined
}

async function listAll(project: TestProject): Promise<Reply['body'][]> {
  const rows: Reply['body'][] = []
  for (let page = '1'; page !== ''; ) {
    const at = `/projects/${project.id}/vulnerability_findings?scope=all&per_page=100&page=${page}`
    const { status, body, headers } = await server.admin.get(at)
    expect(status).toBe(200)
    rows.push(...body)
    page = headers['x-next-page'] ?? ''
  }
  return rows
}

const listedFields = (row: Reply['body']) => ({
  uuid: row.uuid,
  name: row.name,
  severity: row.severity,
  confidence: row.confidence,
  reportType: row.report_type,
  scanner: row.scanner.external_id,
  identifiers: row.identifiers,
  description: row.description,
  solution: row.solution,
  location: row.location,
  links: row.links,
  remediations: row.remediations,
  details: row.details,
  assets: row.assets,
  falsePositive: row.false_positive,
})

/** Orders findings by descending severity, then by their order in the file. */
const readFields = ({ findings }: Report) =>
  findings
    .toSorted((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity))
    .map((finding) => ({
      uuid: finding.uuid,
      name: finding.name,
      severity: finding.severity,
      confidence: finding.confidence,
      reportType: finding.reportType,
      scanner: finding.scanner.externalId,
      identifiers: finding.identifiers.map(({ externalType, externalId, name, url = null }) => ({
        external_type: externalType,
        external_id: externalId,
        name,
        url,
      })),
      description: finding.description ?? null,
      solution: finding.solution ?? null,
      location: finding.location,
      links: finding.links.map(({ name = null, url }) => ({ name, url })),
      remediations: finding.remediations,
      details: finding.details,
      assets: finding.assets,
      falsePositive: finding.flags.length > 0,
    }))

/** The expected facts were determined independently of this server. */
function checkFacts(entry: ReportEntry, counts: Record<string, number>, listed: Reply['body'][]): void {
  const facts = entry.facts as Facts
  if (entry.kind !== 'gitlab') {
    expect([entry.file, counts['read']]).toEqual([entry.file, entriesIn(entry)])
    return
  }
  if (!facts?.schema?.valid || facts.schema.note !== undefined || entry.file.endsWith('/duplicate-keys.json')) return
  expect([entry.file, counts['read']]).toEqual([entry.file, facts.vulnerabilities])
  if (counts['merged'] !== 0) return
  const identities = (row: Reply['body']) =>
    row.identifiers.map((one: { external_type: string; external_id: string }) =>
      JSON.stringify([one.external_type, one.external_id]),
    )
  expect({
    file: entry.file,
    by_severity: count(listed.map(({ severity }) => severity)),
    by_scanner: count(listed.map(({ scanner }) => scanner.external_id)),
    primary: distinct(listed.map((row) => identities(row)[0])),
  }).toEqual({
    file: entry.file,
    by_severity: ourWords(facts.by_severity),
    by_scanner: scannersOf(facts),
    primary: facts.distinct_primary_identifiers,
  })
  if (facts.most_identifiers_on_one > 20) return
  const all = listed.flatMap(identities)
  expect([entry.file, all.length, distinct(all)]).toEqual([entry.file, facts.identifiers, facts.distinct_identifiers])
}
