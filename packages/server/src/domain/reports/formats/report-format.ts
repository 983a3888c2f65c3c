import type { ReportProblem } from '../../../platform/failure.ts'
import type { ReportType } from '../../findings/scales.ts'
import type { DocumentContext, Item } from '../reader/document.ts'
import type { ItemPath } from '../reader/item-paths.ts'
import type { ScoreVector } from './fields/cvss-score.ts'
import type { GapScope, Gaps } from './gaps.ts'
import type { Inventory } from './inventory.ts'
import type { Tally } from './problems/tally.ts'
import type { JsonObject, Report, ReportFinding, SkippedFinding } from './report.ts'

/** A report format. The report is never held in memory as a whole; its entries are read one at a time. */
export interface ReportFormat {
  name: string
  /** Returns true if the root is of this format. Its containers are empty, and a list has its first element only. */
  recognises: (root: unknown) => boolean
  /** Paths of the entries. */
  items: readonly ItemPath[]
  /** Paths of entries that are read before those of `items`, by `OpenedReport.inventory`. */
  parts?: readonly ItemPath[]
  /** Paths of lists that are not read at all, because they may be long. */
  omits?: readonly ItemPath[]
  /** Returns the header and the readers of entries, or the problems for which the whole report is rejected. */
  open: (context: DocumentContext, options: OpenOptions) => OpenedReport | { problems: ReportProblem[] }
}

export interface OpenOptions {
  /** Project of the import; the uuids of findings depend on it. */
  projectId: number
  /** Report type that the sender declares. The report must not contradict it. */
  reportType?: ReportType | undefined
  /** Whether the sender declares the scan as partial; absent: the report must state it. */
  isPartial?: boolean | undefined
  /** Whether suppressed entries are findings; otherwise they are skipped. */
  readsSuppressed?: boolean | undefined
  tally: Tally
  /**
   * Collects the parts of the scan that the report does not cover; the format adds those it knows before reading
   * entries.
   */
  gaps: Gaps
  scoreOf: ScoreVector
  isImageKnown?: IsImageKnown | undefined
}

/** Returns true if the project has container findings in an image with this prefix. Absent for the default branch. */
export type IsImageKnown = (start: string) => Promise<boolean>

export interface OpenedReport {
  header: ReportHeader
  /** Violations of the format outside the entries; the entries are read nevertheless. */
  problems: ReportProblem[]
  warnings: ReportProblem[]
  /** Scope of the findings that an unreadable entry may contain. Default: all findings that the report covers. */
  scopesOf?: (item: Item) => readonly GapScope[]
  /**
   * True if the report may contain findings of several scanners; duplicates are then known only after the last entry.
   */
  mixesScanners: boolean
  /**
   * Returns the scanned artifact without its version, after all entries are read. Absent: the format does not state it.
   */
  artifact?: () => string | undefined
  /** Number of scanned files. Null: the report does not state it. Absent: the format never does. */
  scannedFiles?: number | null | undefined
  /** Reads the dependencies that the report lists. Absent: it lists none. */
  inventory?: Inventory | undefined
  /** Returns the violations of the format in one entry. */
  check: (value: unknown, item: Item) => ReportProblem[]
  /**
   * Everything in the report and the options that `check` and `read` of an entry depend on, except the entry and the project.
   * Each entry results in at most one finding. Absent: entries of this report cannot be cached.
   */
  entryContext?: string | undefined
  /** Queries the project for data that reading the entry needs. */
  prepare?: (entry: JsonObject) => Promise<void>
  /** Reads an entry, usually into one finding or one reason to skip it. Yields lazily if there are many. */
  read: (entry: JsonObject, item: Item) => Iterable<ReportFinding | SkippedFinding>
}

/** Fields of a report that are known before its entries are read. */
export type ReportHeader = Pick<
  Report,
  'format' | 'version' | 'reportType' | 'reportTypes' | 'scanner' | 'scanners' | 'analyzer' | 'scan'
>
