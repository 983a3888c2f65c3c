import type { ReportProblem } from '../../../platform/failure.ts'
import type { ReportType } from '../../vulnerabilities/scales.ts'
import type { DocumentContext, Item } from '../reader/document.ts'
import type { ItemPath } from '../reader/item-paths.ts'
import type { ScoreVector } from './cvss-score.ts'
import type { GapScope, Gaps } from './gaps.ts'
import type { JsonObject, Report, ReportFinding, SkippedFinding } from './report.ts'
import type { Tally } from './tally.ts'

/** One way of writing a report. Nothing of a format is held whole: its entries pass by one at a time. */
export interface ReportFormat {
  name: string
  /** Whether a document is of this format, by its root: containers in it are left empty, a list has its first element. */
  recognises: (root: unknown) => boolean
  /** Where its entries lie. */
  items: readonly ItemPath[]
  /** Says what the report is, and how its entries are read; or why all of it is refused. */
  open: (context: DocumentContext, options: OpenOptions) => OpenedReport | { problems: ReportProblem[] }
}

export interface OpenOptions {
  /** The uuid of a finding depends on its project. */
  projectId: number
  /** What the sender says the report is; the report may say it too, but not otherwise. */
  reportType?: ReportType | undefined
  tally: Tally
  /** Takes what the report cannot speak for; the format adds what it knows before the entries are read. */
  gaps: Gaps
  scoreOf: ScoreVector
  isImageKnown?: IsImageKnown | undefined
}

/** Whether containers of the project were found in an image that begins so. Absent for the default branch. */
export type IsImageKnown = (start: string) => Promise<boolean>

export interface OpenedReport {
  header: ReportHeader
  /** Violations of the format beside its entries; none of them keeps the entries from being read. */
  problems: ReportProblem[]
  warnings: ReportProblem[]
  /** Findings that an entry could have been, had it been readable; default: all that the report speaks for. */
  scopesOf?: (item: Item) => readonly GapScope[]
  /** Whether findings of several scanners may be in it, so that which of two equal ones stays is known only at the end. */
  mixesScanners: boolean
  /** What was scanned, without its version; called when all entries are read. Absent: the format does not say. */
  artifact?: () => string | undefined
  /** Number of files that the scanner looked at. Absent: the report does not say. */
  scannedFiles?: number | undefined
  /** Violations of the format in one entry. */
  check: (value: unknown, item: Item) => ReportProblem[]
  /** Asks the project, before an entry is read, for what that takes. */
  prepare?: (entry: JsonObject) => Promise<void>
  /** What an entry becomes: usually one finding or one reason why there is none. Many are made one at a time. */
  read: (entry: JsonObject, item: Item) => Iterable<ReportFinding | SkippedFinding>
}

/** What is known of a report before its entries are read. */
export type ReportHeader = Pick<
  Report,
  'format' | 'version' | 'reportType' | 'reportTypes' | 'scanner' | 'scanners' | 'analyzer' | 'scan'
>
