import type { ReportProblem } from '../../../../platform/failure.ts'
import type { Confidence, ReportType, Severity } from '../../../findings/scales.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { gradeOn, objectOf, objectsOf, textOf, textsOf } from '../fields/json-fields.ts'
import { linesOf, unknownCommit } from '../fields/line-numbers.ts'
import { weaknessIds } from '../fields/vulnerability-ids.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { type Check, findProblems, integer, list, object, text } from '../problems/checks.ts'
import type { JsonObject, Scan, Scanner } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { places, readSuppressed } from '../suppressed.ts'
import { addGaps, doubtOf, scannedFiles } from './gaps.ts'

/** Semgrep JSON reports. */
export const semgrep: ReportFormat = {
  name: 'semgrep',
  recognises: (root) => {
    const object = objectOf(root)
    return object !== undefined && 'results' in object && ('errors' in object || 'paths' in object)
  },
  items: [['results', '*']],
  open,
}

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  const problems = findProblems(reportCheck, root)
  if (!Array.isArray(root.results)) return { problems }
  const chosen = chooseType('Semgrep', options.reportType, 'sast', ['sast', 'secret_detection'])
  if ('problems' in chosen) return chosen

  const version = textOf(root.version) ?? ''
  const scanner = scannerOf('semgrep', 'Semgrep', 'Semgrep', version)
  addGaps(root, context.firsts.size > 0, options)
  const reading: Reading = { ...chosen, version, scanner, identifiersOf: startIdentifiers(() => {}) }
  return {
    header: toolHeader({ format: 'semgrep', version, ...chosen, scanner, scan: scanOf(root) }),
    problems,
    warnings: [],
    mixesScanners: false,
    scannedFiles: scannedFiles(root),
    check: (value, { index }) => findProblems(resultCheck, value, ['results', index]),
    read: (entry, { pointer }) =>
      objectOf(entry.extra)?.is_ignored === true
        ? [
            readSuppressed(pointer, 'it is suppressed in the source (nosemgrep)', options, () => ({
              draft: draftOf(entry, reading),
              source: places.inSource,
            })),
          ]
        : [finishFinding(draftOf(entry, reading), pointer, options)],
  }
}

interface Reading {
  reportType: ReportType
  version: string
  scanner: Scanner
  identifiersOf: IdentifierReader
}

/** Returns the scan with its errors as messages, such as files that could not be parsed. */
function scanOf(root: JsonObject): Scan {
  const messages = objectsOf(root.errors).map(({ level, message, type }) => ({
    level: level === 'error' ? 'fatal' : 'warn',
    value: textOf(message) ?? textOf(type) ?? 'an error without a message',
  }))
  return { ...plainScan(), messages }
}

function draftOf(result: JsonObject, { reportType, version, scanner, identifiersOf }: Reading): FindingDraft {
  const extra = objectOf(result.extra) ?? {}
  const metadata = objectOf(extra.metadata) ?? {}
  const rule = textOf(result.check_id) ?? ''
  const source = textOf(metadata.source)
  const isSecret = reportType === 'secret_detection'
  const ruleIds = [{ type: 'semgrep_id', name: rule, value: rule, url: source }]
  const owasp = textsOf(metadata.owasp).map((name) => ({ type: 'owasp', name, value: name.split(' ')[0] ?? name }))
  return {
    reportType,
    scanner,
    identifiers: identifiersOf([...ruleIds, ...weaknessIds(textsOf(metadata.cwe)), ...owasp], ''),
    location: {
      file: textOf(result.path) ?? '',
      ...linesOf(objectOf(result.start)?.line, objectOf(result.end)?.line),
      ...(isSecret && { commit: unknownCommit }),
    },
    name: textOf(metadata.shortname) ?? rule.split('.').at(-1),
    description: textOf(extra.message),
    solution: textOf(extra.fix) && `Replace it with: ${extra.fix}`,
    severity: severityOf(extra.severity, metadata.impact),
    confidence: gradeOn(confidences, metadata.confidence),
    links: [source, ...textsOf(metadata.references)].filter(Boolean).map((url) => ({ url })),
    // Semgrep writes this placeholder in place of the code for users who are not logged in.
    codeExtract: isSecret || extra.lines === withheld ? undefined : textOf(extra.lines),
    fingerprints: [{ name: 'fingerprint', value: textOf(extra.fingerprint) ?? '' }],
    doubt: doubtOf(result),
    rawMetadata: JSON.stringify(result),
    metadataVersion: version,
  }
}

const withheld = 'requires login'

function severityOf(word: unknown, impact: unknown): Severity {
  return gradeOn(severities, word) ?? gradeOn(severities, impact) ?? 'unknown'
}

const severities: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'critical'],
  ['high', 'high'],
  ['error', 'high'],
  ['medium', 'medium'],
  ['warning', 'medium'],
  ['low', 'low'],
  ['info', 'low'],
  ['inventory', 'info'],
  ['experiment', 'info'],
])

const confidences: ReadonlyMap<string, Confidence> = new Map([
  ['high', 'high'],
  ['medium', 'medium'],
  ['low', 'low'],
])

const someText = text({ min: 1 })
const place = object({ required: ['line'], properties: { line: integer() } })

const resultCheck: Check = object({
  required: ['check_id', 'path', 'start', 'end', 'extra'],
  properties: {
    check_id: someText,
    path: someText,
    start: place,
    end: place,
    extra: object({ required: ['message', 'severity'], properties: { message: text(), severity: someText } }),
  },
})

const reportCheck: Check = object({
  required: ['results'],
  properties: { results: list(() => {}), errors: list(() => {}) },
})
