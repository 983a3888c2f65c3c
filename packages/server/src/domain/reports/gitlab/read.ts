import type { ReportProblem } from '../../../platform/failure.ts'
import { inSlices } from '../../slices.ts'
import type { ReportType } from '../../vulnerabilities/scales.ts'
import type { ReportJson } from '../json.ts'
import { listOf, objectOf, objectsOf, textOf } from '../json-fields.ts'
import type { JsonObject, Report, ReportFinding, Scan, SkippedFinding } from '../report.ts'
import { startTally, type Tally } from '../tally.ts'
import { findProblems, printWords } from './checks.ts'
import { type ReportContext, readFinding } from './finding.ts'
import { startIdentifiers } from './identifiers.ts'
import { indexRemediations, startRawTexts } from './remediations.ts'
import { findReportType, missingReportType } from './scan-type.ts'
import { readAnalyzer, startScanners } from './scanners.ts'
import { reportCheck } from './schema.ts'
import { applicableVersion, majorOf, supportedVersions } from './versions.ts'

/** Reads a GitLab security report; every finding of the file is in it, repeated ones too. */
export async function readGitlabReport(
  json: ReportJson,
  options: { projectId: number; reportType?: ReportType },
): Promise<{ report: Report } | { problems: ReportProblem[] }> {
  const root = objectOf(json.value)
  if (!root) return { problems: findProblems(reportCheck(15, undefined), json.value) }

  const found = findReportType(root, options.reportType)
  const declared = typeof root.version === 'string' ? root.version : undefined
  const applied = declared === undefined ? undefined : applicableVersion(declared)
  if (declared !== undefined && !applied) {
    return {
      problems: [
        unsupportedVersion(declared, options.reportType ?? ('problem' in found ? undefined : found.reportType)),
      ],
    }
  }
  if ('problem' in found) return { problems: [found.problem] }
  const { reportType } = found

  // A version that is missing or no text fails by the newest rules.
  const problems = findProblems(reportCheck(applied ? majorOf(applied) : 15, reportType), root)
  if (problems.length > 0) return { problems }
  if (!reportType) return { problems: [missingReportType(root)] }

  const warnings = [...json.warnings]
  if (applied && applied !== declared) warnings.push(unknownPatch(applied))
  return { report: await readValidReport(root, json, declared ?? '', reportType, options.projectId, warnings) }
}

function unsupportedVersion(declared: string, type: ReportType | undefined): ReportProblem {
  const version = declared.length > 100 ? `${declared.slice(0, 100)}…` : declared
  const supported = `supported versions for this report type are: ${printWords(supportedVersions)}`
  const message = `Version ${version}${type ? ` for report type ${type}` : ''} is unsupported, ${supported}`
  return { type: 'Schema', message, pointer: '/version' }
}

const unknownPatch = (applied: string): ReportProblem => ({
  type: 'Schema',
  message: `This report uses a supported MAJOR.MINOR version but the PATCH doesn't match any vendored schema version. Validation is done against version ${applied}`,
  pointer: '/version',
})

async function readValidReport(
  root: JsonObject,
  json: ReportJson,
  version: string,
  reportType: ReportType,
  projectId: number,
  warnings: ReportProblem[],
): Promise<Report> {
  const tally = startTally()
  const scan = objectOf(root.scan)
  const analyzer = readAnalyzer(scan?.analyzer)
  const scanners = startScanners(scan, majorOf(version))
  const identifiersOf = startIdentifiers((at) => tally.add('The address of an identifier is no web address', at))
  const context: ReportContext = {
    projectId,
    reportType,
    version,
    analyzerId: analyzer?.externalId,
    scannerOf: scanners.of,
    identifiersOf,
    remediationOf: indexRemediations(root),
    rawText: startRawTexts(),
    exactLocation: exactLocations(json.exactLines),
    tally,
  }

  const findings: ReportFinding[] = []
  const skipped: SkippedFinding[] = []
  const vulnerabilities = objectsOf(root.vulnerabilities)
  await inSlices([...vulnerabilities.entries()], async (slice) => {
    for (const [index, vulnerability] of slice) {
      const finding = readFinding(context, vulnerability, index)
      if (typeof finding === 'string') skipped.push({ pointer: `/vulnerabilities/${index}`, reason: finding })
      else findings.push(finding)
    }
  })

  return {
    format: 'gitlab',
    version,
    reportType,
    scanner: scanners.ofScan ?? findings[0]?.scanner,
    analyzer,
    scan: readScan(scan, identifiersOf, tally),
    findings,
    warnings: [...warnings, ...tally.warnings()],
    skipped,
    merged: [],
    counts: { read: vulnerabilities.length, skipped: skipped.length, merged: 0 },
  }
}

function readScan(scan: JsonObject | undefined, identifiersOf: ReportContext['identifiersOf'], tally: Tally): Scan {
  const time = (key: 'start_time' | 'end_time'): string | undefined => {
    const written = textOf(scan?.[key])
    const read = written && readSecond(written)
    if (written && !read) tally.add(`There is no such time as ${written}; it was left out`, `/scan/${key}`)
    return read
  }
  return {
    status: scan?.status === 'failure' ? 'failure' : 'success',
    startTime: time('start_time'),
    endTime: time('end_time'),
    messages: objectsOf(scan?.messages).map(({ level, value }) => ({ level: String(level), value: String(value) })),
    primaryIdentifiers: Array.isArray(scan?.primary_identifiers)
      ? identifiersOf(scan.primary_identifiers, '/scan/primary_identifiers')
      : undefined,
  }
}

/** The second in UTC, if the calendar has it. */
function readSecond(written: string): string | undefined {
  const time = new Date(`${written}Z`)
  if (Number.isNaN(time.getTime())) return undefined
  const iso = time.toISOString()
  return iso.startsWith(written) ? iso : undefined
}

function exactLocations(exactLines: unknown): ReportContext['exactLocation'] {
  const vulnerabilities = listOf(objectOf(exactLines)?.vulnerabilities)
  return (index, location) => {
    const exact = objectOf(objectOf(vulnerabilities[index])?.location)
    if (!exact) return location
    const written = ['start_line', 'end_line'].filter((key) => typeof exact[key] === 'string')
    return { ...location, ...Object.fromEntries(written.map((key) => [key, exact[key]])) }
  }
}
