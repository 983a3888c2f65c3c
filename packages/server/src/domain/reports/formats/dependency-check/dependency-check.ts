import type { ReportProblem } from '../../../../platform/failure.ts'
import type { Severity } from '../../../findings/scales.ts'
import type { DocumentContext, Item } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { checkoutPath } from '../fields/checkout-path.ts'
import { severityOfScore } from '../fields/cvss-score.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { gradeOn, listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { severityWords } from '../fields/severity-words.ts'
import { vulnerabilityId, weaknessIds } from '../fields/vulnerability-ids.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { artifactName } from '../identity/artifacts.ts'
import { type Check, findProblems, list, object, text } from '../problems/checks.ts'
import type { JsonObject, Scan, Scanner } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { places, readSuppressed } from '../suppressed.ts'

const found = ['dependencies', '*', 'vulnerabilities', '*']
const suppressed = ['dependencies', '*', 'suppressedVulnerabilities', '*']

/** JSON reports of OWASP Dependency-Check: vulnerabilities by file. */
export const dependencyCheck: ReportFormat = {
  name: 'dependency-check',
  recognises: (root) => {
    const object = objectOf(root)
    return object !== undefined && ['reportSchema', 'scanInfo', 'dependencies'].every((key) => key in object)
  },
  items: [found, suppressed],
  open,
}

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  const problems = findProblems(reportCheck, root)
  if (!Array.isArray(root.dependencies)) return { problems }
  const chosen = chooseType('Dependency-Check', options.reportType, 'dependency_scanning', ['dependency_scanning'])
  if ('problems' in chosen) return chosen
  const version = textOf(objectOf(root.scanInfo)?.engineVersion) ?? ''
  const scanner = scannerOf('dependency-check', 'Dependency-Check', 'OWASP', version)
  const scan = scanOf(root)
  if (scan.messages.length > 0) options.gaps.add({}, 'the scanner reports an error', '/scanInfo/analysisExceptions')
  if (root.dependencies.length === 0) options.gaps.add({}, 'no file was scanned', '/dependencies')
  const reading: Reading = { scanner, version, identifiersOf: startIdentifiers(() => {}) }
  const dependencyOf = ({ list }: Item) => objectOf(listOf(root.dependencies)[Number(list.split('/')[2])]) ?? {}
  return {
    header: toolHeader({ format: 'dependency-check', version, ...chosen, scanner, scan }),
    problems,
    warnings: [],
    mixesScanners: false,
    artifact: () => artifactName(objectOf(root.projectInfo)?.name),
    scopesOf: (item) => (item.path === suppressed ? [] : [{ file: fileOf(dependencyOf(item)) }]),
    check: (value, { pointer }) => findProblems(vulnerabilityCheck, value, pointer.slice(1).split('/')),
    read: (entry, item) =>
      item.path === suppressed
        ? [
            readSuppressed(item.pointer, 'a suppression file of the scanner excludes it', options, () => ({
              draft: draftOf(entry, dependencyOf(item), reading),
              source: places.byConfiguration,
              justification: entry.notes,
            })),
          ]
        : [finishFinding(draftOf(entry, dependencyOf(item), reading), item.pointer, options)],
  }
}

/** Returns the scan with the exceptions of the analysis as messages. */
function scanOf(root: JsonObject): Scan {
  const exceptions = objectsOf(objectOf(root.scanInfo)?.analysisExceptions)
  const messages = exceptions.map(({ exception }) => ({
    level: 'fatal',
    value: textOf(objectOf(exception)?.message) ?? 'an exception without a message',
  }))
  return { ...plainScan(objectOf(root.projectInfo)?.reportDate), messages }
}

interface Reading {
  scanner: Scanner
  version: string
  identifiersOf: IdentifierReader
}

/** Returns the path without what follows `?`, such as the package within a lock file. */
const fileOf = ({ filePath, fileName }: JsonObject): string =>
  checkoutPath((textOf(filePath) ?? textOf(fileName) ?? '').replace(/\?.*$/s, ''))

function draftOf(
  entry: JsonObject,
  dependency: JsonObject,
  { scanner, version, identifiersOf }: Reading,
): FindingDraft {
  const own = textOf(entry.name) ?? ''
  const found = packageOf(dependency)
  const file = fileOf(dependency)
  return {
    reportType: 'dependency_scanning',
    scanner,
    identifiers: identifiersOf([...(own ? [vulnerabilityId(own)] : []), ...weaknessIds(listOf(entry.cwes))], ''),
    location: { file, dependency: { package: { name: found.name }, version: found.version } },
    name: own && `${own} in ${found.name}`,
    description: textOf(entry.description),
    severity: gradeOn(severityWords, entry.severity) ?? severityOfScores(entry) ?? 'unknown',
    links: objectsOf(entry.references).map(({ name, url }) => ({ name, url })),
    package: found.url,
    isPackageElsewhere: true,
    doubt: doubtOf(own, found.name, file),
    rawMetadata: JSON.stringify(entry),
    metadataVersion: version,
  }
}

/** Returns the first package URL with its name and version, such as `pkg:maven/org.example/parser@1.2.0`, or the file's name. */
function packageOf({ packages, fileName }: JsonObject): { name: string; version: string; url: string | undefined } {
  const url = objectsOf(packages).flatMap((one) => textOf(one.id) ?? [])[0]
  const [, path, version] = /^pkg:[^/]+\/([^@?#]+)(?:@([^?#]+))?/.exec(url ?? '') ?? []
  if (path === undefined) return { name: textOf(fileName) ?? '', version: '', url: undefined }
  return { name: decoded(path), version: decoded(version ?? ''), url }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function doubtOf(id: string, name: string, file: string): string | undefined {
  if (!id) return 'it names no vulnerability'
  return name && file ? undefined : 'it names no package or file'
}

function severityOfScores({ cvssv4, cvssv3, cvssv2 }: JsonObject): Severity | undefined {
  const score = objectOf(cvssv4)?.baseScore ?? objectOf(cvssv3)?.baseScore ?? objectOf(cvssv2)?.score
  return typeof score === 'number' && score >= 0 && score <= 10 ? severityOfScore(score) : undefined
}

const someText = text({ min: 1 })

const vulnerabilityCheck: Check = object({
  required: ['name'],
  properties: { name: someText, severity: text(), cwes: list(text()), references: list(object({})) },
})

const reportCheck: Check = object({
  required: ['dependencies'],
  properties: { dependencies: list(object({ required: ['fileName'] })), scanInfo: object({}) },
})
