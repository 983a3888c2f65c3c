import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { severities } from '../../findings/scales.ts'
import { type ReadOptions, readWholeReport } from '../reader/read-report.ts'
import { formats } from './formats.ts'

/** Every fixture of every format, with its path. */
const fixtures = formats.flatMap(({ name }) =>
  readdirSync(new URL(`./${name}/fixtures/`, import.meta.url)).map((file) => {
    const path = `${name}/fixtures/${file}`
    return { path, text: readFileSync(new URL(`./${path}`, import.meta.url), 'utf8') }
  }),
)
const jsonFixtures = fixtures.filter(({ path }) => path.endsWith('.json') || path.endsWith('.sarif'))

async function* chunksOf(bytes: Uint8Array, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield Buffer.from(bytes.subarray(start, start + size))
}

const read = (bytes: Uint8Array, options: Partial<ReadOptions> = {}) =>
  readWholeReport(() => chunksOf(bytes, 1000), { projectId: 42, ...options })

const readText = (text: string) => read(Buffer.from(text))

/** Maximum length of a message for the sender of a report. */
const maxMessage = 2000

/** Reads a damaged report, and asserts that what was read can be stored, or why it was refused. */
async function assertSound(bytes: Uint8Array): Promise<void> {
  const found = await read(bytes)
  if ('problems' in found) {
    expect(found.problems.length).toBeGreaterThan(0)
    for (const { message } of found.problems) {
      expect(message.length).toBeLessThan(maxMessage)
      expect(message).not.toContain('\0')
    }
    return
  }
  const { findings, counts } = found.report
  expect(counts.read).toBe(findings.length + counts.skipped + counts.merged)
  for (const finding of findings) {
    expect(severities).toContain(finding.severity)
    expect([...finding.name].length).toBeLessThanOrEqual(255)
    expect(typeof JSON.parse(finding.rawMetadata)).toBe('object')
    for (const { externalType, externalId, name, url } of finding.identifiers) {
      expect([typeof externalType, typeof externalId, typeof name]).toEqual(['string', 'string', 'string'])
      expect(['string', 'undefined']).toContain(typeof url)
    }
    for (const { url } of finding.links) expect(url).toMatch(/^(?:https?|ftp):/i)
  }
}

describe.each(fixtures)('$path', ({ text }) => {
  test('means the same with a byte order mark and with CRLF', async () => {
    const plain = await readText(text)
    expect(await readText(`\ufeff${text}`)).toEqual(plain)
    const windows = await readText(text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n'))
    expect('report' in windows && 'report' in plain && windows.report.counts).toEqual(
      'report' in plain && plain.report.counts,
    )
  })

  test('means the same in pieces of any size', async () => {
    const plain = await readText(text)
    expect(await readWholeReport(() => chunksOf(Buffer.from(text), 3), { projectId: 42 })).toEqual(plain)
  })

  test('that is cut off anywhere is refused or read, with sound findings', async () => {
    const bytes = Buffer.from(text)
    for (let part = 1; part < 40; part++) await assertSound(bytes.subarray(0, Math.floor((bytes.length * part) / 40)))
  })

  test.each(['utf16le', 'latin1'] as const)('in %s is refused with a message, or read', async (encoding) => {
    const mark = encoding === 'utf16le' ? '\ufeff' : 'ÿ'
    const found = await read(Buffer.from(mark + text, encoding))
    if ('problems' in found)
      expect(found.problems[0]?.message).toMatch(/UTF-8|UTF-16|valid JSON|known format|does not read/)
  })
})

/** Values that break a reader which trusts types, or looks words up in plain objects. */
const oddValues: unknown[] = [
  ...[null, true, -1, 1.5e300, '', ' ', [], {}, [null], [[]], { a: { b: [] } }],
  ...['constructor', '__proto__', 'toString', 'a\u0000b', '\ud800', 'javascript:alert(1)', 'x'.repeat(70_000)],
]

function placesOf(root: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof root !== 'object' || root === null) return []
  const holder = root as Record<string, unknown> // of a list, by index
  return Object.entries(root).flatMap(([key, inner]) => [{ holder, key }, ...placesOf(inner)])
}

test.each(jsonFixtures)(
  '$path with another value in any place is refused or read, with sound findings',
  async ({ text }) => {
    const root: unknown = JSON.parse(text)
    for (const [index, { holder, key }] of placesOf(root).entries()) {
      const before = holder[key]
      // Each place gets some of the values, and each value comes to many places.
      for (const step of [0, 7]) {
        holder[key] = oddValues[(index * 5 + step) % oddValues.length]
        await assertSound(Buffer.from(JSON.stringify(root)))
      }
      holder[key] = before
    }
  },
  60_000,
)

test.each([
  ['zap/fixtures/site.json', 'riskcode'],
  ['zap/fixtures/site.json', 'confidence'],
  ['sarif/fixtures/code.sarif', 'level'],
])('%s with a name of Object.prototype as %s has a severity of the scale', async (path, field) => {
  const { text } = fixtures.find((fixture) => fixture.path === path) ?? expect.fail('no such fixture')
  const found = await readText(
    text.replaceAll(new RegExp(`"${field}": ?("[^"]*"|\\d+)`, 'g'), `"${field}": "constructor"`),
  )
  if ('problems' in found) return expect(found.problems).toEqual([])
  for (const { severity } of found.report.findings) expect(severities).toContain(severity)
  return expect(found.report.findings.length).toBeGreaterThan(0)
})

describe('XML', () => {
  const head = '<?xml version="1.0"?>\n<issues burpVersion="2024.1" exportTime="Mon">\n  <issue>\n'

  test.each([
    ['a long name', `${head}<na${'x'.repeat(100_000)}>`],
    ['a long attribute', `${head}<name a="${'x'.repeat(100_000)}">`],
    ['many attributes', `${head}<name ${Array.from({ length: 5000 }, (_, index) => `a${index}="1"`).join(' ')}>`],
    ['deep elements', head + '<a>'.repeat(10_000)],
    ['a long reference', `${head}<name>&${'x'.repeat(100_000)};</name></issue></issues>`],
    ['a name with a NUL', `${head}<na\0me>`],
    ['an open comment', `${head}<!-- ${'x'.repeat(100_000)}`],
    ['an open CDATA section', `${head}<name><![CDATA[${'x'.repeat(100_000)}`],
  ])('with %s is refused or read, with a short message', (_, text) => assertSound(Buffer.from(text)))

  test('that declares entities is refused, also within a type of the document', async () => {
    const entities = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    const text = `<?xml version="1.0"?>\n<!DOCTYPE issues [${entities}]>\n<issues burpVersion="2024.1"><issue><name>&b;</name></issue></issues>`
    const found = await readText(text)
    expect('problems' in found && found.problems[0]?.message).toContain('declares entities, which are not read')
  })
})
