import type { ReportedDependency } from '../../dependencies/dependency.ts'
import type { ImportedFinding } from '../comparison/imported-finding.ts'
import type { StoredContents } from '../comparison/stored-contents.ts'
import type { ReportHeader } from '../formats/report-format.ts'
import type { Outcome, ReadOptions } from './read-report.ts'

export interface ImportReadOptions extends ReadOptions {
  /**
   * Findings that are stored already. The rows of those that have not changed are left out. A promise, so that they load
   * while the structure of the report is read.
   */
  stored?: Promise<StoredContents | undefined> | undefined
}

/** A report that is being imported. */
export interface ImportReading {
  header: ReportHeader
  /** Source of the dependencies that the report lists; undefined if it does not list any. */
  inventorySource: string | undefined
  /** Yields them in batches. May be read before `batches`. */
  dependencies: () => AsyncGenerator<readonly ReportedDependency[]>
  /** Yields the findings in batches; see `Reading`. */
  batches: () => AsyncGenerator<ImportedFinding[]>
  /** Complete after the last batch. */
  outcome: () => Outcome
  /** Must be called when the batches are not read to the end. */
  close: () => void
}
