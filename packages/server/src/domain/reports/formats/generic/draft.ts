import { hash } from 'node:crypto'
import type { Confidence, ReportType, Severity } from '../../../findings/scales.ts'
import type { FindingDraft } from '../draft.ts'
import { checkoutPath } from '../fields/checkout-path.ts'
import { severityOfVectors } from '../fields/cvss-score.ts'
import { ecosystemOfFile, packageIn } from '../fields/ecosystems.ts'
import type { IdentifierReader } from '../fields/identifiers.ts'
import { gradeOn } from '../fields/json-fields.ts'
import { linesOf, unknownCommit } from '../fields/line-numbers.ts'
import { type RawIdentifier, vulnerabilityId, weaknessIds } from '../fields/vulnerability-ids.ts'
import { webPlace } from '../fields/web-place.ts'
import { type JsonObject, maxIdentifiers, type Scanner } from '../report.ts'
import type { OpenOptions } from '../report-format.ts'
import type { GenericField } from './mapping.ts'

/** Values of an entry by field, and the entry itself. */
export type Values = Partial<Record<GenericField, string>> & { raw?: JsonObject }

interface Reading extends OpenOptions {
  reportType: ReportType
  scanner: Scanner
  identifiersOf: IdentifierReader
}

export function draftOf(values: Values, severity: Severity | undefined, reading: Reading): FindingDraft {
  const { reportType, scanner, identifiersOf, scoreOf } = reading
  const { title = '', fingerprint, cvss: vector } = values
  const cvss = vector === undefined ? [] : [{ vendor: scanner.vendor, vector: vector.trim() }]
  const location = locationOf(values, reportType)
  return {
    reportType,
    scanner,
    identifiers: identifiersOf(identifiersIn(values, scanner), ''),
    location,
    // Without a place, only the title distinguishes the findings of a rule.
    ...(isPlaceless(values) && {
      isPlaceless: true,
      signatures: [{ algorithm: 'hash', sha: hash('sha1', title.trim()) }],
    }),
    name: title,
    description: values.description,
    solution: values.solution,
    severity: (severity === 'unknown' ? severityOfVectors(cvss, scoreOf) : severity) ?? 'unknown',
    confidence: gradeOn(confidences, values.confidence),
    links: partsOf(values.links).map((url) => ({ url })),
    cvss,
    fingerprints: fingerprint === undefined ? [] : [{ name: 'fingerprint', value: fingerprint.trim() }],
    package: packageFrom(values, reportType),
    rawMetadata: JSON.stringify(values.raw ?? {}),
    metadataVersion: '',
  }
}

/** Returns the package: a package URL as written, or one of the ecosystem that the name of the file implies. */
function packageFrom({ package: name, version, file }: Values, reportType: ReportType): FindingDraft['package'] {
  const written = name?.trim()
  if (written?.startsWith('pkg:')) return written
  return reportType === 'dependency_scanning'
    ? packageIn(ecosystemOfFile(file?.trim() ?? ''), written, version?.trim())
    : undefined
}

/** Returns the ids of vulnerabilities before the rule. An entry without any id is identified by its title. */
function identifiersIn({ title = '', rule, cve, cwe, id }: Values, { externalId }: Scanner): RawIdentifier[] {
  const own = (type: string, value: string): RawIdentifier => ({ type: `${externalId}_${type}`, name: value, value })
  const ids = [
    ...partsOf(cve).map(vulnerabilityId),
    ...(rule === undefined ? [] : [own('rule', rule.trim())]),
    ...partsOf(id).map(vulnerabilityId),
  ]
  return [...(ids.length > 0 ? ids : [own('title', title.trim())]), ...weaknessIds(partsOf(cwe))]
}

/** Splits a list of ids or addresses at blanks, commas, semicolons and bars. */
const partsOf = (text = ''): string[] =>
  text
    .split(/[\s,;|]+/)
    .filter(Boolean)
    .slice(0, maxIdentifiers)

const isPlaceless = ({ file, package: name, image, url }: Values): boolean =>
  [file, name, image, url].every((value) => value === undefined)

function locationOf(values: Values, reportType: ReportType): JsonObject {
  const { file = '', image = '', operating_system: system = 'Unknown', url = '', method = '', param = '' } = values
  const dependency = { package: { name: values.package?.trim() ?? '' }, version: values.version?.trim() ?? '' }
  const path = checkoutPath(file.trim())
  const line = Number(values.line)
  const lines = linesOf(line, values.end_line === undefined ? line : Number(values.end_line))
  switch (reportType) {
    case 'dependency_scanning':
      return { file: path, dependency }
    case 'container_scanning':
    case 'container_scanning_for_registry':
      return { image: image.trim(), operating_system: system, dependency }
    case 'dast':
    case 'api_fuzzing':
      return { ...webPlace(url.trim()), method, param }
    case 'secret_detection':
      return { file: path, ...lines, commit: unknownCommit }
    default:
      return { file: path, ...lines }
  }
}

const confidences: ReadonlyMap<string, Confidence> = new Map([
  ['confirmed', 'confirmed'],
  ['certain', 'confirmed'],
  ['high', 'high'],
  ['firm', 'high'],
  ['medium', 'medium'],
  ['low', 'low'],
  ['tentative', 'low'],
])
