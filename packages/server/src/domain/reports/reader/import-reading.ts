import type { Db } from '../../../db/db.ts'
import type { ReportProblem } from '../../../platform/failure.ts'
import { importedFrom } from '../comparison/imported-finding.ts'
import { type ReadOptions, readReport } from './read-report.ts'
import type { ImportReading } from './reading.ts'
import { readOnThread } from './reading-thread.ts'
import { isGzip, type OpenBytes } from './source.ts'

/** File size below which reading takes less time than starting a thread. */
const maxInlineBytes = 256 * 1024

/**
 * Starts reading a report, or returns the problems if it is unreadable. Large reports are read on another thread; so
 * are compressed ones, because a few bytes may expand to megabytes.
 */
export async function openReading(
  { dialect }: Pick<Db, 'dialect'>,
  open: OpenBytes,
  fileBytes: number,
  options: ReadOptions,
): Promise<{ reading: ImportReading } | { problems: ReportProblem[] }> {
  if (fileBytes > maxInlineBytes || (await isGzip(open))) return readOnThread(dialect.engine, open, options)
  const read = await readReport(open, options)
  if ('problems' in read) return read
  const { header, batches, outcome } = read.reading
  async function* imported() {
    for await (const batch of batches()) yield batch.map((finding) => importedFrom(finding, dialect))
  }
  return { reading: { header, batches: imported, outcome, close: () => {} } }
}
