import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FeedRows, WrongFeed } from './feed.ts'
import { openFeedFile } from './feed-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-feeds-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function read(content: string | Buffer) {
  const path = join(folder, 'file')
  await writeFile(path, content)
  const file = await openFeedFile(path)
  const reading = file.read()
  const rows: FeedRows['rows'][number][] = []
  for (;;) {
    const part = await reading.next()
    if (part.done) return { kind: file.kind, rows, release: part.value }
    rows.push(...part.value.rows)
  }
}

async function reasonFor(content: string | Buffer): Promise<string> {
  const error = await read(content).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error instanceof WrongFeed) return error.message
  throw new Error('the file was accepted', { cause: error })
}

const epssHead = '#model_version:v2025.03.14,score_date:2026-11-22T00:00:00+0000\ncve,epss,percentile\n'
const epss = `${epssHead}CVE-2021-44228,0.94358,0.99962\nCVE-2024-0001,0.00043,0.1\n`
const kevEntry = {
  cveID: 'CVE-2021-44228',
  dateAdded: '2021-12-10',
  dueDate: '2021-12-24',
  knownRansomwareCampaignUse: 'Known',
}
const kev = {
  title: 'Catalogue',
  catalogVersion: '2026.11.20',
  dateReleased: '2026-11-20T15:00:00.000Z',
  count: 2,
  vulnerabilities: [
    kevEntry,
    { cveID: 'CVE-2023-0001', dateAdded: '2023-02-01', knownRansomwareCampaignUse: 'Unknown' },
  ],
}

describe('EPSS scores', () => {
  const expected = {
    kind: 'epss',
    rows: [
      { cve: 'CVE-2021-44228', scoreMillionths: 943_580, percentileMillionths: 999_620 },
      { cve: 'CVE-2024-0001', scoreMillionths: 430, percentileMillionths: 100_000 },
    ],
    release: { version: 'v2025.03.14', publishedAt: '2026-11-22T00:00:00.000Z' },
  }

  test('are read from CSV, compressed or not, with either kind of line break', async () => {
    expect(await read(epss)).toEqual(expected)
    expect(await read(gzipSync(epss))).toEqual(expected)
    expect(await read(epss.replaceAll('\n', '\r\n'))).toEqual(expected)
  })

  test.each([
    ['a score above 1', `${epssHead}CVE-2024-0001,1.5,0.1\n`, 'line 3: expected a CVE, a score and a percentile'],
    ['a missing column', `${epssHead}CVE-2024-0001,0.5,0.5\nCVE-2024-0002,0.5\n`, 'line 4: expected a CVE'],
    ['a wrong name', `${epssHead}GHSA-1,0.5,0.5\n`, 'line 3: expected a CVE'],
    ['another header', epss.replace('cve,epss', 'cve,score'), 'line 2: expected the header cve,epss,percentile'],
    ['a date that is none', epss.replace('2026-11-22T', 'yesterdayT'), 'line 1: expected #model_version'],
    ['a last line without its end', epss.slice(0, -1), 'line 4: the file is truncated'],
    ['a blank line', `${epss}\n`, 'line 5: expected a CVE'],
  ])('are rejected with the line: %s', async (_, content, reason) => {
    expect(await reasonFor(content)).toContain(reason)
  })

  test('are rejected when the compressed file is truncated', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `CVE-2024-${10_000 + index},0.${index},0.5\n`)
    const whole = gzipSync(epssHead + rows.join(''))
    expect(await reasonFor(whole.subarray(0, whole.length / 2))).toMatch(/^line \d+: the compressed file is truncated/)
  })

  test('are rejected when the text is not UTF-8', async () => {
    expect(await reasonFor(Buffer.concat([Buffer.from(epss), Buffer.from([0xff, 0x0a])]))).toContain('not UTF-8')
  })
})

describe('the KEV catalogue', () => {
  test('is rejected when it decompresses to very many blank lines', async () => {
    const lines = Buffer.alloc(34 * 1024 * 1024, '\n')
    expect(await reasonFor(gzipSync(Buffer.concat([Buffer.from('{'), lines])))).toContain(
      'the catalogue is larger than',
    )
  })

  test.each([undefined, 2])('is read from JSON that is indented by %s', async (indent) => {
    expect(await read(JSON.stringify(kev, null, indent))).toEqual({
      kind: 'kev',
      rows: [
        { cve: 'CVE-2021-44228', addedOn: '2021-12-10', dueOn: '2021-12-24', isRansomware: true },
        { cve: 'CVE-2023-0001', addedOn: '2023-02-01', dueOn: null, isRansomware: false },
      ],
      release: { version: '2026.11.20', publishedAt: '2026-11-20T15:00:00.000Z' },
    })
  })

  const indented = JSON.stringify(kev, null, 2)
  test.each([
    ['truncated JSON', indented.slice(0, indented.length / 2), /^line \d+: not valid JSON/],
    ['fewer entries than stated', JSON.stringify({ ...kev, count: 3 }), /states 3 entries and has 2/],
    ['no entries', JSON.stringify({ ...kev, count: 0, vulnerabilities: [] }), /empty/],
    ['a wrong entry', JSON.stringify({ ...kev, count: 1, vulnerabilities: [{ cveID: 'x' }] }), /entry 1 has no valid/],
  ])('is rejected for %s', async (_, content, reason) => {
    expect(await reasonFor(content)).toMatch(reason)
  })
})

describe('advisories of OSV', () => {
  const line = (advisory: object) => `${JSON.stringify(advisory)}\n`

  test('give every pair of identifiers in capitals, without withdrawn ones', async () => {
    const content = [
      line({ id: 'GHSA-jfh8-c2jp-5v3q', aliases: ['CVE-2021-44228'], modified: '2026-11-01T00:00:00Z' }),
      line({ id: 'PYSEC-1', modified: '2026-11-02T00:00:00Z' }),
      line({ id: 'GHSA-1', aliases: ['CVE-1'], withdrawn: '2026-01-01T00:00:00Z' }),
      line({ id: 'GHSA-2', aliases: null }),
    ]
    expect(await read(content.join(''))).toEqual({
      kind: 'osv',
      rows: [
        { name: 'GHSA-JFH8-C2JP-5V3Q', alias: 'CVE-2021-44228' },
        { name: 'CVE-2021-44228', alias: 'GHSA-JFH8-C2JP-5V3Q' },
      ],
      release: { version: null, publishedAt: '2026-11-02T00:00:00.000Z' },
    })
  })

  test.each([
    ['truncated JSON', `${line({ id: 'GHSA-1' })}{"id":"GHSA-2","alia`, 'line 2: not valid JSON'],
    ['an object without an id', `${line({ id: 'GHSA-1' })}${line({ aliases: [] })}`, 'line 2: expected an advisory'],
    ['aliases that are no list', line({ id: 'GHSA-1', aliases: 'CVE-1' }), 'line 1: aliases is not a list'],
    ['an alias that is no name', line({ id: 'GHSA-1', aliases: [1] }), 'line 1: an alias is not a name'],
  ])('are rejected with the line: %s', async (_, content, reason) => {
    expect(await reasonFor(content)).toContain(reason)
  })
})

test.each([
  ['an empty file', '', 'the file is empty'],
  ['another file', 'name,value\n', 'line 1: not recognised'],
  ['one advisory on many lines', JSON.stringify({ id: 'GHSA-1' }, null, 2), 'one advisory of OSV per line'],
])('%s is rejected', async (_, content, reason) => {
  expect(await reasonFor(content)).toContain(reason)
})
