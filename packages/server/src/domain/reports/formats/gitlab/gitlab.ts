import type { ReportProblem } from '../../../../platform/failure.ts'
import type { ReportType } from '../../../findings/scales.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { startArtifacts } from '../identity/artifacts.ts'
import { findProblems, printWords } from '../problems/checks.ts'
import type { Tally } from '../problems/tally.ts'
import type { JsonObject, Scan } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { readDependencyFiles } from './dependency-files.ts'
import { type FindingContext, readFinding } from './finding.ts'
import { addGaps } from './gaps.ts'
import { startImages } from './images.ts'
import { indexRemediations, startRawTexts } from './remediations.ts'
import { findReportType, isOfKnownType, isUnknownType, missingReportType } from './scan-type.ts'
import { readAnalyzer, startScanners } from './scanners.ts'
import { reportCheck, vulnerabilityCheck } from './schema.ts'
import { applicableVersion, majorOf, supportedVersions } from './versions.ts'

const vulnerabilities = ['vulnerabilities', '*']

/** GitLab security reports, versions 14.x and 15.x, of all types. */
export const gitlab: ReportFormat = {
  name: 'gitlab',
  recognises: (root) => {
    const object = objectOf(root)
    return object !== undefined && ['vulnerabilities', 'scan', 'version'].some((key) => Object.hasOwn(object, key))
  },
  items: [vulnerabilities],
  parts: [['dependency_files', '*', 'dependencies', '*']],
  open,
}

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  const found = findReportType(root, context.firsts.get(vulnerabilities), options.reportType)
  const declared = typeof root.version === 'string' ? root.version : undefined
  const applied = declared === undefined ? undefined : applicableVersion(declared)
  if (declared !== undefined && !applied) {
    const type = options.reportType ?? ('problem' in found ? undefined : found.reportType)
    return { problems: [unsupportedVersion(declared, type)] }
  }
  if ('problem' in found) return { problems: [found.problem] }
  const { reportType } = found

  // Without a valid version, check against the rules of the newest one.
  const problems = findProblems(reportCheck(applied ? majorOf(applied) : 15, reportType), root)
  if (declared === undefined || !Array.isArray(root.vulnerabilities) || isUnknownType(root)) return { problems }
  if (!reportType) return { problems: problems.length > 0 ? problems : [missingReportType(root)] }

  const warnings = applied && applied !== declared ? [unknownPatch(applied)] : []
  const opened = openKnown(root, declared, reportType, options)
  return { ...(found.isGuessed ? ofOneCategory(opened, reportType) : opened), problems, warnings }
}

type Opened = Omit<OpenedReport, 'problems' | 'warnings'>

/** Requires the same category in all entries, if only the category of the first one determines the report type. */
function ofOneCategory(opened: Opened, reportType: ReportType): Opened {
  const differs = (value: unknown) => objectOf(value)?.category !== reportType
  const reason = `its category is not ${reportType}, like the first one's; send report_type to have all read as one`
  return {
    ...opened,
    entryContext: opened.entryContext && `${opened.entryContext} of one category`,
    check: (value, item) =>
      differs(value)
        ? [{ type: 'Schema', message: `property '${item.pointer}': ${reason}`, pointer: item.pointer }]
        : opened.check(value, item),
    read: (entry, item) =>
      differs(entry)
        ? [{ pointer: item.pointer, reason, ...(isOfKnownType(entry) && { isSettled: true }) }]
        : opened.read(entry, item),
  }
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

function openKnown(root: JsonObject, version: string, reportType: ReportType, options: OpenOptions): Opened {
  const { tally } = options
  const major = majorOf(version)
  const scan = objectOf(root.scan)
  addGaps(root.scan, options.gaps)
  const analyzer = readAnalyzer(scan?.analyzer)
  const scanners = startScanners(scan, major)
  const identifiersOf = startIdentifiers((at) => tally.add('The address of an identifier is no web address', at))
  const images = options.isImageKnown && isOfContainers(reportType) ? startImages(options.isImageKnown) : undefined
  const artifacts = isOfContainers(reportType) ? startArtifacts() : undefined
  const finding: FindingContext = {
    ...options,
    images,
    reportType,
    version,
    analyzerId: analyzer?.externalId,
    scannerOf: scanners.of,
    identifiersOf,
    remediationOf: indexRemediations(root),
    rawText: startRawTexts(),
  }
  const check = vulnerabilityCheck(major, reportType)
  const inventory = readDependencyFiles(root, options)
  const isIndependent = major !== 14 && !images && !artifacts && !inventory && objectsOf(root.remediations).length === 0
  return {
    ...(isIndependent && { entryContext: JSON.stringify([version, reportType, analyzer, scanners.ofScan]) }),
    header: {
      format: 'gitlab',
      version,
      reportType,
      reportTypes: [reportType],
      scanner: scanners.ofScan,
      scanners: scanners.ofScan ? [scanners.ofScan] : [],
      analyzer,
      scan: readScan(scan, identifiersOf, tally),
    },
    mixesScanners: major === 14,
    check: (value, { index }) => findProblems(check, value, ['vulnerabilities', index]),
    ...(images && { prepare: images.lookUp }),
    ...(artifacts && { artifact: artifacts.only }),
    inventory,
    read: (entry, { pointer, json }) => {
      artifacts?.add(objectOf(entry.location)?.image)
      return [readFinding(finding, entry, pointer, json?.exactLines)]
    },
  }
}

const isOfContainers = (reportType: ReportType): boolean =>
  reportType === 'container_scanning' || reportType === 'container_scanning_for_registry'

function readScan(scan: JsonObject | undefined, identifiersOf: IdentifierReader, tally: Tally): Scan {
  const time = (key: 'start_time' | 'end_time'): string | undefined => {
    const written = textOf(scan?.[key])
    const read = written && readSecond(written)
    if (written && !read) tally.add(`There is no such time as ${written.slice(0, 40)}; it was left out`, `/scan/${key}`)
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

/** Returns a time in UTC if it is valid. Accepts a zone and fractions, which the schema forbids and scanners write. */
function readSecond(written: string): string | undefined {
  const [, second, zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,9})?(Z|[-+]\d{2}:\d{2})?$/.exec(written) ?? []
  if (second === undefined) return undefined
  const local = new Date(`${second}Z`)
  const time = new Date(`${second}${zone}`)
  if (Number.isNaN(local.getTime()) || Number.isNaN(time.getTime())) return undefined
  return local.toISOString().startsWith(second) ? time.toISOString() : undefined
}
