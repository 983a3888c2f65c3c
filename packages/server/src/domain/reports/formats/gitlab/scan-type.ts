import type { ReportProblem } from '../../../../platform/failure.ts'
import { type ReportType, reportTypes } from '../../../findings/scales.ts'
import { objectOf } from '../fields/json-fields.ts'
import { printWords } from '../problems/checks.ts'
import type { JsonObject } from '../report.ts'
import { type Major, majorOf } from './versions.ts'

/** Returns the permitted values of `scan.type` for a report type, or all values without one. */
export function scanTypesOf(major: Major, reportType: ReportType | undefined): ReportType[] {
  if (reportType === undefined) return reportTypes.filter((type) => major === 15 || type !== registry)
  if (reportType === 'dast' || reportType === 'api_fuzzing') return ['dast', 'api_fuzzing']
  if (reportType !== 'container_scanning' && reportType !== registry) return [reportType]
  return major === 15 ? ['container_scanning', registry] : ['container_scanning']
}

const registry = 'container_scanning_for_registry'

/**
 * Determines the report type: the type that the sender declared, else `scan.type`, else (14.x without a scan) the
 * category of the first vulnerability. Returns undefined if none is given, and a problem if two contradict each other.
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
  // A registry scan is a container scan of a different origin, so both names are compatible.
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

/** Returns true if `scan.type` is present and unknown. */
export function isUnknownType(root: JsonObject): boolean {
  const type = objectOf(root.scan)?.type
  return type !== undefined && knownType(type) === undefined
}

/** Returns true if the category of a 14.x entry is a known report type. */
export const isOfKnownType = ({ category }: JsonObject): boolean => knownType(category) !== undefined

const knownType = (word: unknown): ReportType | undefined => reportTypes.find((type) => type === word)
