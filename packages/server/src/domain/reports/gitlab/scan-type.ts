import type { ReportProblem } from '../../../platform/failure.ts'
import { type ReportType, reportTypes } from '../../vulnerabilities/scales.ts'
import { objectOf, objectsOf } from '../json-fields.ts'
import type { JsonObject } from '../report.ts'
import { printWords } from './checks.ts'
import { type Major, majorOf } from './versions.ts'

/** The words `scan.type` may hold in a report of this type; without one, every word there is. */
export function scanTypesOf(major: Major, reportType: ReportType | undefined): ReportType[] {
  if (reportType === undefined) return reportTypes.filter((type) => major === 15 || type !== registry)
  if (reportType === 'dast' || reportType === 'api_fuzzing') return ['dast', 'api_fuzzing']
  if (reportType !== 'container_scanning' && reportType !== registry) return [reportType]
  return major === 15 ? ['container_scanning', registry] : ['container_scanning']
}

const registry = 'container_scanning_for_registry'

/**
 * What kind of report this is: what the sender said, else what the report says of its scan, else (14.x without a scan)
 * of its vulnerabilities. Undefined when nobody says; a problem when two of them contradict each other.
 */
export function findReportType(
  root: JsonObject,
  sent: ReportType | undefined,
): { reportType: ReportType | undefined } | { problem: ReportProblem } {
  const scanned = knownType(objectOf(root.scan)?.type)
  if (!scanned) return { reportType: sent ?? categoryOf(root) }
  if (!sent || sent === scanned) return { reportType: scanned }
  // A registry scan is a container scan of another origin, so either name may stand for it.
  if (new Set([sent, scanned, 'container_scanning', registry]).size === 2) return { reportType: registry }
  const message = `The report was sent as ${sent}, but its scan.type says ${scanned}. Send it as ${scanned}.`
  return { problem: { type: 'Schema', message, pointer: '/scan/type' } }
}

export function missingReportType(root: JsonObject): ReportProblem {
  const known = printWords(scanTypesOf(majorOf(String(root.version)), undefined))
  return {
    type: 'Schema',
    message: `It cannot be known what kind of report this is: it has no scan.type, and its vulnerabilities do not share one known category. Send report_type, one of: ${known}`,
    pointer: '',
  }
}

/** The one category that all vulnerabilities share. */
function categoryOf(root: JsonObject): ReportType | undefined {
  const categories = new Set(objectsOf(root.vulnerabilities).map(({ category }) => category))
  return categories.size === 1 ? knownType([...categories][0]) : undefined
}

const knownType = (word: unknown): ReportType | undefined => reportTypes.find((type) => type === word)
