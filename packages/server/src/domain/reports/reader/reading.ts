import type { ImportedFinding } from '../comparison/imported-finding.ts'
import type { ReportHeader } from '../formats/report-format.ts'
import type { Outcome } from './read-report.ts'

/** A report that is being imported. */
export interface ImportReading {
  header: ReportHeader
  /** The findings of the report in batches; see `Reading`. */
  batches: () => AsyncGenerator<ImportedFinding[]>
  /** Complete when the batches have ended. */
  outcome: () => Outcome
  /** Must be called when the batches are not read to their end. */
  close: () => void
}
