import type { Db } from '../../../db/db.ts'
import type { ReportProblem } from '../../../platform/failure.ts'
import { importedFrom } from '../comparison/imported-finding.ts'
import { type ReadOptions, readReport } from './read-report.ts'
import type { ImportReading } from './reading.ts'
import { readOnThread } from './reading-thread.ts'
import { isGzip, type OpenBytes } from './source.ts'

/** Reading so many bytes takes as long as starting a thread. */
const maxInlineBytes = 256 * 1024

/**
 * Begins to read a report; returns the problems when it cannot be read at all. A large one is read on another thread, and
 * so is a compressed one: a few of its bytes can stand for megabytes.
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
