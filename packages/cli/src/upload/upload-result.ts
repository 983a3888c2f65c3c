import type { CiRun } from '../ci/ci-run.ts'
import { counted } from '../counted.ts'
import type { Comparison } from '../gate/comparison.ts'
import { describeViolation, type Rule, type Violation } from '../gate/policy.ts'
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

/** Outcome of the gate. See `gateFailures`. */
interface Gate {
  policy: readonly Rule[]
  violations: readonly Violation[]
}

/** Returns the reports that were not imported, each with a reason. */
export function missingReports({ reports, rejected }: Pick<UploadResult, 'reports' | 'rejected'>): RejectedReport[] {
  const failed = reports.filter((report) => report.import.status === 'failed')
  const messageOf = ({ errors }: SentReport['import']) => errors.map(({ message }) => message).join(' ')
  return [...rejected, ...failed.map(({ file, import: done }) => ({ file, message: messageOf(done) }))]
}

/** Returns why the gate failed; nothing if it passed. It cannot pass while the findings of a report are missing. */
export function gateFailures(result: Pick<UploadResult, 'gate' | 'reports' | 'rejected'>): string[] {
  if (!result.gate) return []
  const missing = missingReports(result).length
  const incomplete = missing > 0 ? [`${counted(missing, 'report was', 'reports were')} not imported`] : []
  return [...incomplete, ...result.gate.violations.map(describeViolation)]
}

/** Says which findings are not listed; nothing if all are. */
export function incompleteness({ lists, comparison, isDryRun }: UploadResult): string | undefined {
  if (lists.isComplete) return undefined
  const listed = lists.new.length + lists.known.length + lists.fixed.length
  const total = comparison.new + comparison.known + comparison.fixed
  const reason = isDryRun ? 'a dry run returns samples' : 'the token may not read findings; give it the scope read_api'
  return `Only ${listed} of ${counted(total, 'finding is', 'findings are')} listed: ${reason}.`
}
