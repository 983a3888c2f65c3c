import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { asFile, readAccepted, readRejected } from '../../../../testing/reports/read-report-file.ts'
import { readWholeReport } from '../../reader/read-report.ts'
import type { ReportFinding } from '../report.ts'
import { type Mapping, parseMapping } from './mapping.ts'

const fixture = (name: string) => () => createReadStream(new URL(`./fixtures/${name}`, import.meta.url))
const textFile = (text: string | Buffer) => () => Readable.from([Buffer.from(text)])
const ids = ({ identifiers }: ReportFinding) =>
  identifiers.map(({ externalType, externalId }) => `${externalType}:${externalId}`)

function mappingOf(written: object): Mapping {
  const mapping = parseMapping(JSON.stringify(written))
  return typeof mapping === 'string' ? expect.fail(mapping) : mapping
}

describe('a table', () => {
  test('is read by the names of its columns, with quotes and another separator', async () => {
    const { format, reportType, scanner, findings } = await readAccepted(fixture('findings.csv'))
    expect([format, reportType, scanner?.externalId]).toEqual(['generic', 'sast', 'generic'])
    expect(findings).toMatchObject([
      {
        pointer: '/rows/0',
        name: 'SQL injection',
        description: 'The value of "q" ends a statement;\nit begins another.',
        solution: 'Use parameters',
        severity: 'high',
        confidence: 'high',
        location: { file: 'src/search.ts', start_line: 12, end_line: 12 },
        links: [{ url: 'https://example.com/a' }, { url: 'https://example.com/b' }],
        fingerprints: [{ name: 'fingerprint', value: 'finding-0001' }],
      },
      { name: 'Weak hash', severity: 'low', location: { file: 'src/hash.ts' } },
      { name: 'Old cipher', severity: 'info' },
      { name: 'No severity', severity: 'unknown' },
    ])
    expect(findings.slice(0, 2).map(ids)).toEqual([
      ['generic_rule:SQLI-1', 'cwe:89'],
      ['generic_rule:HASH-2', 'cwe:328', 'cwe:916'],
    ])
  })

  test('with a row that cannot be read skips that row and keeps what is known', async () => {
    const open = textFile('title,severity\na,low,c\nb,low\nc,terrible\n')
    const { skipped, gaps, findings } = await readAccepted(open)
    const reasons = [
      'it has 3 values, but the table has 2 columns',
      'its severity "terrible" is unknown; map it with "severities" in the mapping',
    ]
    expect(skipped.map(({ reason }) => reason)).toEqual(reasons)
    expect([findings.length, gaps.length]).toEqual([1, 2])
    expect(await readRejected(open, { strict: true })).toEqual([
      `property '/rows/0': ${reasons[0]}`,
      `property '/rows/2': ${reasons[1]}`,
    ])
  })

  test('of a mapping is read by its own columns, words and scanner', async () => {
    const mapping = mappingOf({
      ...{ title: 'Finding', severity: 'Risk', url: 'Where', scanner: 'Acme Pentest' },
      severities: { Severe: 'critical', 'to be decided': 'unknown' },
    })
    const text = '\ufeffFinding,Risk,Where\r\nXSS,severe,https://a.test/x\r\n"Open\r\nport",To be decided,db:5432\r\n'
    const { reportType, scanner, findings } = await readAccepted(textFile(text), { mapping })
    expect([reportType, scanner]).toMatchObject(['dast', { externalId: 'acme-pentest', name: 'Acme Pentest' }])
    expect(findings).toMatchObject([
      { name: 'XSS', severity: 'critical', location: { hostname: 'https://a.test', path: '/x' } },
      { name: 'Open\r\nport', severity: 'unknown', location: { path: 'db:5432' } },
    ])
  })

  test('without a place has a finding for each title', async () => {
    const { findings } = await readAccepted(textFile('title,severity,rule\na,low,r\nb,low,r\na,low,r\n'))
    expect(findings.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test('gives the same result in chunks of any size and as UTF-16', async () => {
    const text = 'title;severity\n"a ""b"";\nc";low\nd;high'
    const whole = await readAccepted(textFile(text))
    expect(whole.findings.map(({ name }) => name)).toEqual(['a "b";\nc', 'd'])
    for (const size of [1, 2, 3]) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g'))?.map((piece) => Buffer.from(piece)) ?? []
      expect(await readAccepted(() => Readable.from(pieces))).toEqual(whole)
    }
    expect(await readAccepted(textFile(Buffer.from(`\ufeff${text}`, 'utf16le')))).toEqual(whole)
  })

  test.for([
    [
      'Finding,Risk\na,b\n',
      'has no column "title" for the field title. Its columns are "Finding", "Risk"; a mapping names',
    ],
    ['title,Title\na,b\n', 'two columns with the name "title"'],
    ['title,severity\n"a,low\n', 'cut off: the quote in line 2 is not closed'],
    [`title,severity\na,${'x'.repeat(300_000)}\n`, 'too long; its row begins in line 2'],
    [`title,severity\n${','.repeat(300)}\n`, 'more than 200 columns'],
    [Buffer.from('title,severity\n\u00e9,low\n', 'latin1'), 'is not UTF-8 text: byte 0xe9 at offset 15 (line 2)'],
  ] as const)('written as %j is rejected: %s', async ([text, message]) => {
    expect(await readRejected(textFile(text))).toEqual([expect.stringContaining(message)])
  })

  test('without a mapped column is rejected', async () => {
    const mapping = mappingOf({ title: 'a', severity: 'Risk' })
    expect(await readRejected(textFile('a,b\n1,2\n'), { mapping })).toEqual([
      expect.stringContaining('The table has no column "Risk" for the field severity'),
    ])
  })
})

describe('JSON', () => {
  test('with the format generic is read by its fields', async () => {
    const { reportType, scanner, scan, findings } = await readAccepted(fixture('findings.json'))
    expect([reportType, scan.endTime]).toEqual(['dependency_scanning', '2099-01-05T10:00:00.000Z'])
    expect(scanner).toMatchObject({ externalId: 'example-audit', name: 'Example Audit', version: '1.4' })
    expect(findings.map(ids)).toEqual([
      ['cve:CVE-2099-0001', 'ghsa:GHSA-aaaa-bbbb-cccc', 'cwe:674'],
      ['example-audit_rule:EA-7'],
    ])
    expect(findings).toMatchObject([
      {
        severity: 'high',
        location: { file: 'package-lock.json', dependency: { package: { name: 'example-parser' }, version: '1.2.0' } },
        links: [{ url: 'https://example.com/advisories/1' }],
      },
      { severity: 'medium' },
    ])
  })

  test('with a mapping is read by keys joined by dots', async () => {
    const mapping = mappingOf({ findings: 'data.issues', title: 'info.name', file: 'at.path', line: 'at.line' })
    const issues = [{ info: { name: 'a' }, at: { path: './b.ts', line: 4 }, severity: 'LOW' }]
    const { findings } = await readAccepted(asFile({ data: { issues } }), { mapping })
    expect(findings).toMatchObject([{ name: 'a', severity: 'low', location: { file: 'b.ts', start_line: 4 } }])
  })

  test('with a mapping may be a list, or lines of objects', async () => {
    const mapping = mappingOf({ title: 'name' })
    for (const text of ['[{"name":"a"},{"name":"b"}]', '{"name":"a"}\n{"name":"b"}\n']) {
      expect((await readAccepted(textFile(text), { mapping })).findings).toHaveLength(2)
    }
  })

  test.for([
    [{ format: 'generic' }, {}, 'There is no list of findings at "findings"'],
    [{ a: [] }, { findings: 'a.b' }, 'There is no list of findings at "a.b"'],
  ])('written as %j is rejected', async ([document, mapping, message]) => {
    const options = { mapping: mappingOf(mapping as object) }
    expect(await readRejected(asFile(document as object), options)).toEqual([
      expect.stringContaining(message as string),
    ])
  })

  test('without a title keeps what is known', async () => {
    const document = { format: 'generic', findings: [{ severity: 'low' }] }
    const result = await readWholeReport(asFile(document), { projectId: 42 })
    expect(result).toMatchObject({ report: { gaps: [{ reason: 'an entry cannot be read (it has no title)' }] } })
  })
})

test.for([
  ['x', 'is not valid JSON'],
  ['[]', 'is not an object'],
  ['{"titel":"a"}', 'has the unknown field "titel"; fields are title, severity,'],
  ['{"title":1}', 'has no text of up to 200 characters for "title"'],
  [
    '{"severities":{"a":"b"}}',
    'maps the severity "a" to a word that is none of info, unknown, low, medium, high, critical',
  ],
  ['{"severities":1}', 'maps the severity "severities"'],
  [`{"title":"${'a'.repeat(20_000)}"}`, 'is longer than 16384 characters'],
] as const)('the mapping %s is rejected', ([text, message]) => {
  expect(parseMapping(text)).toContain(message)
})
