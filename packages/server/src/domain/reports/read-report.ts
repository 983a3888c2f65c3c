import { setImmediate } from 'node:timers/promises'
import type { ReportProblem } from '../../platform/failure.ts'
import type { ReportType } from '../vulnerabilities/scales.ts'
import { deduplicate } from './deduplicate.ts'
import { readGitlabReport } from './gitlab/read.ts'
import { parseReportJson } from './json.ts'
import type { Report } from './report.ts'
import { decodeText } from './text.ts'
import { Unreadable } from './unreadable.ts'

export interface ReadOptions {
  /** The uuid of a finding depends on its project. */
  projectId: number
  /** What the sender says the report is; the report may say it too, but not otherwise. */
  reportType?: ReportType
}

/**
 * Reads a scanner's report, or says everything that is wrong with it. Never stores half: one problem refuses it all.
 * A large one takes a while, so between the steps other requests have their turn.
 */
export async function readReport(
  bytes: Uint8Array,
  options: ReadOptions,
): Promise<{ report: Report } | { problems: ReportProblem[] }> {
  try {
    const text = decodeText(bytes)
    await setImmediate()
    const json = parseReportJson(text)
    await setImmediate()
    const read = await readGitlabReport(json, options)
    return 'report' in read ? { report: withoutRepeats(read.report) } : read
  } catch (error) {
    if (error instanceof Unreadable) return { problems: [error.problem] }
    throw error
  }
}

function withoutRepeats(report: Report): Report {
  const { kept, merged } = deduplicate(report.findings)
  return { ...report, findings: kept, merged, counts: { ...report.counts, merged: merged.length } }
}
