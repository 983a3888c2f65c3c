import type { ReportProblem } from '../../../platform/failure.ts'
import type { ReportType, Severity } from '../../vulnerabilities/scales.ts'
import type { MatchReason } from '../comparison/finding-keys.ts'
import type { MergedFinding, SkippedFinding } from '../formats/report.ts'

export const importStates = ['waiting', 'running', 'done', 'failed'] as const
export type ImportState = (typeof importStates)[number]

export interface IngestOptions {
  /** Absent: the report must say. */
  reportType?: ReportType | undefined
  /** Absent: the project's default branch. */
  ref?: string | undefined
  /** The part of the ref that the report is about; absent: all of it. */
  category?: string | undefined
  commitSha?: string | undefined
  /** Makes vulnerabilities of what has none yet; absent: as the project is set. */
  promote?: boolean | undefined
  /** Refuses the report for any violation of its schema; otherwise what can be read is read. */
  strict?: boolean | undefined
  /** The scan looked at a part only, or at everything; absent: the report must say. */
  isPartial?: boolean | undefined
  /** Answers as soon as the report is kept. */
  isAsync?: boolean | undefined
}

/** One report that came in: who sent it, what it was, and what it changed. */
export interface Import {
  /** Absent after a rehearsal. */
  id: number | undefined
  projectId: number
  userId: number | null
  state: ImportState
  ref: string
  category: string | null
  commitSha: string | null
  /** These four are empty until the report is read. */
  format: string
  version: string | null
  reportType: string
  scannerName: string | null
  fileSha256: string
  /** The report itself, until it is taken in. */
  objectKey: string | null
  fileBytes: number
  readBytes: number
  counts: ImportCounts
  /** How many of its runs ended with their process. */
  interruptions: number
  outcome: ImportOutcome
  createdAt: string
  startedAt: string | null
  /** From then on the project has what it found, though some of it may still wait to be promoted. */
  shownAt: string | null
  finishedAt: string | null
}

export interface ImportCounts {
  read: number
  merged: number
  skipped: number
  /** Not known in this project before. */
  new: number
  /** Known, and still there on this ref or there for the first time. */
  known: number
  /** Known, and on this ref again after it had gone. */
  returned: number
  /** On this ref until now, and not in this report of the same scanner; on the default branch also under its former name. */
  gone: number
  /** Of the known and returned ones: those of which the report now says something else. */
  changed: number
  /** Of the known and returned ones: those that were recognised at another place. */
  moved: number
  promoted: number
}

export interface ImportOutcome {
  warnings: readonly ReportProblem[]
  skipped: readonly SkippedFinding[]
  merged: readonly MergedFinding[]
  samples: ImportSamples
  /** Number of files that the last complete scan looked at, this one or an earlier one, where its report says so. */
  scannedFiles?: number | undefined
  /** Why it failed. */
  problems: readonly ReportProblem[]
}

/** A finding as an import's answer shows it. */
export interface Sample {
  uuid: string
  name: string
  severity: Severity
  reportType: string
  location: object
}

/** Some of each kind, to look at. */
interface ImportSamples {
  new: readonly Sample[]
  returned: readonly Sample[]
  gone: readonly Sample[]
  changed: readonly Sample[]
  moved: readonly (Sample & { reason: MatchReason })[]
}

export const noOutcome: ImportOutcome = {
  warnings: [],
  skipped: [],
  merged: [],
  samples: { new: [], returned: [], gone: [], changed: [], moved: [] },
  problems: [],
}
