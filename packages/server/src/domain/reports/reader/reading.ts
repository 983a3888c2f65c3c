import type { ReportedDependency } from '../../dependencies/dependency.ts'
import type { ImportedEntry } from '../comparison/imported-finding.ts'
import type { StoredContents } from '../comparison/stored-contents.ts'
import type { ReportHeader } from '../formats/report-format.ts'
import type { PackedEntries } from './cached-entries.ts'
import type { Outcome } from './read-entries.ts'
import type { ReadOptions } from './read-report.ts'

export interface ImportReadOptions extends ReadOptions {
  /**
   * Findings that are stored already. The rows of those that have not changed are left out. A promise, so that they load
   * while the structure of the report is read.
   */
  stored?: Promise<StoredContents | undefined> | undefined
  /**
   * Returns the cached entries of an earlier report with this `entryContext`. The result then has `UnchangedFinding`s, and
   * the cached entries of this report. Absent: no entry is cached.
   */
  findCachedEntries?: ((context: string) => PackedEntries | undefined) | undefined
}

/** A report that is being imported. */
export interface ImportReading {
  header: ReportHeader
  /** Source of the dependencies that the report lists; undefined if it does not list any. */
  inventorySource: string | undefined
  /** See `Reading.entryContext`. Absent when no entry is cached. */
  entryContext: string | undefined
  /** Yields them in batches. May be read before `batches`. */
  dependencies: () => AsyncGenerator<readonly ReportedDependency[]>
  /** Yields the findings in batches; see `Reading`. */
  batches: () => AsyncGenerator<ImportedEntry[]>
  /** Complete after the last batch. */
  outcome: () => Outcome
  /** Entries of this report that can be cached. Complete after the last batch. */
  cachedEntries: () => PackedEntries | undefined
  /** Must be called when the batches are not read to the end. */
  close: () => void
}
