import { createReadStream } from 'node:fs'
import { expect, test } from 'vitest'
import { asFile, readAccepted } from '../../../../testing/reports/read-report-file.ts'

const fixture = () => createReadStream(new URL('./fixtures/project.json', import.meta.url))
test('a vulnerability is read with the package of its file', async () => {
  const report = await readAccepted(fixture, { strict: true })
  expect(report).toMatchObject({ version: '12.1.0', artifact: 'shop', counts: { read: 4, merged: 0, skipped: 1 } })
  expect(report.findings).toMatchObject([
    {
      pointer: '/dependencies/0/vulnerabilities/0',
      name: 'CVE-2099-0001 in org.example/parser',
      description: 'A nested document ends the process.',
      severity: 'high',
      location: {
        file: 'lib/parser-1.2.0.jar',
        dependency: { package: { name: 'org.example/parser' }, version: '1.2.0' },
      },
      links: [{ name: 'Advisory', url: 'https://example.com/advisories/1' }],
      identifiers: [
        { externalType: 'cve', externalId: 'CVE-2099-0001' },
        { externalType: 'cwe', externalId: '674' },
      ],
    },
    { severity: 'medium' },
    {
      severity: 'medium',
      location: { file: 'package-lock.json', dependency: { package: { name: '@example/fonts' }, version: '1.0.0' } },
    },
  ])
})

test('suppressed vulnerabilities are skipped', async () => {
  const { skipped, gaps } = await readAccepted(fixture)
  expect(skipped).toEqual([
    {
      pointer: '/dependencies/0/suppressedVulnerabilities/0',
      reason: 'a suppression file of the scanner excludes it',
    },
  ])
  expect(gaps).toEqual([])
})

test('a report with exceptions or without files makes nothing absent', async () => {
  const exceptions = [{ exception: { message: 'The database of vulnerabilities could not be updated.' } }]
  const report = { reportSchema: '1.1', scanInfo: { analysisExceptions: exceptions }, dependencies: [] }
  const { gaps, warnings } = await readAccepted(asFile(report))
  expect(gaps.map(({ reason }) => reason)).toEqual(['the scanner reports an error', 'no file was scanned'])
  expect(warnings.map(({ message }) => message)).toContain(
    'The scanner reports an error: The database of vulnerabilities could not be updated.',
  )
})
