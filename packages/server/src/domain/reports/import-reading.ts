import type { Db } from '../../db/db.ts'
import type { ReportProblem } from '../../platform/failure.ts'
import { type ImportedFinding, importedFrom } from './imported-finding.ts'
import { type Outcome, type ReadOptions, readReport } from './read-report.ts'
import { readOnThread } from './reading-thread.ts'
import type { ReportHeader } from './report-format.ts'
import type { OpenBytes } from './source.ts'

/** A report that is being taken in. */
export interface ImportReading {
  header: ReportHeader
  /** As those of `Reading`. */
  batches: () => AsyncGenerator<ImportedFinding[]>
  /** Complete when the batches have ended. */
  outcome: () => Outcome
  /** To be called when nobody reads on. */
  close: () => void
}

/** Nobody notices the time that these take; to start a thread takes as long. */
const mostBytesHere = 256 * 1024

/** Begins to read a report, a large one on another thread; or says why it cannot be read at all. */
export async function openReading(
  { dialect }: Pick<Db, 'dialect'>,
  open: OpenBytes,
  fileBytes: number,
  options: ReadOptions,
): Promise<{ reading: ImportReading } | { problems: ReportProblem[] }> {
  if (fileBytes > mostBytesHere) return readOnThread(dialect.engine, open, options)
  const read = await readReport(open, options)
  if ('problems' in read) return read
  const { header, batches, outcome } = read.reading
  async function* imported() {
    for await (const batch of batches()) yield batch.map((finding) => importedFrom(finding, dialect))
  }
  return { reading: { header, batches: imported, outcome, close: () => {} } }
}
