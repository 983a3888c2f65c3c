import type { Db } from '../../../db/db.ts'
import type { ReportProblem } from '../../../platform/failure.ts'
import { importedFrom } from '../comparison/imported-finding.ts'
import { type ReadOptions, readReport } from './read-report.ts'
import type { ImportReading } from './reading.ts'
import { readOnThread } from './reading-thread.ts'
import { isGzip, type OpenBytes } from './source.ts'

/**
 * Maximum file size that is read on the main thread. A thread takes a few milliseconds longer for an ordinary report
 * of this size; the worst report of this size takes 50 ms of CPU.
 */
export const maxInlineBytes = 8 * 1024

/** Maximum file size of a report that never waits for larger ones. */
const maxSmallBytes = 256 * 1024

/**
 * Starts reading a report, or returns the problems if it is unreadable. Only tiny reports are read on the main thread.
 * Compressed ones count as large, because a few bytes may expand to megabytes.
 */
export async function openReading(
  { dialect }: Pick<Db, 'dialect'>,
  open: OpenBytes,
  fileBytes: number,
  options: ReadOptions,
): Promise<{ reading: ImportReading } | { problems: ReportProblem[] }> {
  if (fileBytes > maxSmallBytes || (await isGzip(open))) return readOnThread(dialect.engine, open, options, 'large')
  if (fileBytes > maxInlineBytes) return readOnThread(dialect.engine, open, options, 'small')
  const read = await readReport(open, options)
  if ('problems' in read) return read
  const { header, batches, outcome } = read.reading
  async function* imported() {
    for await (const batch of batches()) yield batch.map((finding) => importedFrom(finding, dialect))
  }
  return { reading: { header, batches: imported, outcome, close: () => {} } }
}
