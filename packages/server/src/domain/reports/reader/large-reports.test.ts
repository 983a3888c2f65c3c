import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Reading, readReport } from './read-report.ts'

// The reports are generated while they are read, so that a test may exceed the memory that a whole report would take.

const head = '{"version":"15.2.1","vulnerabilities":['
const scan =
  '"scan":{"analyzer":{"id":"a","name":"A","version":"1","vendor":{"name":"V"}},"scanner":{"id":"a","name":"A","version":"1","vendor":{"name":"V"}},"start_time":"2026-03-01T10:00:00","end_time":"2026-03-01T10:00:09","status":"success","type":"sast"}'

const entry = (index: number) =>
  `{"id":"${index}","name":"Finding ${index}","description":"${'Some words about it. '.repeat(20)}","severity":"High","location":{"file":"src/file-${index % 100}.ts","start_line":${index},"end_line":${index}},"identifiers":[{"type":"rule","name":"R","value":"r"}]}`

/** Generates a report whose scan, which the header needs, stands after the entries. */
async function* reportOf(findings: number, broken = -1): AsyncGenerator<Buffer> {
  yield Buffer.from(head)
  for (let index = 0; index < findings; index += 100) {
    const entries = Array.from({ length: Math.min(100, findings - index) }, (_, more) => entry(index + more))
    if (broken >= index && broken < index + 100) entries.push('{"id":}')
    yield Buffer.from(`${index === 0 ? '' : ','}${entries.join(',')}`)
  }
  yield Buffer.from(`],${scan}}`)
}

async function readingOf(open: () => AsyncIterable<Buffer>): Promise<Reading> {
  const read = await readReport(open, { projectId: 42 })
  if (!('reading' in read)) throw new Error(JSON.stringify(read.problems))
  return read.reading
}

test('30,000 findings are read in batches without blocking the event loop, with counts at the end', async () => {
  const turns = { count: 0, longestMs: 0, isOver: false }
  const others = (async () => {
    for (let last = performance.now(); !turns.isOver; last = performance.now()) {
      await setImmediate()
      turns.longestMs = Math.max(turns.longestMs, performance.now() - last)
      turns.count++
    }
  })()
  const { header, batches, outcome } = await readingOf(() => reportOf(30_000))
  expect(header).toMatchObject({ format: 'gitlab', reportType: 'sast', scanner: { externalId: 'a' } })
  let findings = 0
  for await (const batch of batches()) {
    expect(batch.length).toBeLessThanOrEqual(200)
    findings += batch.length
  }
  turns.isOver = true
  await others
  expect(findings).toBe(30_000)
  expect(outcome()).toEqual({
    counts: { read: 30_000, merged: 0, skipped: 0 },
    artifact: undefined,
    warnings: [],
    gaps: [],
    skipped: [],
    skippedSuppressed: 0,
    unsuppressed: [],
    scannedFiles: undefined,
    merged: [],
  })
  expect(turns.count).toBeGreaterThan(50)
  expect(turns.longestMs).toBeLessThan(500)
})

test('a syntax error in the middle is reported with its line, after the batches before it', async () => {
  const { batches } = await readingOf(() => reportOf(1000, 700))
  let findings = 0
  const reading = (async () => {
    for await (const batch of batches()) findings += batch.length
  })()
  await expect(reading).rejects.toThrow(
    /^The file is not valid JSON; line 1, column \d{6}: unexpected "\}", expected a value/,
  )
  expect(findings).toBeLessThanOrEqual(800)
})

test('stopping in the middle closes the file', async () => {
  let isClosed = false
  async function* watched() {
    try {
      yield* reportOf(1000)
    } finally {
      isClosed = true
    }
  }
  const { batches } = await readingOf(watched)
  isClosed = false
  for await (const _ of batches()) break
  expect(isClosed).toBe(true)
})
