import type { ReportProblem } from '../../../../platform/failure.ts'
import { type ReportType, reportTypes } from '../../../vulnerabilities/scales.ts'
import { printWords } from '../checks.ts'
import { objectOf } from '../json-fields.ts'
import type { JsonObject } from '../report.ts'
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
 * of its first vulnerability. Undefined when nobody says; a problem when two of them contradict each other.
 */
export function findReportType(
  root: JsonObject,
  firstVulnerability: unknown,
  sent: ReportType | undefined,
): { reportType: ReportType | undefined; isGuessed: boolean } | { problem: ReportProblem } {
  const scanned = knownType(objectOf(root.scan)?.type)
  const told = (reportType: ReportType | undefined) => ({ reportType, isGuessed: false })
  if (!scanned && sent) return told(sent)
  if (!scanned) return { reportType: knownType(objectOf(firstVulnerability)?.category), isGuessed: true }
  if (!sent || sent === scanned) return told(scanned)
  // A registry scan is a container scan of another origin, so either name may stand for it.
  if (new Set([sent, scanned, 'container_scanning', registry]).size === 2) return told(registry)
  const message = `The report was sent as ${sent}, but its scan.type says ${scanned}. Send it as ${scanned}.`
  return { problem: { type: 'Schema', message, pointer: '/scan/type' } }
}

export function missingReportType(root: JsonObject): ReportProblem {
  const known = printWords(scanTypesOf(majorOf(String(root.version)), undefined))
  return {
    type: 'Schema',
    message: `It cannot be known what kind of report this is: it has no scan.type, and its first vulnerability has no known category. Send report_type, one of: ${known}`,
    pointer: '',
  }
}

/** Its scan says what it is, in a word that nobody knows. */
export function isUnknownType(root: JsonObject): boolean {
  const type = objectOf(root.scan)?.type
  return type !== undefined && knownType(type) === undefined
}

/** Whether an entry of 14.x says which type it is of. */
export const isOfKnownType = ({ category }: JsonObject): boolean => knownType(category) !== undefined

const knownType = (word: unknown): ReportType | undefined => reportTypes.find((type) => type === word)
