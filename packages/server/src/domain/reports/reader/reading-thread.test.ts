import { createReadStream, readdirSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { fixture } from '../../../testing/reading.ts'
import { type ImportedFinding, isFinding } from '../comparison/imported-finding.ts'
import { packContents } from '../comparison/stored-contents.ts'
import { openReading } from './import-reading.ts'
import type { ReadOptions } from './read-report.ts'
import type { ImportReading, ImportReadOptions } from './reading.ts'
import { closeReading } from './reading-thread.ts'
import type { OpenBytes } from './source.ts'

afterAll(closeReading)

const [small, large] = [1, 1024 * 1024]

async function readingOf(
  open: OpenBytes,
  fileBytes: number,
  options: Partial<ImportReadOptions> = {},
): Promise<ImportReading> {
  const read = await openReading(open, fileBytes, { projectId: 42, ...options })
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.reading
}

async function allOf(open: OpenBytes, fileBytes: number, options?: Partial<ReadOptions>) {
  const { header, batches, outcome, close } = await readingOf(open, fileBytes, options)
  const findings: ImportedFinding[] = []
  for await (const batch of batches()) findings.push(...batch.filter(isFinding))
  close()
  return { header, findings, outcome: outcome() }
}

const textOf = (text: string): OpenBytes =>
  async function* () {
    // In odd pieces, some of them parts of one buffer.
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
  }

const formats = ['cyclonedx', 'gitlab', 'gitleaks', 'grype', 'sarif', 'semgrep', 'trivy']
const fixtures = formats.flatMap((format) => {
  const folder = new URL(`../formats/${format}/fixtures/`, import.meta.url)
  return readdirSync(folder).map((name) => ({ name: `${format}/${name}`, file: new URL(name, folder) }))
})

test.each(fixtures)('$name gives the same result on both threads', async ({ file }) => {
  const open = () => createReadStream(file)
  const here = await openReading(open, small, { projectId: 42 })
  if ('problems' in here) return expect(await openReading(open, large, { projectId: 42 })).toEqual(here)
  expect(await allOf(open, large)).toEqual(await allOf(open, small))
})

test('a compressed report of many findings gives the same result on both threads', async () => {
  const report = fixture('sast-15')
  const [first] = report.vulnerabilities
  report.vulnerabilities = Array.from({ length: 3000 }, (_, line) => ({
    ...first,
    tracking: undefined,
    location: { file: 'a.ts', start_line: line, end_line: line },
  }))
  const packed = gzipSync(JSON.stringify(report))
  const open = async function* () {
    yield packed
  }
  const [here, there] = [await allOf(open, small), await allOf(open, large)]
  expect(there.findings).toHaveLength(3000)
  expect(there).toEqual(here)
})

test('the stored contents are transferred to the thread, not copied', async () => {
  const contents = packContents([{ uuid: '4961388b-9d8e-5da0-a499-3ef5da58daf0', digest: 'a'.repeat(40) }])
  const { batches, close } = await readingOf(textOf(JSON.stringify(fixture('sast-15'))), large, {
    stored: Promise.resolve(contents),
  })
  for await (const _ of batches());
  close()
  expect(contents.length).toBe(0)
})

test('the rows of findings that are stored unchanged are left out', async () => {
  const report = fixture('sast-15')
  const [first] = report.vulnerabilities
  const entries = [1, 2, 3].map((line) => ({
    ...first,
    tracking: undefined,
    location: { file: 'a.ts', start_line: line, end_line: line },
  }))
  const textWith = (vulnerabilities: object[]) => textOf(JSON.stringify({ ...report, vulnerabilities }))
  const { findings: before } = await allOf(textWith(entries), large)
  const stored = Promise.resolve(packContents(before))

  const changed = entries.map((entry, index) => (index === 1 ? { ...entry, description: 'Another text.' } : entry))
  const read = await readingOf(textWith(changed), large, { stored })
  const findings: ImportedFinding[] = []
  for await (const batch of read.batches()) findings.push(...batch.filter(isFinding))
  expect(findings.map(({ uuid }) => uuid)).toEqual(before.map(({ uuid }) => uuid))
  expect(findings.map(({ row }) => row !== undefined)).toEqual([false, true, false])
  expect(findings[1]?.row).toContain('Another text.')
})

test('questions of a report about its project are answered across threads', async () => {
  const report = fixture('container-14')
  const asked: string[] = []
  const isImageKnown = async (image: string) => asked.push(image) > 0
  const read = await allOf(textOf(JSON.stringify(report)), large, { isImageKnown })
  expect(asked.length).toBeGreaterThan(0)
  const atHome = await allOf(textOf(JSON.stringify(report)), small, { isImageKnown })
  expect(read).toEqual(atHome)
})

test('rejections are the same: at once, strict, and in the middle', async () => {
  const refused = await openReading(textOf('{"version": "1.2"}'), large, { projectId: 42 })
  expect(refused).toEqual({ problems: [expect.objectContaining({ type: expect.any(String) })] })
  const wrong = { ...fixture('sast-15'), scan: 'none' }
  const strict = await openReading(textOf(JSON.stringify(wrong)), large, { projectId: 42, strict: true })
  expect('problems' in strict).toBe(true)

  const broken = JSON.stringify(fixture('sast-15')).replace(/"severity"(?!.*"severity")/, 'severity')
  await expect(allOf(textOf(broken), large)).rejects.toThrow('The file is not valid JSON; line 1')
})

test('errors of the store or the project reject with the original error, and the next report is read', async () => {
  const failure = Object.assign(new Error('the store is gone'), { why: () => 'cannot be sent' })
  const open = async function* () {
    yield Buffer.from('{"version": "15.2.1", ')
    throw failure
  }
  await expect(readingOf(open, large)).rejects.toBe(failure)
  const never = async () => {
    throw failure
  }
  await expect(readingOf(never, large)).rejects.toBe(failure)
  const isImageKnown = () => Promise.reject(failure)
  await expect(allOf(textOf(JSON.stringify(fixture('container-14'))), large, { isImageKnown })).rejects.toBe(failure)
  const { findings } = await allOf(textOf(JSON.stringify(fixture('sast-15'))), large)
  expect(findings.length).toBeGreaterThan(0)
})

test('a report that is not read to the end releases its thread', async () => {
  const head = JSON.stringify(fixture('sast-15')).slice(0, -1)
  // No end in sight.
  const open = async function* () {
    yield Buffer.from(head)
    yield Buffer.from(`${' '.repeat(64 * 1024)}}`)
  }
  for (let times = 0; times < 5; times++) {
    const { batches, close } = await readingOf(open, large)
    if (times % 2 === 0) close()
    else await batches().return([])
  }
  const { findings } = await allOf(textOf(`${head}}`), large)
  expect(findings.length).toBeGreaterThan(0)
})
