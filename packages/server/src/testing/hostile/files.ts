import fc from 'fast-check'
import { entry, sastReport } from '../reports/reports.ts'
import { jpeg, tiff } from './images.ts'
import { hostileJson, hostileText, noise } from './values.ts'

/** A file part of a form. */
export interface SentFile {
  filename: string
  contentType: string
  content: Uint8Array
}

export function isSentFile(value: unknown): value is SentFile {
  return typeof value === 'object' && value !== null && 'content' in value && value.content instanceof Uint8Array
}

const heads = {
  'png.png': [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52],
  'jpeg.jpg': [0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46, 0x49, 0x46, 0],
  'gif.gif': [...Buffer.from('GIF89a')],
  'page.html': [...Buffer.from('<!doctype html><script>')],
}

const image = fc
  .tuple(fc.constantFrom(...Object.entries(heads)), fc.uint8Array({ maxLength: 300 }))
  .map(([[filename, head], rest]) => file(filename, [...head, ...rest]))

const oddImage = fc.oneof(
  jpeg.map((content) => file('photo.jpg', content, 'image/jpeg')),
  tiff.map((content) => file('scan.tiff', content, 'image/tiff')),
)

const anything = fc
  .tuple(fc.oneof(hostileText, fc.constantFrom('a.txt', 'naïve "quoted".pdf')), fc.uint8Array({ maxLength: 300 }))
  .map(([filename, content]) => file(filename, content))

/** An empty file, one above the avatar limit and one above the upload limit of these tests. */
const sized = fc
  .constantFrom(0, 210 * 1024, 1024 * 1024 + 1)
  .map((bytes) => file('sized.png', Buffer.alloc(bytes, 'x')))

function file(filename: string, content: Iterable<number>, contentType = 'application/octet-stream'): SentFile {
  return { filename, contentType, content: Uint8Array.from(content) }
}

const spoiling = fc.tuple(fc.array(fc.nat(30), { minLength: 2, maxLength: 6 }), fc.oneof(hostileText, hostileJson))

/** A report with findings of every kind, valid or with hostile values in places. */
export const reportFile: fc.Arbitrary<SentFile> = fc
  .tuple(
    fc.array(fc.record({ line: fc.integer({ min: 1, max: 9 }), severity: fc.constantFrom('Low', 'High') }), {
      maxLength: 4,
    }),
    fc.oneof(fc.constant([]), fc.array(spoiling, { minLength: 1, maxLength: 2 })),
  )
  .map(([entries, spoils]) => {
    const report = sastReport(entries.map((fields) => ({ ...entry(fields), ...structuredClone(furnishings) })))
    for (const [path, value] of spoils) spoil(report, path, structuredClone(value))
    return file('report.json', Buffer.from(JSON.stringify(report)), 'application/json')
  })

const furnishings = {
  links: [{ name: 'More', url: 'https://example.test/' }],
  flags: [{ type: 'flagged-as-likely-false-positive', origin: 'x', description: 'x' }],
  evidence: {
    summary: 'x',
    request: { url: 'https://example.test/', method: 'GET', headers: [{ name: 'a', value: 'b' }] },
  },
  details: { note: { type: 'text', name: 'Note', value: 'x' } },
  cvss_vectors: [{ vendor: 'NVD', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
  solution: 'Do it differently',
}

/** Replaces a value at a path of numbers, each of which selects one of the keys at its level. */
function spoil(node: object, path: readonly number[], value: unknown): void {
  const keys = Object.keys(node)
  const key = keys[(path[0] ?? 0) % Math.max(1, keys.length)]
  if (key === undefined) return
  const holder = node as Record<string, unknown> // its keys are texts
  const child = holder[key]
  if (path.length > 1 && typeof child === 'object' && child !== null) spoil(child, path.slice(1), value)
  else holder[key] = value
}

export const hostileFile: fc.Arbitrary<SentFile> = fc.oneof(
  { weight: 3, arbitrary: image },
  { weight: 3, arbitrary: oddImage },
  { weight: 4, arbitrary: anything },
  { weight: 1, arbitrary: sized },
  { weight: 1, arbitrary: fc.nat(99).map((seed) => file('noise.bin', Buffer.from(noise(seed, 'abc\0\r\n-', 3000)))) },
)
