import type { ReportProblem } from '../../../platform/failure.ts'
import type { FindingSummary } from '../../findings/finding.ts'
import type { MatchReason } from '../../findings/finding-key.ts'
import type { ReportType } from '../../findings/scales.ts'
import type { FileEffect } from '../../vulnerabilities/project-files/project-file.ts'
import type { SuppressionCounts } from '../../vulnerabilities/suppressions/apply-suppressions.ts'
import type { Mapping } from '../formats/generic/mapping.ts'
import type { MergedFinding, SkippedFinding } from '../formats/report.ts'

export const importStates = ['waiting', 'running', 'done', 'failed'] as const
export type ImportState = (typeof importStates)[number]

export const absenceStates = ['none', 'held', 'applied', 'discarded', 'superseded'] as const
export type AbsenceState = (typeof absenceStates)[number]

export interface IngestOptions {
  /** Absent: the report must state it. */
  reportType?: ReportType | undefined
  /** Absent: the project's default branch. */
  ref?: string | undefined
  /** Part of the ref that the report covers; absent: the whole ref. */
  category?: string | undefined
  commitSha?: string | undefined
  /** Pages of the CI job and of the commit, such as at a forge. */
  jobUrl?: string | undefined
  commitUrl?: string | undefined
  /** Ref that the ref is compared with in the response; absent: the default branch. */
  targetRef?: string | undefined
  /** Promotes findings that have no vulnerability; absent: the setting of the project applies. */
  promote?: boolean | undefined
  /** Rejects the report on any schema violation; otherwise invalid entries are skipped. */
  strict?: boolean | undefined
  /** Whether the scan was partial; absent: the report must state it. */
  isPartial?: boolean | undefined
  /** Names the fields of a generic report. */
  mapping?: Mapping | undefined
  /** Ids of the imports of earlier reports of the same run; this report must not cover their findings. */
  sameRun?: readonly number[] | undefined
  /** Whether the token of the request was issued to send reports; see `isIssuedToReport`. */
  isIssued?: boolean | undefined
  /** Whether the scope of the token permits triage. */
  hasTriageScope?: boolean | undefined
  /** Responds as soon as the report is stored, without waiting for the import. */
  isAsync?: boolean | undefined
}

/** The import of one report: sender, report, and effects. */
export interface Import {
  /** Absent after a dry run. */
  id: number | undefined
  projectId: number
  userId: number | null
  state: ImportState
  ref: string
  category: string | null
  commitSha: string | null
  targetRef: string | null
  /** Name of the access token that sent the report; null for a session and for a token of another issuer. */
  tokenName: string | null
  jobUrl: string | null
  commitUrl: string | null
  /** The next four fields are empty until the report has been read. */
  format: string
  version: string | null
  reportType: string
  scannerName: string | null
  fileSha256: string
  /** Key of the stored report, until it has been imported. */
  objectKey: string | null
  fileBytes: number
  readBytes: number
  counts: ImportCounts
  /** Whether absences of the report wait for a decision, and which one was made. */
  absences: AbsenceState
  /** Number of those absences. */
  heldCount: number
  /** Number of runs that ended because their process did. */
  interruptions: number
  outcome: ImportOutcome
  createdAt: string
  startedAt: string | null
  /** Time at which the findings became visible; some may still be waiting for promotion. */
  shownAt: string | null
  finishedAt: string | null
}

export interface ImportCounts {
  read: number
  merged: number
  skipped: number
  /** New to this project. */
  new: number
  /** Known to the project, and already present on this ref or observed there for the first time. */
  known: number
  /** Known, absent from this ref before, and present again. */
  returned: number
  /**
   * Present on this ref before and missing in this report. On the default branch, refs of its former names count too.
   */
  gone: number
  /** Known and returned findings whose content has changed. */
  changed: number
  /** Known and returned findings that were matched at another location. */
  moved: number
  promoted: number
}

export interface ImportOutcome {
  warnings: readonly ReportProblem[]
  skipped: readonly SkippedFinding[]
  merged: readonly MergedFinding[]
  samples: ImportSamples
  /** What became of the files of the repository that came with the report. */
  projectFiles?: readonly FileEffect[] | undefined
  /** Suppressions of the report, if it or an earlier one has any. */
  suppressions?: SuppressionCounts | undefined
  /** Number of files of the last complete scan, which may be this one, if its report states it. */
  scannedFiles?: number | undefined
  /** Reasons for the failure. */
  problems: readonly ReportProblem[]
}

/** Sample findings of each kind. */
export interface ImportSamples {
  new: readonly FindingSummary[]
  returned: readonly FindingSummary[]
  gone: readonly FindingSummary[]
  changed: readonly FindingSummary[]
  moved: readonly (FindingSummary & { reason: MatchReason })[]
}

export const noOutcome: ImportOutcome = {
  warnings: [],
  skipped: [],
  merged: [],
  samples: { new: [], returned: [], gone: [], changed: [], moved: [] },
  problems: [],
}
