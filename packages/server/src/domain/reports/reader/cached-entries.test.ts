import { createReadStream, readdirSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { entries as collected, data } from '../../../testing/models/report-facts.ts'
import { fixture } from '../../../testing/reading.ts'
import { type ImportedEntry, isUnchanged } from '../comparison/imported-finding.ts'
import { packContents } from '../comparison/stored-contents.ts'
import { objectsOf } from '../formats/fields/json-fields.ts'
import { collectEntries, hashEntry, indexEntries, type PackedEntries } from './cached-entries.ts'
import { openReading } from './import-reading.ts'
import type { ImportReading, ImportReadOptions } from './reading.ts'
import { closeReading } from './reading-thread.ts'
import type { OpenBytes } from './source.ts'

afterAll(closeReading)

const onThread = 1024 * 1024

type Cached = { context: string | undefined; entries: PackedEntries | undefined }

interface Read extends Pick<ImportReading, 'header'> {
  findings: { uuid: string; digest: string }[]
  outcome: ReturnType<ImportReading['outcome']>
  cached: Cached
  /** Number of entries that were not read, because they were cached. */
  unread: number
}

/** Reads a report with the cache of an earlier one, all findings of which are stored. */
async function read(open: OpenBytes, before?: Read, options: Partial<ImportReadOptions> = {}): Promise<Read> {
  const opened = await openReading(open, onThread, {
    projectId: 42,
    stored: Promise.resolve(before && packContents(before.findings)),
    findCachedEntries: (context) => (context === before?.cached.context ? before.cached.entries : undefined),
    ...options,
  })
  if ('problems' in opened) throw new Error(JSON.stringify(opened.problems.slice(0, 3)))
  const { header, batches, outcome, entryContext, cachedEntries, close } = opened.reading
  const all: ImportedEntry[] = []
  for await (const batch of batches()) all.push(...batch)
  close()
  const findings = all.map(({ uuid, digest }) => ({ uuid, digest }))
  const cached: Cached = { context: entryContext, entries: cachedEntries() }
  return { header, findings, outcome: outcome(), cached, unread: all.filter(isUnchanged).length }
}

/** What must not depend on the cache. */
const withoutCache = ({ header, findings, outcome }: Read) => ({ header, findings, outcome })

const textOf = (report: object): OpenBytes =>
  async function* () {
    yield Buffer.from(JSON.stringify(report))
  }

const sast = { ...fixture('sast-15'), remediations: [] }
const [first] = sast.vulnerabilities
const [identifier] = objectsOf(first?.['identifiers'])
/** Entries without a tracking signature, one for each line. */
const entryAt = (line: number, changes: object = {}) => ({
  ...first,
  tracking: undefined,
  location: { file: 'a.ts', start_line: line, end_line: line },
  ...changes,
})
const reportOf = (vulnerabilities: unknown[], changes: object = {}) => textOf({ ...sast, vulnerabilities, ...changes })

test('packed entries are found by the hash of their bytes', () => {
  const collector = collectEntries()
  const entryOf = (number: number) => ({
    uuid: `58dc0f06-936c-53b3-93bb-${String(number).padStart(12, '0')}`,
    digest: String(number).padStart(40, 'a'),
    keys: Array.from({ length: number % 5 }, (_, key) => [0xffffffff - number, key] as const),
  })
  const hashOf = (number: number) => hashEntry(Buffer.from(`entry ${number}`))
  for (let number = 0; number < 3000; number++) collector.add(hashOf(number), entryOf(number))
  const find = indexEntries(collector.packed())
  for (let number = 0; number < 3000; number++) expect(find(hashOf(number))).toEqual(entryOf(number))
  for (let number = 3000; number < 4000; number++) expect(find(hashOf(number))).toBeUndefined()
  expect(indexEntries(collectEntries().packed())(hashOf(1))).toBeUndefined()
})

test('many hashes with the same beginning are found as fast as others', () => {
  const collector = collectEntries()
  const hashOf = (number: number) => `\0\0\0\0${hashEntry(Buffer.from(`entry ${number}`)).slice(4)}`
  const entry = { uuid: '58dc0f06-936c-53b3-93bb-000000000000', digest: 'a'.repeat(40), keys: [] }
  for (let number = 0; number < 100_000; number++) collector.add(hashOf(number), entry)
  // With a place for each beginning, it would take five billion comparisons.
  const find = indexEntries(collector.packed())
  for (let number = 0; number < 100_000; number++) expect(find(hashOf(number))).toBeDefined()
})

test('an entry with the same bytes is not read again, and the result is the same', async () => {
  const before = await read(reportOf([entryAt(1), entryAt(2), entryAt(3), entryAt(4)]))
  expect(before).toMatchObject({ unread: 0, outcome: { counts: { read: 4, merged: 0, skipped: 0 } } })
  const changed = reportOf([
    entryAt(4),
    entryAt(2, { description: 'Another text.' }),
    entryAt(5),
    entryAt(1),
    entryAt(4),
  ])
  const after = await read(changed, before)
  expect(after.unread).toBe(2)
  expect(after.outcome).toMatchObject({
    counts: { read: 5, merged: 1, skipped: 0 },
    merged: [{ pointer: '/vulnerabilities/4', into: '/vulnerabilities/0' }],
  })
  expect(withoutCache(after)).toEqual(withoutCache(await read(changed)))
  // The cache of the next report has all of its entries, whether they were read or not.
  expect((await read(changed, after)).unread).toBe(4)
})

test('an entry that was read duplicates one that was not, and the other way round', async () => {
  const before = await read(reportOf([entryAt(1), entryAt(2)]))
  const edited = (line: number) => entryAt(line, { description: 'Another text.' })
  const changed = reportOf([entryAt(1), edited(1), edited(2), entryAt(2)])
  const after = await read(changed, before)
  expect(after.outcome.merged.map(({ pointer, into }) => [pointer, into])).toEqual([
    ['/vulnerabilities/1', '/vulnerabilities/0'],
    ['/vulnerabilities/3', '/vulnerabilities/2'],
  ])
  expect(withoutCache(after)).toEqual(withoutCache(await read(changed)))
})

test('an entry whose content is no longer stored is read', async () => {
  const report = reportOf([entryAt(1), entryAt(2)])
  const before = await read(report)
  const replaced = before.findings.map((finding, index) => (index === 0 ? { ...finding, digest: 'other' } : finding))
  const after = await read(report, { ...before, findings: replaced })
  expect(after.unread).toBe(1)
  expect(withoutCache(after)).toEqual(withoutCache(before))
})

test('entries with warnings, violations or doubts are read every time', async () => {
  const report = reportOf([
    entryAt(1, { description: 'x'.repeat(20_000) }),
    entryAt(2, { identifiers: [{ ...identifier, url: 'javascript:alert(1)' }] }),
    entryAt(3, { description: 'a\u0000b' }),
    entryAt(4, { severity: 'Dreadful' }),
    entryAt(5, { identifiers: [] }),
    'no object',
    entryAt(6),
  ])
  const before = await read(report)
  const after = await read(report, before)
  expect(after.unread).toBe(1)
  expect(after.outcome.warnings.length).toBeGreaterThan(3)
  expect(withoutCache(after)).toEqual(withoutCache(before))
})

describe('nothing is cached for a report with', () => {
  const remediation = { summary: 'Update.', diff: 'ZGlmZg==', fixes: [{ id: 'none' }] }
  const dependencies = fixture('dependency-14')['dependency_files']
  test.each([
    ['remediations', textOf({ ...sast, remediations: [remediation] })],
    ['dependencies', textOf({ ...sast, dependency_files: dependencies })],
    ['scanners of its entries', textOf(fixture('dependency-14'))],
    ['images', textOf({ ...sast, scan: { ...sast.scan, type: 'container_scanning' } })],
  ] as const)('%s', async (_, report) => {
    expect((await read(report)).cached).toEqual({ context: undefined, entries: undefined })
  })
})

test('everything else that an entry depends on belongs to the context', async () => {
  const contextOf = async (changes: object, options?: Partial<ImportReadOptions>) =>
    (await read(textOf({ ...sast, vulnerabilities: [entryAt(1)], ...changes }), undefined, options)).cached.context
  const scan = { ...sast.scan }
  const contexts = await Promise.all([
    contextOf({}),
    contextOf({ version: '15.0.0' }),
    contextOf({ scan: { ...scan, scanner: { id: 'x', name: 'X', version: '2', vendor: { name: 'Y' } } } }),
    contextOf({ scan: { ...scan, analyzer: { id: 'x', name: 'X', version: '2', vendor: { name: 'Y' } } } }),
    contextOf({ scan: { ...scan, type: 'dast' } }),
    contextOf({ scan: { ...scan, type: undefined } }, { reportType: 'coverage_fuzzing' }),
    contextOf({ scan: { ...scan, type: undefined }, vulnerabilities: [entryAt(1, { category: 'sast' })] }),
    contextOf({}, { projectId: 43 }),
  ])
  expect(contexts).not.toContain(undefined)
  expect(new Set(contexts).size).toBe(contexts.length)
  expect(await contextOf({ scan: { ...scan, start_time: '2026-01-01T00:00:00' } })).toBe(contexts[0])
})

describe('a report is read again with the same result:', () => {
  const folder = new URL('../formats/gitlab/fixtures/', import.meta.url)
  const fixtures = readdirSync(folder).map((name) => ({ file: name, url: new URL(name, folder) }))
  const others = collected.map(({ file }) => ({ file, url: new URL(file, data) }))
  test.for([...fixtures, ...others])('$file', async ({ url }) => {
    const open = () => createReadStream(url)
    const readOrProblems = (before?: Read) => read(open, before).catch((error: Error) => error.message)
    const before = await readOrProblems()
    if (typeof before === 'string') return
    const after = await readOrProblems(before)
    if (typeof after === 'string') throw new Error(after)
    expect(withoutCache(after)).toEqual(withoutCache(before))
    if (before.cached.context === undefined) expect(after.unread).toBe(0)
  })
})

test('a report with too many entries is not cached', () => {
  const entryOf = (n: number) => ({
    uuid: `00000000-0000-5000-8000-${`${n}`.padStart(12, '0')}`,
    digest: `${n}`.padStart(40, '0'),
    keys: [[n, n]] as const,
  })
  const hashes = [1, 2, 3].map((n) => hashEntry(Buffer.from(`${n}`)))
  const packedOf = (count: number) => {
    const entries = collectEntries(130)
    for (const [index, hash] of hashes.slice(0, count).entries()) entries.add(hash, entryOf(index + 1))
    return entries.packed()
  }
  expect(hashes.map(indexEntries(packedOf(2)))).toEqual([entryOf(1), entryOf(2), undefined])
  expect(packedOf(3)).toHaveLength(0)
})
