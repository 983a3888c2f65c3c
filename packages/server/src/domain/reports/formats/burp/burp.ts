import type { ReportProblem } from '../../../../platform/failure.ts'
import type { Confidence, Severity } from '../../../findings/scales.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { htmlText } from '../fields/html-text.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { gradeOn, objectOf, textOf } from '../fields/json-fields.ts'
import { weaknessIds } from '../fields/vulnerability-ids.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { type Check, findProblems, object, text } from '../problems/checks.ts'
import type { JsonObject, Scanner } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'

/** XML reports of Burp, as `burpAsJson` converts them: a list of issues. */
export const burp: ReportFormat = {
  name: 'burp',
  recognises: (root) => Object.hasOwn(objectOf(root) ?? {}, 'burpVersion'),
  items: [['issues', '*']],
  open,
}

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const chosen = chooseType('Burp', options.reportType, 'dast', ['dast', 'api_fuzzing'])
  if ('problems' in chosen) return chosen
  const version = textOf(objectOf(context.rest.value)?.burpVersion) ?? ''
  const scanner = scannerOf('burp', 'Burp Suite', 'PortSwigger', version)
  const reading: Reading = { ...options, ...chosen, scanner, version, identifiersOf: startIdentifiers(() => {}) }
  return {
    header: toolHeader({ format: 'burp', version, ...chosen, scanner, scan: plainScan() }),
    problems: [],
    warnings: [],
    mixesScanners: false,
    check: (value, { index }) => findProblems(issueCheck, value, ['issues', index]),
    read: (issue, { pointer }) =>
      /^false positive$/i.test(textOf(issue.severity)?.trim() ?? '')
        ? [{ pointer, reason: 'it was marked as a false positive in Burp', isSettled: true }]
        : [finishFinding(draftOf(issue, reading), pointer, options)],
  }
}

interface Reading extends OpenOptions {
  reportType: FindingDraft['reportType']
  scanner: Scanner
  version: string
  identifiersOf: IdentifierReader
}

function draftOf(issue: JsonObject, reading: Reading): FindingDraft {
  const { reportType, scanner, version, identifiersOf } = reading
  const field = (key: string) => textOf(issue[key])?.trim()
  const written = (key: string) => htmlText(textOf(issue[key]) ?? '')
  const type = field('type') ?? ''
  const name = field('name') ?? `Burp issue ${type}`
  const references = written('references')
  const classes = written('vulnerabilityClassifications')
  const location = placeOf(field('host') ?? '', field('path') ?? '', field('location'), field('method'))
  const texts = (...keys: string[]) =>
    keys
      .map((key) => written(key).text)
      .filter(Boolean)
      .join('\n\n')
  return {
    reportType,
    scanner,
    identifiers: identifiersOf(
      [
        ...(type ? [{ type: 'burp_issue_type', name: `Burp issue type ${type}`, value: type }] : []),
        ...weaknessIds(classes.links.flatMap((link) => [link.name])),
      ],
      '',
    ),
    location,
    // The same path of two hosts is two places.
    fingerprinted: { ...location, path: `${location.hostname}${location.path}` },
    name,
    description: texts('issueDetail', 'issueBackground'),
    solution: texts('remediationDetail', 'remediationBackground'),
    severity: gradeOn(severities, field('severity')) ?? 'unknown',
    confidence: gradeOn(confidences, field('confidence')),
    links: references.links,
    doubt: doubtOf(type, location),
    rawMetadata: JSON.stringify(issue),
    metadataVersion: version,
  }
}

interface Place extends JsonObject {
  hostname: string
  path: string
}

/** Burp writes the part of a request after its path: `/search [q parameter]`. */
function placeOf(hostname: string, path: string, location: string | undefined, method: string | undefined): Place {
  const param = location?.startsWith(`${path} [`) && location.endsWith(']') ? location.slice(path.length + 2, -1) : ''
  return { hostname, path, method: method ?? '', param }
}

function doubtOf(type: string, { hostname, path }: Place): string | undefined {
  if (!type) return 'it names no type'
  return hostname || path ? undefined : 'it names no address'
}

const severities: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'critical'],
  ['high', 'high'],
  ['medium', 'medium'],
  ['low', 'low'],
  ['information', 'info'],
])

const confidences: ReadonlyMap<string, Confidence> = new Map([
  ['certain', 'confirmed'],
  ['firm', 'high'],
  ['tentative', 'low'],
])

const someText = text({ min: 1 })

const issueCheck: Check = object({
  required: ['type', 'name', 'severity', 'host', 'path'],
  properties: { type: someText, name: someText, severity: someText, host: someText, path: text() },
})
