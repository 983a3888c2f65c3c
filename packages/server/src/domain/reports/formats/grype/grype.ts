import type { ReportProblem } from '../../../../platform/failure.ts'
import type { ReportType, Severity } from '../../../findings/scales.ts'
import type { DocumentContext } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { severityOfVectors } from '../fields/cvss-score.ts'
import { ecosystemOfFile, packageIn } from '../fields/ecosystems.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { gradeOn, isObject, listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { vulnerabilityId, weaknessIds } from '../fields/vulnerability-ids.ts'
import type { Gaps } from '../gaps.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { artifactName } from '../identity/artifacts.ts'
import { type Check, findProblems, listOrNull, object, text } from '../problems/checks.ts'
import type { CvssVector, JsonObject, Scanner } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { places, readSuppressed, type SuppressedEntry } from '../suppressed.ts'

const matches = ['matches', '*']
const ignored = ['ignoredMatches', '*']

/** Grype JSON reports: matches in the packages of an image, a folder or an SBOM. */
export const grype: ReportFormat = {
  name: 'grype',
  recognises: (root) => Object.hasOwn(objectOf(root) ?? {}, 'matches'),
  items: [matches, ignored],
  open,
}

const possibleTypes: readonly ReportType[] = [
  'container_scanning',
  'dependency_scanning',
  'container_scanning_for_registry',
  'cluster_image_scanning',
]

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  if (!Array.isArray(root.matches) && root.matches !== null) return { problems: findProblems(reportCheck, root) }
  const source = objectOf(root.source) ?? {}
  const fallback = source.type === 'image' ? 'container_scanning' : 'dependency_scanning'
  const chosen = chooseType('Grype', options.reportType, fallback, possibleTypes)
  if ('problems' in chosen) return chosen

  const descriptor = objectOf(root.descriptor)
  addGaps(root, options.gaps)
  const version = textOf(descriptor?.version) ?? ''
  const scanner = scannerOf('grype', 'Grype', 'Anchore', version)
  const reading: Reading = {
    ...options,
    ...chosen,
    version,
    scanner,
    target: targetOf(source),
    system:
      [objectOf(root.distro)?.name, objectOf(root.distro)?.version].map(textOf).filter(Boolean).join(' ') || 'Unknown',
    identifiersOf: startIdentifiers(() => {}),
  }
  return {
    header: toolHeader({ format: 'grype', version, ...chosen, scanner, scan: plainScan(descriptor?.timestamp) }),
    problems: findProblems(reportCheck, root),
    warnings: [],
    mixesScanners: false,
    artifact: () => artifactName(reading.target),
    scopesOf: ({ path }) => (path === ignored ? [] : [{}]),
    check: (value, { path, index }) => findProblems(matchCheck, value, [path[0] ?? '', index]),
    read: (entry, { path, pointer }) =>
      path === ignored
        ? [
            readSuppressed(pointer, 'a rule of the scanner’s configuration ignores it', options, () =>
              ignoredEntry(entry, reading),
            ),
          ]
        : [finishFinding(draftOf(entry, reading), pointer, options)],
  }
}

/** Returns a match that a user has excluded, rather than a filter by fixes or the data of a distribution. */
function ignoredEntry(match: JsonObject, reading: Reading): SuppressedEntry | undefined {
  const rules = objectsOf(match.appliedIgnoreRules).filter(
    ({ vulnerability, reason, package: of, ...rule }) =>
      !ownReasons.has(reason) &&
      [vulnerability, reason, rule['vex-status'], objectOf(of)?.name].some((value) => textOf(value)),
  )
  const [first] = rules
  if (!first) return undefined
  const vex = textOf(first['vex-status'])
  return {
    draft: draftOf(match, reading),
    source: vex ? places.byVex : places.byConfiguration,
    justification: textOf(first.reason) ?? textOf(first['vex-justification']) ?? vex,
  }
}

/** Reasons of rules that Grype adds for packages of distributions. */
const ownReasons: ReadonlySet<unknown> = new Set(['Explicit APK NAK', 'DistroPackageFixed'])

function addGaps(root: JsonObject, gaps: Gaps): void {
  if (root.matches === null) gaps.add({}, 'its list of matches is null', '/matches')
  const database = objectOf(objectOf(root.descriptor)?.db) ?? {}
  const status = objectOf(database.status) ?? database
  if (status.valid === false || textOf(status.error)) {
    gaps.add({}, 'the scanner had no valid database of vulnerabilities', '/descriptor/db')
  }
}

function doubtOf(match: JsonObject, reportType: ReportType): string | undefined {
  if (!textOf(objectOf(match.vulnerability)?.id)) return 'it names no vulnerability'
  const { name, locations = [] } = objectOf(match.artifact) ?? {}
  if (!textOf(name)) return 'it names no package'
  const [first = {}] = listOf(locations ?? [])
  const isReadable = Array.isArray(locations ?? []) && (first === undefined || isObject(first))
  const { path = '' } = objectOf(first) ?? {}
  const isPlaced = reportType !== 'dependency_scanning' || (isReadable && typeof path === 'string')
  return isPlaced ? undefined : 'its location cannot be read'
}

interface Reading extends OpenOptions {
  reportType: ReportType
  version: string
  scanner: Scanner
  target: string
  system: string
  identifiersOf: IdentifierReader
}

function targetOf({ target }: JsonObject): string {
  return textOf(target) ?? textOf(objectOf(target)?.userInput) ?? ''
}

function draftOf(match: JsonObject, reading: Reading): FindingDraft {
  const { reportType, scanner, version, target, system, identifiersOf, scoreOf } = reading
  const vulnerability = objectOf(match.vulnerability) ?? {}
  const related = objectsOf(match.relatedVulnerabilities)
  const artifact = objectOf(match.artifact) ?? {}
  const name = textOf(artifact.name) ?? ''
  const dependency = { package: { name }, version: textOf(artifact.version) ?? '' }
  const ids = [vulnerability, ...related].map(({ id }) => textOf(id)).filter((id) => id !== undefined)
  const path = textOf(objectsOf(artifact.locations)[0]?.path)
  const ecosystem = reportType === 'dependency_scanning' ? ecosystemOfFile(path ?? target) : undefined
  const cvss = [vulnerability, ...related].flatMap(vectorsOf)
  const fixes = listOf(objectOf(vulnerability.fix)?.versions).filter((fix) => textOf(fix))
  const weaknesses = [vulnerability, ...related].flatMap(({ cwes }) => objectsOf(cwes).map(({ cwe }) => cwe))
  return {
    reportType,
    scanner,
    identifiers: identifiersOf([...ids.map(vulnerabilityId), ...weaknessIds(weaknesses)], ''),
    location:
      reportType === 'dependency_scanning'
        ? { file: path ?? target, dependency }
        : { image: target, operating_system: system, dependency, ...(path && { path }) },
    name: `${ids[0] === undefined ? 'Vulnerability' : vulnerabilityId(ids[0]).name} in ${name}`,
    description: [vulnerability, ...related].map(({ description }) => textOf(description)).find(Boolean),
    solution: fixes.length > 0 ? `Upgrade ${name} to ${fixes.join(' or ')}` : undefined,
    severity: gradeOn(severities, vulnerability.severity) ?? severityOfVectors(cvss, scoreOf) ?? 'unknown',
    links: [vulnerability.dataSource, ...listOf(vulnerability.urls)]
      .filter((url) => textOf(url))
      .map((url) => ({ url })),
    cvss,
    package: textOf(artifact.purl) ?? packageIn(ecosystem, name, dependency.version),
    doubt: doubtOf(match, reportType),
    rawMetadata: JSON.stringify(match),
    metadataVersion: version,
  }
}

/** Has no `unknown`, so that a CVSS score is used instead. */
const severities: ReadonlyMap<string, Severity> = new Map([
  ['critical', 'critical'],
  ['high', 'high'],
  ['medium', 'medium'],
  ['low', 'low'],
  ['negligible', 'info'],
])

function vectorsOf({ cvss, namespace }: JsonObject): CvssVector[] {
  return objectsOf(cvss).flatMap((entry) => {
    const vector = textOf(entry.vector)
    return vector ? [{ vendor: textOf(entry.source) ?? textOf(namespace) ?? 'unknown', vector }] : []
  })
}

const someText = text({ min: 1 })

const matchCheck: Check = object({
  required: ['vulnerability', 'artifact'],
  properties: {
    vulnerability: object({
      required: ['id'],
      properties: { id: someText, severity: text(), urls: listOrNull(text()) },
    }),
    artifact: object({ required: ['name'], properties: { name: someText, version: text(), locations: listOrNull() } }),
    relatedVulnerabilities: listOrNull(object({})),
  },
})

const reportCheck: Check = object({
  required: ['matches'],
  properties: { matches: listOrNull(), ignoredMatches: listOrNull(), source: object({}), descriptor: object({}) },
})
