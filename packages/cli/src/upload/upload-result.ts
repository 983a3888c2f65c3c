import type { CiRun } from '../ci/ci-run.ts'
import type { Comparison } from '../gate/comparison.ts'
import type { Rule, Violation } from '../gate/policy.ts'
import type { FindingLists } from './listed-findings.ts'
import type { RejectedReport, SentReport } from './upload-reports.ts'

/** Everything that an upload has found out. Each output format shows it in its own way. */
export interface UploadResult {
  /** Address of the server. */
  url: string
  project: string
  isProjectCreated: boolean
  ref: string
  commit: string | undefined
  ci: CiRun | undefined
  isDryRun: boolean
  reports: readonly SentReport[]
  rejected: readonly RejectedReport[]
  comparison: Comparison
  lists: FindingLists
  gate: Gate | undefined
}

/** Outcome of the gate. It passed when there are no violations. */
export interface Gate {
  policy: readonly Rule[]
  violations: readonly Violation[]
}
