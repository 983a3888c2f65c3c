import type { ReportProblem } from '../../../platform/failure.ts'
import type { ReportType } from '../../vulnerabilities/scales.ts'
import { textOf } from './json-fields.ts'
import type { Scan, Scanner } from './report.ts'
import type { ReportHeader } from './report-format.ts'
import { shorten } from './shorten.ts'

/** A scanner with the lengths that a database index takes. */
export const scannerOf = (externalId: string, name: string, vendor: string, version: unknown): Scanner => ({
  externalId: shorten(externalId, 255),
  name: shorten(name, 255),
  vendor: shorten(vendor, 255),
  version: textOf(version) && shorten(String(version), 255),
})

/** The scan of a format that tells nothing of it but that it ran. */
export function plainScan(endTime?: unknown): Scan {
  return {
    status: 'success',
    startTime: undefined,
    endTime: momentOf(endTime),
    messages: [],
    primaryIdentifiers: undefined,
  }
}

/** The header of what one tool found, of one type, without saying what it was analysed with. */
export function toolHeader({
  scanner,
  ...said
}: Pick<ReportHeader, 'format' | 'version' | 'reportType' | 'scan'> & { scanner: Scanner }): ReportHeader {
  return { ...said, reportTypes: [said.reportType], scanner, scanners: [scanner], analyzer: undefined }
}

/** A moment as ISO 8601 in UTC; undefined when it is none. */
function momentOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)) return undefined
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** The type that the sender chose, if the format can be that; else a problem. */
export function chooseType(
  format: string,
  sent: ReportType | undefined,
  fallback: ReportType,
  possible: readonly ReportType[],
): { reportType: ReportType } | { problems: ReportProblem[] } {
  if (sent === undefined) return { reportType: fallback }
  if (possible.includes(sent)) return { reportType: sent }
  const message = `The report was sent as ${sent}, but what ${format} writes can only be one of: ${possible.join(', ')}`
  return { problems: [{ type: 'Format', message, pointer: '' }] }
}
