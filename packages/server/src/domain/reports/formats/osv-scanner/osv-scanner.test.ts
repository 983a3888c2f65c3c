import { createReadStream } from 'node:fs'
import { expect, test } from 'vitest'
import { asFile, readAccepted, readRejected } from '../../../../testing/reports/read-report-file.ts'
import type { ReportFinding } from '../report.ts'

const fixture = () => createReadStream(new URL('./fixtures/lock-files.json', import.meta.url))

const ids = ({ identifiers }: ReportFinding) =>
  identifiers.map(({ externalType, externalId }) => `${externalType}:${externalId}`)

test('a record is read with its package, its fixes and the ids of its group', async () => {
  const report = await readAccepted(fixture, { strict: true })
  const first = report.findings[0] ?? expect.fail('no finding')
  expect(first).toMatchObject({
    pointer: '/results/0/packages/0/vulnerabilities/0',
    reportType: 'dependency_scanning',
    name: 'The parser follows references without a limit',
    description: 'A document of a few bytes takes all memory.',
    solution: 'Upgrade example-parser to 1.2.1 or 2.0.3',
    severity: 'high',
    scanner: { externalId: 'osv-scanner', name: 'OSV-Scanner' },
    location: { file: 'package-lock.json', dependency: { package: { name: 'example-parser' }, version: '1.2.0' } },
    links: [{ url: 'https://example.com/advisories/1' }],
    cvss: [{ vendor: 'OSV', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' }],
  })
  expect(ids(first)).toEqual(['cve:CVE-2099-0001', 'ghsa:GHSA-aaaa-bbbb-cccc', 'cwe:400'])
})

test('records of one group are one finding', async () => {
  const report = await readAccepted(fixture)
  expect(report.counts).toEqual({ read: 4, merged: 1, skipped: 0 })
  expect(report.merged).toMatchObject([
    { pointer: '/results/0/packages/0/vulnerabilities/1', into: '/results/0/packages/0/vulnerabilities/0' },
  ])
})

test('a record without a group has its own id, and the words of its database are its severity', async () => {
  const report = await readAccepted(fixture)
  expect(report.findings.slice(1)).toMatchObject([
    { name: 'GHSA-dddd-eeee-ffff in example-parser', severity: 'medium', solution: undefined },
    { name: 'A request may wait forever', severity: 'unknown', location: { file: 'go.mod' } },
  ])
  expect(report.findings.slice(1).map(ids)).toEqual([['ghsa:GHSA-dddd-eeee-ffff'], ['go:GO-2099-0002']])
})

test('a report without results makes nothing absent, unless its sender declares it complete', async () => {
  expect((await readAccepted(asFile({ results: [] }))).gaps).toMatchObject([
    { reason: expect.stringMatching(/^it has no results/) },
  ])
  expect((await readAccepted(asFile({ results: [], experimental_config: {} }), { isPartial: false })).gaps).toEqual([])
})

test('a record that cannot be read leaves the findings of its file as they are', async () => {
  const packages = [{ package: { name: 'a', version: '1' }, vulnerabilities: [{ summary: 'no id' }] }]
  const report = await readAccepted(asFile({ results: [{ source: { path: './go.mod' }, packages }] }))
  expect(report.skipped).toEqual([
    { pointer: '/results/0/packages/0/vulnerabilities/0', reason: 'it has no identifier' },
  ])
  expect(report.gaps).toMatchObject([{ file: 'go.mod' }])
})

test.for([
  [{ results: [{ path: 'a.go' }] }, 'is missing required keys: source, packages'],
  [{ results: {} }, 'is not of type: array'],
  [
    { results: [{ source: { path: 'go.mod' }, packages: [{ vulnerabilities: [] }] }] },
    'missing required keys: package',
  ],
])('%j is rejected', async ([document, message]) => {
  expect(await readRejected(asFile(document as object))).toEqual([expect.stringContaining(message as string)])
})

test('another report type is rejected', async () => {
  expect(await readRejected(fixture, { reportType: 'sast' })).toEqual([
    'The report was sent as sast, but what OSV-Scanner writes can only be one of: dependency_scanning',
  ])
})
