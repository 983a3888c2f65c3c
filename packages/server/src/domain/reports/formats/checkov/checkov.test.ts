import { createReadStream } from 'node:fs'
import { expect, test } from 'vitest'
import { asFile, readAccepted } from '../../../../testing/reports/read-report-file.ts'

const fixture = () => createReadStream(new URL('./fixtures/frameworks.json', import.meta.url))
const failed = { check_id: 'CKV_EX_1', check_name: 'Ensure it', file_path: '/a.tf', file_line_range: [1, 2] }

test('failed checks of each framework have its report type', async () => {
  const report = await readAccepted(fixture, { strict: true })
  expect(report).toMatchObject({ version: '3.2.400', reportTypes: ['sast', 'secret_detection'] })
  expect(report.findings).toMatchObject([
    {
      reportType: 'sast',
      name: 'Ensure that the bucket is not public',
      description: 'Ensure that the bucket is not public (example_bucket.logs)',
      severity: 'unknown',
      location: { file: 'storage/main.tf', start_line: 3, end_line: 5 },
      codeExtract: 'resource "example_bucket" "logs" {\n  acl = "public"\n}\n',
      links: [{ url: 'https://example.com/policies/20' }],
      identifiers: [{ externalType: 'checkov_rule_id', externalId: 'CKV_EX_20' }],
    },
    {
      reportType: 'secret_detection',
      severity: 'high',
      location: { file: 'config.ini', start_line: 9 },
      codeExtract: undefined,
    },
  ])
})

test('suppressed checks are skipped, and files that could not be parsed keep their findings', async () => {
  const { skipped, gaps } = await readAccepted(fixture)
  expect(skipped).toEqual([
    { pointer: '/0/results/skipped_checks/0', reason: 'it is suppressed in the source (checkov:skip)' },
  ])
  expect(gaps).toMatchObject([{ file: 'storage/broken.tf', reason: 'a file could not be parsed' }])
})

test('the report of one framework is an object', async () => {
  const { findings, gaps } = await readAccepted(
    asFile({ check_type: 'dockerfile', results: { failed_checks: [failed] } }),
  )
  expect(findings).toMatchObject([{ name: 'Ensure it', location: { file: 'a.tf', start_line: 1, end_line: 2 } }])
  expect(gaps).toEqual([])
})

test('a vulnerability in a package is skipped and keeps what is known', async () => {
  const ofPackage = { ...failed, vulnerability_details: { id: 'CVE-2099-0001' } }
  const { skipped, gaps } = await readAccepted(
    asFile({ check_type: 'sca_package', results: { failed_checks: [ofPackage] } }),
  )
  expect(skipped).toMatchObject([{ reason: 'it is about a package; send the SARIF of Checkov for those' }])
  expect(gaps).toMatchObject([{ reason: expect.stringContaining('an entry cannot be read') }])
})
