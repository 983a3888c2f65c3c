import { Readable } from 'node:stream'
import { expect } from 'vitest'
import type { Report } from '../../domain/reports/formats/report.ts'
import { type ReadOptions, readWholeReport } from '../../domain/reports/reader/read-report.ts'

type Open = () => AsyncIterable<Uint8Array>

/** Returns a function that opens a document as a file. */
export const asFile =
  (document: object): Open =>
  () =>
    Readable.from([Buffer.from(JSON.stringify(document))])

/** Reads a report, and fails when it is rejected. */
export async function readAccepted(open: Open, options: Partial<ReadOptions> = {}): Promise<Report> {
  const result = await readWholeReport(open, { projectId: 42, ...options })
  return 'problems' in result ? expect.fail(JSON.stringify(result.problems)) : result.report
}

/** Returns the messages with which a report is rejected. */
export async function readRejected(open: Open, options: Partial<ReadOptions> = {}): Promise<string[]> {
  const result = await readWholeReport(open, { projectId: 42, ...options })
  return 'problems' in result ? result.problems.map(({ message }) => message) : expect.fail('the report was accepted')
}
