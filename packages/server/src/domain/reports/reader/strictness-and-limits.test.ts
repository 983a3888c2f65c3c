import { describe, expect, test } from 'vitest'
import { first, fixture, messagesOf, open, problemsOf, readFrom, withFirst } from '../../../testing/reading.ts'
import { documentLimits } from './document.ts'
import { isCached } from './read-entries.ts'
import { readReport, readWholeReport } from './read-report.ts'

describe('without strict', () => {
  test('a violation of the schema is a warning, and the rest is read', async () => {
    const bad = withFirst('sast-15', { severity: 'BLOCKER', links: [{ url: 'javascript:x' }, { url: 'https://ok' }] })
    const { findings, warnings, counts } = await readFrom(bad)
    expect(counts).toEqual({ read: 2, skipped: 0, merged: 0 })
    expect(findings[0]).toMatchObject({ severity: 'medium', links: [{ url: 'https://ok' }] })
    expect(warnings.map(({ pointer }) => pointer)).toEqual([
      '/vulnerabilities/0/severity',
      '/vulnerabilities/0/links/0/url',
      '/vulnerabilities/0/links/0/url',
    ])
  })

  test('an invalid entry is skipped with its reason', async () => {
    const report = fixture('sast-15')
    const entries: unknown[] = [null, 7, [], {}, { ...report.vulnerabilities[0], identifiers: 'none' }]
    const { counts, skipped } = await readFrom({ ...report, vulnerabilities: entries })
    expect(counts).toEqual({ read: 5, skipped: 5, merged: 0 })
    expect(skipped.map(({ pointer, reason }) => [pointer, reason])).toEqual([
      ['/vulnerabilities/0', 'it is not an object'],
      ['/vulnerabilities/1', 'it is not an object'],
      ['/vulnerabilities/2', 'it is not an object'],
      ['/vulnerabilities/3', 'it has no identifier'],
      ['/vulnerabilities/4', 'it has no identifier'],
    ])
  })

  test.for([
    ['an unknown version', { version: '16.0.0' }, /^Version 16\.0\.0 for report type sast is unsupported/],
    ['no version', { version: undefined }, /^root is missing required keys: version/],
    ['an unknown type', { scan: { type: 'poetry' } }, /is missing required keys/],
    ['no list', { vulnerabilities: {} }, /^property '\/vulnerabilities' is not of type: array/],
  ] as const)('%s still rejects the whole report', async ([, changes, message]) => {
    const [problem] = await problemsOf({ ...fixture('sast-15'), ...changes }, { strict: false })
    expect(problem?.message).toMatch(message)
  })

  test('an entry that is too large is skipped, and rejected with strict', async () => {
    const limits = { ...documentLimits, maxItemBytes: 4000 }
    const report = withFirst('sast-15', { description: 'x'.repeat(5000) })
    const { counts, skipped } = await readFrom(report, { limits })
    expect([counts.read, counts.skipped]).toEqual([2, 1])
    expect(skipped).toEqual([{ pointer: '/vulnerabilities/0', reason: 'the entry is larger than this server reads' }])
    expect(await messagesOf(report, { limits })).toEqual(['the entry is larger than this server reads'])
    expect(await messagesOf(report, { limits: { ...documentLimits, maxRestBytes: 100 } })).toEqual([
      expect.stringContaining('besides its findings'),
    ])
    expect(await messagesOf(report, { limits: { ...documentLimits, maxItems: 1 } })).toEqual([
      'The report has more than 1 findings.',
    ])
  })
})

test('a repeated list is rejected, because parts of the file would mean different reports', async () => {
  const text = JSON.stringify(fixture('sast-15'))
  const twice = `${text.slice(0, -1)},"vulnerab\\u0069lities":[]}`
  expect(await messagesOf(twice)).toEqual([expect.stringContaining('stands here a second time')])
})

describe('limits', () => {
  test('shorten long texts to whole characters, with a warning', async () => {
    const emoji = '😀'.repeat(15_001)
    const { findings, warnings } = await readFrom(
      withFirst('sast-15', { description: emoji, solution: 's'.repeat(7000) }),
    )
    expect(findings[0]?.description).toBe(`${'😀'.repeat(14_997)}...`)
    expect(findings[0]?.solution).toHaveLength(7000)
    expect(warnings.map(({ message }) => message)).toEqual([
      'A description of more than 15000 characters was shortened',
    ])
    const name = first(await readFrom(withFirst('secrets-14', { name: 'n'.repeat(300) }))).name
    expect(name).toBe(`${'n'.repeat(252)}...`)
  })

  test('keep 20 identifiers, and use all of them for deduplication', async () => {
    const identifiers = Array.from({ length: 25 }, (_, index) => ({ type: 'r', name: 'n', value: String(index) }))
    const { findings, warnings } = await readFrom(withFirst('sast-15', { identifiers, tracking: { items: [] } }))
    expect(findings[0]?.identifiers.map(({ externalId }) => externalId)).toEqual([...Array(20).keys()].map(String))
    expect(findings[0]?.keys).toHaveLength(26)
    expect(warnings).toMatchObject([{ pointer: '/vulnerabilities/0' }])
  })

  test('drop addresses that are too long or contain spaces', async () => {
    const links = [{ url: `https://a/${'x'.repeat(2048)}` }, { url: 'https://a b' }, { url: 'https://ok', name: 'n' }]
    expect(first(await readFrom(withFirst('sast-15', { links }))).links).toEqual([{ name: 'n', url: 'https://ok' }])
  })

  test('keep a shared remediation from growing to gigabytes', async () => {
    const report = fixture('sast-15')
    const [vulnerability] = report.vulnerabilities
    report.vulnerabilities = Array.from({ length: 2000 }, (_, line) => ({
      ...vulnerability,
      location: { start_line: line },
    }))
    report.remediations = [{ fixes: [{ id: 'f-1' }], summary: 's', diff: 'x'.repeat(1_000_000) }]
    const { findings, warnings } = await readFrom(report)
    const characters = findings.reduce((sum, { rawMetadata }) => sum + rawMetadata.length, 0)
    expect(characters).toBeLessThan(60_000_000)
    const kept = findings.flatMap(({ remediations }) => remediations)
    expect(kept.length).toBeLessThan(60)
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('A remediation shared')])
  })

  test('keep an entry with thousands of components from growing, and read it in batches', async () => {
    const affects = Array.from({ length: 4000 }, (_, index) => ({ ref: `c${index}` }))
    const vulnerabilities = [{ id: 'CVE-2099-1', detail: 'x'.repeat(1_000_000), affects }]
    const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', vulnerabilities }
    const read = await readReport(open(bom), { projectId: 42 })
    if (!('reading' in read)) throw new Error(JSON.stringify(read.problems))
    let [findings, characters] = [0, 0]
    for await (const batch of read.reading.batches()) {
      expect(batch.length).toBeLessThanOrEqual(200)
      findings += batch.length
      for (const entry of batch) characters += isCached(entry) ? 0 : entry.rawMetadata.length
    }
    expect(findings).toBe(4000)
    expect(characters).toBeLessThan(35_000_000)
  })

  test('skip an entry with too many values', async () => {
    const report = fixture('sast-15')
    const [vulnerability = {}] = report.vulnerabilities
    report.vulnerabilities = [vulnerability, { ...vulnerability, more: Array(100_001).fill([]) }]
    const { findings, skipped } = await readFrom(report)
    expect([findings.length, skipped]).toEqual([
      1,
      [{ pointer: '/vulnerabilities/1', reason: 'the entry is larger than this server reads' }],
    ])
  })

  test('reject a report with too many values outside of entries', async () => {
    const text = JSON.stringify(fixture('sast-15'))
    const tooMany = [
      `${text.slice(0, -1)},"more":[${'[],'.repeat(2_000_000)}[]]}`,
      `${text.slice(0, -1)},${Array.from({ length: 60_000 }, (_, index) => `"k${index}":{}`).join()}}`,
    ]
    expect(await messagesOf(tooMany[0] ?? '')).toEqual([
      'The report holds more than 2000000 values besides its findings.',
    ])
    expect(await messagesOf(tooMany[1] ?? '')).toEqual([
      'The report is made of more than 50000 parts besides its findings.',
    ])
  })

  test('read large entries in small batches', async () => {
    const report = fixture('sast-15')
    const [vulnerability] = report.vulnerabilities
    report.vulnerabilities = Array.from({ length: 10 }, (_, line) => ({
      ...vulnerability,
      tracking: undefined,
      location: { file: 'a', start_line: line },
      more: 'x'.repeat(1_500_000),
    }))
    const read = await readReport(open(report), { projectId: 42 })
    if (!('reading' in read)) throw new Error(JSON.stringify(read.problems))
    const sizes: number[] = []
    for await (const batch of read.reading.batches()) sizes.push(batch.length)
    expect(sizes).toEqual([2, 2, 2, 2, 2])
  })
})

test.for([
  ['an image of a million digits', 'container-14', { location: { image: `a:${'1'.repeat(1_000_000)}` } }],
  ['an image of a million colons', 'container-14', { location: { image: ':1'.repeat(500_000) } }],
  ['a vector of a million metrics', 'sast-15', { cvss_vectors: [{ vendor: 'v', vector: 'AV:N/'.repeat(200_000) }] }],
  ['an address of a million spaces', 'sast-15', { links: [{ url: `https://${' '.repeat(1_000_000)}` }] }],
  ['a key of a million characters', 'sast-15', { details: { ['k'.repeat(1_000_000)]: 1 } }],
] as const)('%s is validated quickly with a short message', async ([, name, changes]) => {
  const report = open(withFirst(name, changes))
  const started = performance.now()
  const read = await readWholeReport(report, { projectId: 42, strict: true })
  expect(performance.now() - started).toBeLessThan(4_000)
  expect(JSON.stringify('problems' in read ? read.problems : []).length).toBeLessThan(2000)
})
