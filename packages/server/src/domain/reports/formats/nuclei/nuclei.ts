import type { ReportProblem } from '../../../../platform/failure.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { severityOfVectors } from '../fields/cvss-score.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { gradeOn, objectOf, textOf, textsOf } from '../fields/json-fields.ts'
import { severityWords } from '../fields/severity-words.ts'
import { vulnerabilityId, weaknessIds } from '../fields/vulnerability-ids.ts'
import { webPlace } from '../fields/web-place.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { type Check, findProblems, object, text } from '../problems/checks.ts'
import type { JsonObject } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'

/** JSON reports of Nuclei (`-json-export`): a list of matches. */
export const nuclei: ReportFormat = {
  name: 'nuclei',
  recognises: (root) => Array.isArray(root) && Object.hasOwn(objectOf(root[0]) ?? {}, 'template-id'),
  items: [['*']],
  open,
}

const scanner = scannerOf('nuclei', 'Nuclei', 'ProjectDiscovery', undefined)

function open(_context: unknown, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const chosen = chooseType('Nuclei', options.reportType, 'dast', ['dast', 'api_fuzzing'])
  if ('problems' in chosen) return chosen
  const reading: Reading = { ...options, ...chosen, identifiersOf: startIdentifiers(() => {}) }
  return {
    header: toolHeader({ format: 'nuclei', version: '', ...chosen, scanner, scan: plainScan() }),
    problems: [],
    warnings: [],
    mixesScanners: false,
    check: (value, { index }) => findProblems(matchCheck, value, [index]),
    read: (entry, { pointer }) => [finishFinding(draftOf(entry, reading), pointer, options)],
  }
}

interface Reading extends OpenOptions {
  reportType: FindingDraft['reportType']
  identifiersOf: IdentifierReader
}

function draftOf(match: JsonObject, { reportType, identifiersOf, scoreOf }: Reading): FindingDraft {
  const info = objectOf(match.info) ?? {}
  const classification = objectOf(info.classification) ?? {}
  const template = textOf(match['template-id']) ?? ''
  const address = textOf(match['matched-at']) ?? textOf(match.url) ?? textOf(match.host) ?? ''
  const vector = textOf(classification['cvss-metrics'])
  const cvss = vector === undefined ? [] : [{ vendor: 'Nuclei', vector }]
  const ids = textsOf(classification['cve-id']).map(vulnerabilityId)
  return {
    reportType,
    scanner,
    identifiers: identifiersOf(
      [
        { type: 'nuclei_template_id', name: template, value: template },
        ...ids,
        ...weaknessIds(textsOf(classification['cwe-id'])),
      ],
      '',
    ),
    // One template may have several matchers, which find different things at one address.
    location: { ...webPlace(address), method: '', param: textOf(match['matcher-name']) ?? '' },
    name: textOf(info.name) ?? template,
    description: textOf(info.description),
    solution: textOf(info.remediation),
    severity: gradeOn(severityWords, info.severity) ?? severityOfVectors(cvss, scoreOf) ?? 'unknown',
    links: textsOf(info.reference).map((url) => ({ url })),
    cvss,
    doubt: doubtOf(template, address),
    rawMetadata: JSON.stringify(match),
    metadataVersion: '',
  }
}

function doubtOf(template: string, address: string): string | undefined {
  if (!template) return 'it names no template'
  return address ? undefined : 'it names no address'
}

const someText = text({ min: 1 })

const matchCheck: Check = object({
  required: ['template-id', 'info', 'host'],
  properties: {
    'template-id': someText,
    info: object({ properties: { name: text(), severity: text() } }),
    host: text(),
  },
})
