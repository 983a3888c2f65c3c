import { expect, test } from 'vitest'
import { csvHeader, csvLine } from './csv.ts'
import type { ExportedRow } from './exported-rows.ts'
import { rubyText } from './ruby-text.ts'

const row = (fields: Record<string, unknown> = {}): ExportedRow =>
  ({
    project: { name: 'Site', fullPath: 'acme/site', namespace: { kind: 'group', name: 'Acme' } },
    vulnerability: {
      id: 7,
      title: 'Flaw',
      state: 'detected',
      severity: 'high',
      reportType: 'sast',
      isResolvedOnDefaultBranch: false,
      dismissedUntil: null,
      isDismissedUntilFixed: false,
      cvssTenths: null,
      epssMillionths: null,
      isKev: false,
      exposurePoints: 5,
      agePoints: 0,
      tags: [],
      refDismissals: [],
      fixAvailableAt: null,
      createdAt: '2026-05-01T10:20:30.456Z',
    },
    finding: { packageUrl: null, description: 'What it is', location: { file: 'main.rb', start_line: 3 } },
    extras: { cvss: [] },
    scanner: { name: 'Semgrep' },
    identifiers: [],
    remarks: [],
    exploitations: [],
    usernames: new Map(),
    assignee: null,
    ...fields,
  }) as unknown as ExportedRow // only what cells are made of

const identifier = (externalType: string, name: string) => ({ id: 1, externalType, externalId: name, name, url: null })

/** Splits a line of CSV into its cells. */
function cellsOf(line: string): string[] {
  return [...line.trimEnd().matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  )
}

const today = '2026-05-02'

const cell = (name: string, fields: Record<string, unknown>) =>
  cellsOf(csvLine(row(fields), today))[cellsOf(csvHeader).indexOf(name)]

test('the CSV columns are GitLab’s, followed by our own', () => {
  expect(csvHeader).toBe(
    'Group Name,Project Name,Tool,Scanner Name,Status,Vulnerability,Details,Additional Info,Severity,CVE,CWE,' +
      'Other Identifiers,Detected At,Location,Activity,Comments,Full Path,CVSS Vectors,Dismissal Reason,' +
      'Vulnerability ID,Priority,EPSS Score,Known Exploited,Package URL,Assignee,Due On,Overdue,Dismissed Until,Tags,Dismissal Scope,' +
      'KEV Due On,Known Ransomware Use,Import Data\n',
  )
  const cells = cellsOf(csvLine(row(), today))
  expect(JSON.parse(cells.at(-1) ?? '')).toMatchObject({ id: '7', state: 'detected', exact: { history: [] } })
  expect(csvLine(row(), today).replace(/,"\{""id"".*\n$/, '\n')).toBe(
    'Acme,Site,sast,Semgrep,detected,Flaw,What it is,,high,,,,2026-05-01 10:20:30 UTC,' +
      '"{""file""=>""main.rb"", ""start_line""=>3}",false,,acme/site/7,,,7,35,,false,,,,false,,,,,false\n',
  )
})

test('the due date of CISA is the earliest one, and one CVE with known ransomware use is enough', () => {
  const entry = { cve: 'CVE-2024-0001', addedOn: '2024-01-01', dueOn: '2024-02-01', isRansomware: false }
  const exploitations = [{ ...entry, dueOn: null }, entry, { ...entry, dueOn: '2024-01-20', isRansomware: true }]
  expect(cell('KEV Due On', { exploitations })).toBe('2024-01-20')
  expect(cell('Known Ransomware Use', { exploitations })).toBe('true')
  expect(cell('KEV Due On', { exploitations: [{ ...entry, dueOn: null }] })).toBe('')
  expect(cell('Known Ransomware Use', { exploitations: [entry] })).toBe('false')
})

test('the group name is empty for a personal namespace', () => {
  const project = { name: 'Site', fullPath: 'ann/site', namespace: { kind: 'user', name: 'Ann' } }
  expect(cell('Group Name', { project })).toBe('')
})

test('the first CVE and the first CWE have columns, other identifiers share one', () => {
  const identifiers = [
    identifier('semgrep_id', 'rule; one'),
    identifier('cwe', 'CWE-79'),
    identifier('cve', 'CVE-2024-1'),
    identifier('cve', 'CVE-2024-2'),
    identifier('owasp', 'A "quoted" name'),
    identifier('cwe', 'CWE-80'),
  ]
  expect(cell('CVE', { identifiers })).toBe('CVE-2024-1')
  expect(cell('CWE', { identifiers })).toBe('CWE-79')
  expect(cell('Other Identifiers', { identifiers })).toBe('"rule; one"; CVE-2024-2; "A ""quoted"" name"; CWE-80')
})

test('CVSS vectors and the dismissal reason are written as text', () => {
  const cvss = [
    { vendor: 'NVD', vector: 'CVSS:3.1/AV:N' },
    { vendor: 'GitLab', vector: 'AV:N/AC:L' },
  ]
  expect(cell('CVSS Vectors', { extras: { cvss } })).toBe('NVD=CVSS:3.1/AV:N; GitLab=AV:N/AC:L')
  expect(
    cell('Dismissal Reason', {
      vulnerability: { ...row().vulnerability, state: 'dismissed', dismissalReason: 'used_in_tests' },
    }),
  ).toBe('Used in tests')
})

test('comments contain date, user, new state and text', () => {
  const base = { vulnerabilityId: 7, from: null, to: null, comment: null, dismissalReason: null }
  const remarks = [
    { ...base, kind: 'note', username: 'ann', comment: 'is this real?', createdAt: '2026-05-02T08:00:00.000Z' },
    {
      ...base,
      kind: 'state',
      username: null,
      from: 'detected',
      to: 'dismissed',
      dismissalReason: 'used_in_tests',
      comment: 'no',
      createdAt: '2026-05-03T09:10:11.000Z',
    },
  ]
  expect(cell('Comments', { remarks })).toBe(
    '2026-05-02 08:00:00 UTC|ann||is this real?; 2026-05-03 09:10:11 UTC||dismissed|' +
      'changed vulnerability status from Detected to Dismissed: Used in tests with the following comment: "no"',
  )
})

test.for([
  ['two\nlines', 'two\\nlines'],
  ['two\r\nlines\rthree', 'two\\nlines\\nthree'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [';x', "';x"],
  ['a=b', 'a=b'],
  ['with, comma', 'with, comma'],
  ['with "quotes"', 'with "quotes"'],
  ['=HYPERLINK("http://x","y")', `'=HYPERLINK("http://x","y")`],
])('the text %j is written as %j, on one line and not as a formula', ([description, expected]) => {
  const fields = { finding: { description, location: {} } }
  expect(cell('Details', fields)).toBe(expected)
  expect(csvLine(row(fields), today).split('\n')).toHaveLength(2)
})

test.for([
  [{}, '{}'],
  [{ a: null, b: true, c: 1.5, d: [1, 'x'] }, '{"a"=>nil, "b"=>true, "c"=>1.5, "d"=>[1, "x"]}'],
  [{ dependency: { package: { name: 'rack' } } }, '{"dependency"=>{"package"=>{"name"=>"rack"}}}'],
  [{ a: 'q"b\\s\nn\tt' }, '{"a"=>"q\\"b\\\\s\\nn\\tt"}'],
  [{ a: '#{x} #$y #@z #1' }, '{"a"=>"\\#{x} \\#$y \\#@z #1"}'],
  [{ ü: '日本 😀' }, '{"ü"=>"日本 😀"}'],
  [{ a: '\u0000\u0001\u0085\u200b\u2028\u{e0001}' }, '{"a"=>"\\x00\\x01\\u0085\\u200B\\u2028\\u{E0001}"}'],
])('the location %j is written in Ruby notation', ([value, expected]) => {
  expect(rubyText(value)).toBe(expected)
})
