import type { ImportedFinding } from '../comparison/imported-finding.ts'
import type { ReportHeader } from '../formats/report-format.ts'
import type { Outcome } from './read-report.ts'

/** A report that is being imported. */
export interface ImportReading {
  header: ReportHeader
  /** Yields the findings in batches; see `Reading`. */
  batches: () => AsyncGenerator<ImportedFinding[]>
  /** Complete after the last batch. */
  outcome: () => Outcome
  /** Must be called when the batches are not read to the end. */
  close: () => void
}
