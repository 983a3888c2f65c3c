import { describe, expect, test } from 'vitest'
import { first, fixture, messagesOf, open, problemsOf, readFrom, withFirst } from '../../../testing/reading.ts'
import { identifierFingerprint, sha1 } from '../formats/identity/fingerprints.ts'
import { readWholeReport } from './read-report.ts'

describe('a report of 15.x', () => {
  test('has scanner, analyzer and scan times', async () => {
    expect(await readFrom(fixture('sast-15'))).toMatchObject({
      format: 'gitlab',
      version: '15.2.1',
      reportType: 'sast',
      scanner: { externalId: 'acme', name: 'Acme', vendor: 'Example Security', version: '1.4.0' },
      analyzer: { externalId: 'acme-analyzer', name: 'Acme analyzer', vendor: 'Example Security', version: '1.4.0' },
      scan: {
        status: 'success',
        startTime: '2026-03-01T10:00:00.000Z',
        endTime: '2026-03-01T10:00:09.000Z',
        messages: [{ level: 'info', value: 'two files were read' }],
        primaryIdentifiers: [{ externalType: 'acme_rule', externalId: 'xss.1' }],
      },
      counts: { read: 2, skipped: 0, merged: 0 },
      warnings: [],
    })
  })

  test('passes on warnings and errors of its scanner, without informational messages', async () => {
    const report = fixture('sast-15')
    Object.assign(report.scan ?? {}, {
      messages: [
        { level: 'info', value: 'all is well' },
        { level: 'warn', value: 'one file was not read' },
        { level: 'warn', value: 'no lock file' },
        { level: 'warn', value: 'one file was not read' },
        { level: 'fatal', value: `no rules for ${'x'.repeat(1000)}` },
      ],
    })
    expect((await readFrom(report)).warnings).toEqual([
      { type: 'Scanner', pointer: '', message: 'The scanner warns: one file was not read (2 times)' },
      { type: 'Scanner', pointer: '', message: 'The scanner warns: no lock file' },
      {
        type: 'Scanner',
        pointer: '',
        message: expect.stringMatching(/^The scanner reports an error: no rules for x+\.\.\.$/),
      },
    ])
  })

  test('is read as findings with all fields', async () => {
    const finding = first(await readFrom(fixture('sast-15')))
    expect(finding).toMatchObject({
      pointer: '/vulnerabilities/0',
      name: 'Script injection',
      severity: 'high',
      confidence: 'unknown',
      solution: 'Escape it.',
      location: { file: 'src/a.ts', start_line: 3, end_line: 4 },
      locationFingerprint: sha1('src/a.ts:3:4'),
      links: [
        { name: 'Guide', url: 'https://docs.example.com/xss' },
        { name: undefined, url: 'ftp://docs.example.com/xss' },
      ],
      flags: [{ type: 'false_positive', origin: 'acme-fp', description: 'only reachable in tests' }],
      cvss: [{ vendor: 'Acme' }, { vendor: 'Acme' }],
      signatures: [
        { algorithm: 'scope_offset', sha: sha1('src/a.ts|A[0]|show[0]:1') },
        { algorithm: 'hash', sha: sha1('one|two') },
      ],
      details: { note: { type: 'markdown' } },
      metadataVersion: '15.2.1',
    })
    expect(finding.identifiers.map(({ externalType }) => externalType)).toEqual(['acme_rule', 'cwe'])
    expect(finding.identifiers[0].fingerprint).toBe(identifierFingerprint('acme_rule', 'xss.1'))
  })

  test('assigns remediations to the findings they fix; the last one counts', async () => {
    const [one, two] = (await readFrom(fixture('sast-15'))).findings
    expect(one?.remediations).toEqual([{ summary: 'Use placeholders', diff: 'bmV3' }])
    expect(JSON.parse(one?.rawMetadata ?? '')).toMatchObject({ id: 'f-1', remediations: [{ diff: 'bmV3' }] })
    expect(one?.solution).toBe('Escape it.')
    expect(two?.solution).toBe('Use placeholders')
  })

  test('keeps the evidence of DAST findings', async () => {
    const { evidence, assets, location } = first(await readFrom(fixture('dast-15')))
    expect(evidence).toMatchObject({ summary: '500 on a quote', response: { status_code: 500 } })
    expect(assets).toEqual([{ type: 'http_session', name: 'Session', url: 'https://shop.example.com/har' }])
    expect(location).toMatchObject({ hostname: 'https://shop.example.com' })
  })

  test.for([
    ['sast-15', 1, 'CWE-89 in b.ts'],
    ['dast-15', 0, 'CVE-CVE-2099-0001 in /login'],
    ['cluster-15', 0, 'CVE-CVE-2099-0001 in registry.example.com/app:1.2:openssl'],
    ['coverage-15', 0, 'ACME_CRASH-heap in Heap-buffer-overflow READ 1:parse main'],
  ] as const)('in %s gives the unnamed finding %i the name %s', async ([name, index, derived]) => {
    expect((await readFrom(fixture(name))).findings[index]?.name).toBe(derived)
  })
})

describe('a report of 14.x', () => {
  test('uses the rules of 14.x for scanners, confidence and remediations, and drops unsafe addresses', async () => {
    const report = await readFrom(fixture('container-14'))
    const finding = first(report)
    expect(finding).toMatchObject({
      name: 'openssl is old',
      confidence: 'confirmed',
      cve: 'debian:12:openssl:CVE-2099-0001',
      scanner: { externalId: 'acme', vendor: 'Example Security' },
      remediations: [{ summary: 'Upgrade openssl' }],
      links: [{ url: 'https://docs.example.com/openssl' }],
      locationFingerprint: sha1('registry.example.com:5000/app:openssl'),
    })
    expect(finding.identifiers[0].url).toBeUndefined()
    expect(report.warnings.map(({ pointer }) => pointer)).toEqual([
      '/vulnerabilities/0/identifiers/0/url',
      '/vulnerabilities/0/links/0/url',
    ])
  })

  test('of Python dependencies normalizes package names', async () => {
    const finding = first(await readFrom(fixture('dependency-14')))
    expect(finding.locationFingerprint).toBe(sha1('app/requirements.txt:flask-login'))
    expect(finding.scanner).toMatchObject({ externalId: 'gemnasium', vendor: 'GitLab' })
  })

  test('without a scan takes its type from its vulnerabilities, and lists skipped entries', async () => {
    const report = await readFrom(fixture('secrets-14'))
    expect(report).toMatchObject({
      reportType: 'secret_detection',
      scanner: { externalId: 'leaks' },
      scan: { status: 'success', startTime: undefined },
      skipped: [{ pointer: '/vulnerabilities/1', reason: 'its location is not an object' }],
      counts: { read: 2, skipped: 1, merged: 0 },
    })
    expect(report.findings).toHaveLength(1)
  })

  test('without a scan and a common category requires report_type', async () => {
    const report = { version: '14.0.0', vulnerabilities: [] }
    expect(await messagesOf(report)).toEqual([
      expect.stringMatching(/^It cannot be known .* Send report_type, one of: \["sast"/),
    ])
    expect((await readFrom(report, { reportType: 'dast' })).reportType).toBe('dast')
    const mixed = withFirst('secrets-14', { category: 'sast' })
    expect(await messagesOf(mixed)).toEqual([expect.stringContaining("its category is not sast, like the first one's")])
    expect((await readFrom(mixed)).skipped).toMatchObject([{ pointer: '/vulnerabilities/1' }])
  })
})

describe('the version', () => {
  const versioned = (version: unknown) => ({ ...fixture('sast-15'), version })

  test.for(['15.0.0', '15.0.7', '15.1.4', '15.2.4'])('%s is accepted', async (version) => {
    expect((await readFrom(versioned(version))).warnings).toEqual([])
  })

  test.for([
    ['15.0.3', '15.0.2'],
    ['15.2.99', '15.2.4'],
    ['15.1.5', '15.1.4'],
  ])('%s is read as %s, with a warning', async ([version, applied]) => {
    expect((await readFrom(versioned(version))).warnings).toEqual([
      {
        type: 'Schema',
        pointer: '/version',
        message: `This report uses a supported MAJOR.MINOR version but the PATCH doesn't match any vendored schema version. Validation is done against version ${applied}`,
      },
    ])
  })

  test.for(['13.1.0', '15.3.0', '16.0.0', '2.3', 'v15.2.1', ''])('%j is rejected with one problem', async (version) => {
    expect(await problemsOf({ ...versioned(version), vulnerabilities: 1 })).toEqual([
      {
        type: 'Schema',
        pointer: '/version',
        message: expect.stringMatching(
          /^Version .* for report type sast is unsupported, supported versions for this report type are: \["14.0.0", .*"15.2.4"\]$/,
        ),
      },
    ])
  })

  test('is required and must be a string', async () => {
    expect(await messagesOf(versioned(undefined))).toEqual(['root is missing required keys: version'])
    expect(await messagesOf(versioned(15))).toEqual(["property '/version' is not of type: string"])
  })
})

describe('the report type', () => {
  test('can be a parameter, but must match the report', async () => {
    expect((await readFrom(fixture('sast-15'), { reportType: 'sast' })).reportType).toBe('sast')
    expect(await problemsOf(fixture('sast-15'), { reportType: 'dast' })).toEqual([
      {
        type: 'Schema',
        pointer: '/scan/type',
        message: 'The report was sent as dast, but its scan.type says sast. Send it as sast.',
      },
    ])
  })

  test('of a registry scan is taken from the scan or the parameter', async () => {
    const report = fixture('cluster-15')
    Object.assign(report.scan ?? {}, { type: 'container_scanning_for_registry' })
    const read = (reportType?: 'container_scanning' | 'container_scanning_for_registry') =>
      readFrom(report, reportType && { reportType })
    expect((await read()).findings[0]?.reportType).toBe('container_scanning_for_registry')
    expect((await read('container_scanning')).reportType).toBe('container_scanning_for_registry')
    Object.assign(report.scan ?? {}, { type: 'container_scanning' })
    expect((await read('container_scanning_for_registry')).reportType).toBe('container_scanning_for_registry')
    expect((await read()).reportType).toBe('container_scanning')
  })

  test('is rejected when it is unknown, with a list of known types', async () => {
    const report = fixture('sast-15')
    Object.assign(report.scan ?? {}, { type: 'quantum_scanning' })
    expect(await messagesOf(report)).toEqual([
      expect.stringMatching(/^property '\/scan\/type' is not one of: \["sast", /),
    ])
    expect(await messagesOf(report, { reportType: 'sast' })).toEqual([`property '/scan/type' is not one of: ["sast"]`])
  })
})

describe('problems', () => {
  test('have pointer and rule in GitLab’s wording', async () => {
    expect(await messagesOf({ version: '15.2.1' })).toEqual(['root is missing required keys: scan, vulnerabilities'])
    expect(await messagesOf([1])).toEqual([
      expect.stringMatching(/^This is no report of a known format: it is a list of/),
    ])
    expect(await messagesOf(withFirst('dependency-14', { location: { dependency: {} } }))).toEqual([
      "property '/vulnerabilities/0/location' is missing required keys: file",
    ])
    const bad = withFirst('sast-15', { id: '', severity: 'high', links: [{ url: 'javascript:x' }] })
    expect(await problemsOf(bad)).toEqual([
      {
        type: 'Schema',
        pointer: '/vulnerabilities/0/severity',
        message: `property '/vulnerabilities/0/severity' is not one of: ["Info", "Unknown", "Low", "Medium", "High", "Critical"]`,
      },
      {
        type: 'Schema',
        pointer: '/vulnerabilities/0/links/0/url',
        message: "property '/vulnerabilities/0/links/0/url' does not match pattern: ^(https?|ftp)://.+",
      },
      {
        type: 'Schema',
        pointer: '/vulnerabilities/0/id',
        message: "property '/vulnerabilities/0/id' is invalid: error_type=minLength",
      },
    ])
    expect(await messagesOf(withFirst('sast-15', { details: { 'a/b~': { name: 'n', type: 'song' } } }))).toEqual([
      "property '/vulnerabilities/0/details/a~1b~0' is invalid: error_type=oneOf",
    ])
    expect(await messagesOf(withFirst('sast-15', { tracking: { type: 'binary', items: [] } }))).toEqual([
      `property '/vulnerabilities/0/tracking/type' is not: "source"`,
    ])
  })

  test('beyond 100 are only counted', async () => {
    const report = fixture('sast-15')
    report.vulnerabilities = Array(250).fill({})
    const messages = await messagesOf(report)
    expect(messages).toHaveLength(101)
    expect(messages.at(-1)).toBe('150 more problems are not shown')
  })
})

test('line numbers are fingerprinted in their original notation', async () => {
  const text = JSON.stringify(fixture('sast-15')).replace(
    '"start_line":3,"end_line":4,"class"',
    '"start_line":3.0,"class"',
  )
  const finding = first(await readFrom(text))
  expect(finding.locationFingerprint).toBe(sha1('src/a.ts:3.0:'))
  expect(finding.location).toMatchObject({ start_line: 3 })
})

test('invalid dates are dropped', async () => {
  const report = fixture('sast-15')
  Object.assign(report.scan ?? {}, { start_time: '2026-02-30T00:00:00', status: 'failure' })
  expect(await readFrom(report)).toMatchObject({
    scan: { status: 'failure', startTime: undefined, endTime: '2026-03-01T10:00:09.000Z' },
    warnings: [{ pointer: '/scan/start_time' }],
  })
})

test('duplicates are merged and listed', async () => {
  const report = fixture('sast-15')
  report.vulnerabilities.push({ ...report.vulnerabilities[0], id: 'f-3' })
  const { findings, merged, counts } = await readFrom(report)
  expect(findings).toHaveLength(2)
  expect(merged).toEqual([{ pointer: '/vulnerabilities/2', uuid: findings[0]?.uuid, into: '/vulnerabilities/0' }])
  expect(counts).toEqual({ read: 3, skipped: 0, merged: 1 })
})

test('prototype keys are treated as data', async () => {
  const text = JSON.stringify(fixture('sast-15')).replace(
    '"severity":"High"',
    '"__proto__":{"severity":"Critical","isAdmin":true},"constructor":{"prototype":{"x":1}}',
  )
  const finding = first(await readFrom(text))
  expect(finding.severity).toBe('medium') // by its vector
  expect(Object.keys({}.constructor.prototype)).toEqual([])
  expect('isAdmin' in finding || 'isAdmin' in {}).toBe(false)
})

test('the maximum nesting passes every step', async () => {
  const levels = 490
  const list = `${'{"type":"list","items":['.repeat(levels)}{"type":"text","value":"x"}${']}'.repeat(levels)}`
  const text = JSON.stringify(withFirst('sast-15', { details: 'HERE' })).replace(
    '"HERE"',
    `{"a":{"name":"n",${list.slice(1)}}`,
  )
  expect(first(await readFrom(text)).rawMetadata).toContain('"value":"x"')
})

test('14,000 findings are read', async () => {
  const report = fixture('sast-15')
  const [vulnerability] = report.vulnerabilities
  report.vulnerabilities = Array.from({ length: 14_000 }, (_, line) => ({
    ...vulnerability,
    id: `f-${line}`,
    details: {},
    tracking: { items: [] },
    location: { file: `src/${line % 100}.ts`, start_line: line, end_line: line },
  }))

  const read = await readWholeReport(open(report), { projectId: 42 })
  expect('report' in read && read.report.counts).toEqual({ read: 14_000, skipped: 0, merged: 0 })
})
