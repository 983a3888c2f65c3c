import type { ReportProblem } from '../../../platform/failure.ts'
import { importedFrom } from '../comparison/imported-finding.ts'
import { isCached } from './read-entries.ts'
import { readReport } from './read-report.ts'
import type { ImportReading, ImportReadOptions } from './reading.ts'
import { readOnThread } from './reading-thread.ts'
import { copies, isGzip, type OpenBytes } from './source.ts'

/** Maximum file size that is read on the main thread. A thread takes a few milliseconds longer for such a report. */
export const maxInlineBytes = 8 * 1024
/** Maximum number of values in it, because each costs about 12 µs however short it is. An ordinary one has half as many. */
const maxInlineValues = 600

/** Maximum file size of a report that never waits for larger ones. */
const maxSmallBytes = 256 * 1024

/**
 * Starts reading a report, or returns the problems if it is unreadable. Only tiny reports are read on the main thread.
 * Compressed ones count as large, because a few bytes may expand to megabytes. A buffer of the file has to be valid only until
 * the next one is read.
 */
export async function openReading(
  open: OpenBytes,
  fileBytes: number,
  options: ImportReadOptions,
): Promise<{ reading: ImportReading } | { problems: ReportProblem[] }> {
  if (fileBytes > maxSmallBytes || (await isGzip(open))) return readOnThread(open, options, 'large')
  if (fileBytes > maxInlineBytes || (await countValues(open)) > maxInlineValues) {
    return readOnThread(open, options, 'small')
  }
  const read = await readReport(async () => copies(await open()), options)
  if ('problems' in read) return read
  const { header, inventory, batches, outcome } = read.reading
  async function* dependencies() {
    yield inventory?.dependencies ?? []
  }
  async function* imported() {
    for await (const batch of batches()) yield batch.flatMap((entry) => (isCached(entry) ? [] : importedFrom(entry)))
  }
  return {
    reading: {
      ...{ header, inventorySource: inventory?.source, entryContext: undefined },
      ...{ dependencies, batches: imported, outcome, cachedEntries: () => undefined, close: () => {} },
    },
  }
}

/** Counts the commas of a report, which is about the number of its values. Reads the whole file. */
export async function countValues(open: OpenBytes): Promise<number> {
  let commas = 0
  for await (const chunk of await open()) for (const byte of chunk) if (byte === comma) commas++
  return commas
}

const comma = ','.charCodeAt(0)
