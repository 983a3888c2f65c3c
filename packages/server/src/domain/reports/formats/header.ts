import type { ReportProblem } from '../../../platform/failure.ts'
import type { ReportType } from '../../findings/scales.ts'
import { textOf } from './fields/json-fields.ts'
import { shorten } from './fields/shorten.ts'
import type { Scan, Scanner } from './report.ts'
import type { ReportHeader } from './report-format.ts'

/** Builds a scanner and shortens its fields to the length that the database index permits. */
export const scannerOf = (externalId: string, name: string, vendor: string, version: unknown): Scanner => ({
  externalId: shorten(externalId, 255),
  name: shorten(name, 255),
  vendor: shorten(vendor, 255),
  version: textOf(version) && shorten(String(version), 255),
})

/** Builds the scan of a format that contains only the time of the scan. */
export function plainScan(endTime?: unknown): Scan {
  return {
    status: 'success',
    startTime: undefined,
    endTime: momentOf(endTime),
    messages: [],
    primaryIdentifiers: undefined,
  }
}

/** Builds the header of a report by one tool and of one type, without an analyzer. */
export function toolHeader({
  scanner,
  ...said
}: Pick<ReportHeader, 'format' | 'version' | 'reportType' | 'scan'> & { scanner: Scanner }): ReportHeader {
  return { ...said, reportTypes: [said.reportType], scanner, scanners: [scanner], analyzer: undefined }
}

/** Returns a time as ISO 8601 in UTC, or undefined if it is invalid. */
function momentOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)) return undefined
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** Returns the report type that the sender declared, or a problem if the format cannot have that type. */
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
