import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ZippedFile, zip } from '../../testing/reports/zip.ts'
import { type AdvisoryLimits, advisoryLimits } from './advisory-file.ts'
import { type FeedRows, WrongFeed } from './feed.ts'
import { openFeedFile } from './feed-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-archives-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function readPath(path: string, limits: Partial<AdvisoryLimits> = {}) {
  const file = await openFeedFile(path, { ...advisoryLimits, ...limits })
  const reading = file.read()
  const rows: FeedRows['rows'][number][] = []
  try {
    for (;;) {
      const part = await reading.next()
      if (part.done) return { kind: file.kind, rows, release: part.value }
      rows.push(...part.value.rows)
    }
  } finally {
    await file.close()
  }
}

async function read(content: Buffer, limits?: Partial<AdvisoryLimits>) {
  const path = join(folder, 'file')
  await writeFile(path, content)
  return readPath(path, limits)
}

async function reasonOf(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error instanceof WrongFeed) return error.message
  throw new Error('the file was accepted', { cause: error })
}

const advisory = (id: string, cve: string, modified = '2026-11-01T00:00:00Z') =>
  JSON.stringify({ id, aliases: [cve], modified, details: 'Long text' }, null, 2)

const file = (name: string, fields: Partial<ZippedFile> = {}): ZippedFile => ({
  name,
  content: advisory(name.toUpperCase().replace('.JSON', ''), 'CVE-2026-0001'),
  ...fields,
})

const pairs = (id: string, cve: string) => [
  { name: id, alias: cve },
  { name: cve, alias: id },
]

describe('an archive of OSV', () => {
  test('gives the aliases of each of its JSON files, whatever their folders, and ignores others', async () => {
    const archive = zip([
      { name: 'GHSA-1.json', content: advisory('GHSA-1', 'CVE-2026-0001') },
      { name: 'README.md', content: 'no advisory' },
      { name: 'npm/', content: '', isStored: true },
      { name: '../GHSA-2.json', content: advisory('GHSA-2', 'CVE-2026-0002', '2026-11-03T00:00:00Z'), isStored: true },
      { name: '/npm/GHSA-3.JSON', content: advisory('GHSA-3', 'CVE-2026-0003') },
      { name: '__MACOSX/._GHSA-1.json', content: 'no advisory' },
    ])
    expect(await read(archive)).toEqual({
      kind: 'osv',
      rows: [
        ...pairs('GHSA-1', 'CVE-2026-0001'),
        ...pairs('GHSA-2', 'CVE-2026-0002'),
        ...pairs('GHSA-3', 'CVE-2026-0003'),
      ],
      release: { version: null, publishedAt: '2026-11-03T00:00:00.000Z' },
    })
  })

  test('may have many advisories', async () => {
    const files = Array.from({ length: 1_000 }, (_, index) => file(`ghsa-${index}.json`))
    const { rows } = await read(zip(files))
    expect(rows).toHaveLength(2_000)
    expect(rows.at(-1)).toEqual({ name: 'CVE-2026-0001', alias: 'GHSA-999' })
  })

  const good = file('ghsa-1.json')
  test.each<[string, Partial<ZippedFile>, string]>([
    ['is not JSON', { content: '{"id":"GHSA-2","alia' }, 'b.json: not valid JSON'],
    ['is not an advisory', { content: '{"vulnerabilities":[]}' }, 'b.json: expected an advisory of OSV with an id'],
    ['is a list', { content: '[]' }, 'b.json: expected an advisory of OSV with an id'],
    ['is not UTF-8', { content: Buffer.from([0x22, 0xff, 0x22]) }, 'b.json: the text is not UTF-8'],
    ['is encrypted', { flags: 0x801 }, 'b.json: the file is encrypted'],
    [
      'has an unknown compression',
      { method: 93 },
      'b.json: the archive cannot be read: unsupported compression method',
    ],
    ['has another checksum', { crc: 1, isStored: true }, 'b.json: the file is damaged: its checksum differs'],
    ['is larger than stated', { size: 10 }, 'b.json: the archive cannot be read: too many bytes'],
    ['is smaller than stated', { size: 10_000 }, 'b.json: the archive cannot be read: not enough bytes'],
  ])('is rejected with the name of a file that %s', async (_, fields, reason) => {
    expect(await reasonOf(read(zip([good, file('b.json', fields)])))).toContain(reason)
  })

  test('is rejected when its end is missing, or bytes are', async () => {
    const whole = zip(Array.from({ length: 20 }, (_, index) => file(`ghsa-${index}.json`)))
    expect(await reasonOf(read(whole.subarray(0, whole.length - 30)))).toMatch(/^the archive cannot be read: /)
    const missing = Buffer.concat([whole.subarray(0, 100), whole.subarray(200)])
    expect(await reasonOf(read(missing))).toContain('the archive cannot be read')
  })

  test('is rejected wherever a byte of its files is wrong', async () => {
    const whole = zip([file('a.json', { isStored: true }), file('b.json')])
    // A name is no part of the advisory, so only the contents are changed.
    const [stored, deflated] = [30 + 'a.json'.length, whole.indexOf('b.json') + 'b.json'.length]
    for (const start of [stored, deflated]) {
      for (let at = start; at < start + 40; at += 1) {
        const damaged = Buffer.from(whole)
        damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at)
        expect(await reasonOf(read(damaged))).toMatch(/^[ab]\.json: .*(cannot be read|UTF-8|checksum)/)
      }
    }
  })

  test('is rejected when a file decompresses to more than the limit, without reading all of it', async () => {
    const bomb = { name: 'bomb.json', content: Buffer.alloc(20 * 2 ** 20, ' ') }
    expect(await reasonOf(read(zip([bomb])))).toBe('bomb.json: the file is larger than 16777216 bytes')
    expect(await reasonOf(read(zip([{ ...bomb, size: 100 }])))).toContain(
      'bomb.json: the archive cannot be read: too many bytes',
    )
  })

  test('is rejected when its files are too many or too large together', async () => {
    const archive = zip([good, file('ghsa-2.json'), file('ghsa-3.json')])
    expect(await reasonOf(read(archive, { files: 2 }))).toBe('ghsa-3.json: there are more than 2 files')
    expect(await reasonOf(read(archive, { bytes: 2 * good.content.length }))).toBe(
      `ghsa-3.json: the files are larger than ${2 * good.content.length} bytes together`,
    )
    expect((await read(archive, { files: 3, bytes: 3 * good.content.length })).rows).toHaveLength(6)
  })

  test('without JSON files is rejected', async () => {
    expect(await reasonOf(read(zip([])))).toBe('the archive has no JSON files')
    expect(await reasonOf(read(zip([{ name: 'epss.csv', content: 'cve,epss\n' }])))).toBe(
      'the archive has no JSON files',
    )
  })

  test('is rejected with a name and a reason that can be stored', async () => {
    const name = `${'x'.repeat(100)}\0${'y'.repeat(200)}.json`
    expect(await reasonOf(read(zip([{ name, content: '\0' }])))).toMatch(/^x{100} y{99}: not valid JSON: [^\0]+$/)
  })
})

describe('a folder of advisories', () => {
  test('gives those of its JSON files and of the folders below it, and names a wrong one', async () => {
    const place = join(folder, 'osv')
    await mkdir(join(place, 'npm'), { recursive: true })
    await writeFile(join(place, 'GHSA-1.json'), advisory('GHSA-1', 'CVE-2026-0001'))
    await writeFile(join(place, 'README.md'), 'no advisory')
    await writeFile(join(place, '.partial.json'), '{')
    await writeFile(join(place, 'npm', 'GHSA-2.json'), advisory('GHSA-2', 'CVE-2026-0002'))
    await symlink(join(place, 'README.md'), join(place, 'link.json'))
    const { kind, rows } = await readPath(place)
    expect(kind).toBe('osv')
    expect(rows).toHaveLength(4)
    expect(rows).toEqual(
      expect.arrayContaining([...pairs('GHSA-1', 'CVE-2026-0001'), ...pairs('GHSA-2', 'CVE-2026-0002')]),
    )
    expect(await reasonOf(readPath(place, { bytesPerFile: 20 }))).toContain('the file is larger than 20 bytes')
    await writeFile(join(place, 'npm', 'GHSA-3.json'), '[]')
    expect(await reasonOf(readPath(place))).toBe(
      `${join('npm', 'GHSA-3.json')}: expected an advisory of OSV with an id`,
    )
  })

  test('without JSON files is rejected', async () => {
    const place = join(folder, 'empty')
    await mkdir(place)
    expect(await reasonOf(readPath(place))).toBe('the folder has no JSON files')
  })
})
