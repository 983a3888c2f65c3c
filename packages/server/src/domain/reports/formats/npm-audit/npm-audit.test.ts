import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { asFile, readAccepted, readRejected } from '../../../../testing/reports/read-report-file.ts'
import type { ReportFinding } from '../report.ts'

const fixture = (name: string) => () => createReadStream(new URL(`./fixtures/${name}`, import.meta.url))
const textFile = (text: string) => () => Readable.from([Buffer.from(text)])

const ids = ({ identifiers }: ReportFinding) =>
  identifiers.map(({ externalType, externalId }) => `${externalType}:${externalId}`)

describe('version 2', () => {
  const open = fixture('version-2.json')

  test('an advisory is a finding of the package that it is about', async () => {
    const report = await readAccepted(open, { strict: true })
    expect(report).toMatchObject({ format: 'npm-audit', version: '2', reportType: 'dependency_scanning', gaps: [] })
    expect(report.findings[0]).toMatchObject({
      pointer: '/vulnerabilities/@example~1parser',
      name: 'The parser follows references without a limit',
      description: 'The parser follows references without a limit\n\nAffected versions: <1.2.1',
      solution: 'Upgrade example-shop to 4.0.0',
      severity: 'high',
      scanner: { externalId: 'npm-audit', name: 'npm audit' },
      location: { file: 'package-lock.json', dependency: { package: { name: '@example/parser' }, version: '' } },
      links: [{ url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc' }],
      cvss: [{ vendor: 'npm', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H' }],
    })
    expect(report.findings.map(ids)).toEqual([
      ['ghsa:GHSA-aaaa-bbbb-cccc', 'npm_advisory:900001', 'cwe:400', 'cwe:674'],
      ['ghsa:GHSA-dddd-eeee-ffff', 'npm_advisory:900002', 'cwe:1321'],
      ['ghsa:GHSA-gggg-hhhh-jjjj', 'npm_advisory:900003'],
    ])
  })

  test('a package that is affected through another one is no finding of its own', async () => {
    const { findings, counts } = await readAccepted(open)
    expect(counts).toEqual({ read: 3, merged: 0, skipped: 0 })
    expect(findings.map(({ severity, solution }) => [severity, solution])).toEqual([
      ['high', 'Upgrade example-shop to 4.0.0'],
      ['medium', 'Upgrade example-shop to 4.0.0'],
      ['low', 'Update example-cookie with npm audit fix'],
    ])
  })

  test('a report without vulnerabilities makes known findings absent', async () => {
    const { gaps, counts } = await readAccepted(asFile({ auditReportVersion: 2, vulnerabilities: {}, metadata: {} }))
    expect([gaps, counts.read]).toEqual([[], 0])
  })

  test('a package that cannot be read keeps what is known', async () => {
    const vulnerabilities = { a: 1, b: { name: 'b', via: [{ title: 'no id' }] } }
    const { skipped, gaps } = await readAccepted(asFile({ auditReportVersion: 2, vulnerabilities }))
    expect(skipped).toEqual([
      { pointer: '/vulnerabilities/a', reason: 'it is not an object' },
      { pointer: '/vulnerabilities/b', reason: 'it has no identifier' },
    ])
    expect(gaps).toHaveLength(2)
  })

  test.for([
    [{ auditReportVersion: 2 }, 'root is missing required keys: vulnerabilities'],
    [{ auditReportVersion: 2, vulnerabilities: [] }, "property '/vulnerabilities' is not of type: object"],
    [{ auditReportVersion: 'x', vulnerabilities: {} }, "property '/auditReportVersion' is not of type: integer"],
  ] as const)('%j is rejected', async ([document, message]) => {
    expect(String(await readRejected(asFile(document), { strict: true }))).toContain(message)
  })

  test.for([
    '{"auditReportVersion":2,"vulnerabilities":{"a":{"via":[]},}}',
    '{"auditReportVersion":2,"vulnerabilities":{"a"',
  ])('%s is rejected with its line and column', async (text) => {
    expect(await readRejected(textFile(text))).toEqual([expect.stringMatching(/not valid JSON; line 1, column \d+/)])
  })
})

test('the older form by advisory is read with its versions and ids', async () => {
  const { findings, version } = await readAccepted(fixture('advisories.json'), { strict: true })
  expect(version).toBe('1')
  expect(findings.map(ids)).toEqual([
    ['ghsa:GHSA-aaaa-bbbb-cccc', 'cve:CVE-2099-0001', 'npm_advisory:900001', 'cwe:400'],
    ['npm_advisory:900004', 'cwe:506'],
  ])
  expect(findings).toMatchObject([
    {
      name: 'The parser follows references without a limit',
      description: 'A document of a few bytes takes all memory.\n\nAffected versions: <1.2.1',
      solution: 'Upgrade to version 1.2.1 or later',
      location: { file: 'package.json', dependency: { package: { name: '@example/parser' }, version: '1.2.0' } },
    },
    { severity: 'critical', solution: undefined, location: { dependency: { package: { name: 'example-left' } } } },
  ])
})

describe('lines of Yarn', () => {
  test('several paths to one package of Yarn 1 are one finding', async () => {
    const { findings, counts, scanner } = await readAccepted(fixture('yarn-1.jsonl'), { strict: true })
    expect(scanner?.name).toBe('yarn audit')
    expect(counts).toEqual({ read: 2, merged: 1, skipped: 0 })
    expect(findings).toMatchObject([
      { location: { file: 'yarn.lock', dependency: { package: { name: '@example/parser' }, version: '1.2.0' } } },
    ])
  })

  test('a deprecation in the lines of Yarn 4 is skipped', async () => {
    const { findings, skipped, gaps } = await readAccepted(fixture('yarn-4.jsonl'), { strict: true })
    expect(findings.map(ids)).toEqual([['ghsa:GHSA-aaaa-bbbb-cccc', 'npm_advisory:900001']])
    expect(skipped).toEqual([{ pointer: '/1', reason: 'it is a deprecation, not a vulnerability' }])
    expect(gaps).toEqual([])
  })

  test.for([
    ['{"type":"auditSummary","data":{}}', 0],
    ['{"value":"a","children":{"ID":1,"Issue":"b","Severity":"low"}}\n', 1],
  ] as const)('a single line is a report: %s', async ([text, read]) => {
    expect((await readAccepted(textFile(text))).counts.read).toBe(read)
  })

  test('an error of Yarn keeps what is known', async () => {
    const text = '{"type":"warning","data":"a"}\n{"type":"error","data":"registry is down"}\n'
    expect((await readAccepted(textFile(text))).gaps).toMatchObject([
      { reason: 'yarn reports an error: registry is down' },
    ])
  })

  test('a line that is cut off is rejected with its number', async () => {
    const text = '{"type":"auditAdvisory","data":{}}\n\n{"type":"auditAdv'
    expect(await readRejected(textFile(text))).toEqual([expect.stringContaining('line 3')])
  })
})

test('another report type is rejected', async () => {
  expect(await readRejected(fixture('version-2.json'), { reportType: 'sast' })).toEqual([
    expect.stringContaining('can only be one of: dependency_scanning'),
  ])
})

test('many advisories of one long entry do not repeat it', async () => {
  const via = Array.from({ length: 500 }, (_, index) => ({ source: index + 1, name: 'p', title: `t${index}`, url: '' }))
  const entry = { name: 'p', severity: 'high', via, nodes: ['x'.repeat(100_000)] }
  const text = JSON.stringify({ auditReportVersion: 2, vulnerabilities: { p: entry } })
  const { findings } = await readAccepted(() => Readable.from([Buffer.from(text)]))
  expect(findings).toHaveLength(500)
  expect(findings.reduce((sum, { rawMetadata }) => sum + rawMetadata.length, 0)).toBeLessThan(100_000)
})
