import type { ReportProblem } from '../../../../platform/failure.ts'
import type { Severity } from '../../../findings/scales.ts'
import type { DocumentContext, Item } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { checkoutPath } from '../fields/checkout-path.ts'
import { severityOfScore, severityOfVectors } from '../fields/cvss-score.ts'
import { ecosystemOf, packageIn } from '../fields/ecosystems.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { gradeOn, listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { severityWords } from '../fields/severity-words.ts'
import { vulnerabilityId, weaknessIds } from '../fields/vulnerability-ids.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { type Check, findProblems, list, object, text } from '../problems/checks.ts'
import { type CvssVector, type JsonObject, maxIdentifiers } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'

/** JSON reports of OSV-Scanner: OSV records by source, such as a lock file, and by package. */
export const osvScanner: ReportFormat = {
  name: 'osv-scanner',
  recognises: (root) => {
    const object = objectOf(root)
    if (!object || !('results' in object)) return false
    return Object.keys(object).length === 1 || 'experimental_config' in object || 'image_metadata' in object
  },
  items: [['results', '*', 'packages', '*', 'vulnerabilities', '*']],
  open,
}

const scanner = scannerOf('osv-scanner', 'OSV-Scanner', 'Google', undefined)

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = objectOf(context.rest.value) ?? {}
  const problems = findProblems(reportCheck, root)
  if (problems.length > 0) return { problems }
  const chosen = chooseType('OSV-Scanner', options.reportType, 'dependency_scanning', ['dependency_scanning'])
  if ('problems' in chosen) return chosen
  if (objectsOf(root.results).length === 0 && options.isPartial !== false) {
    options.gaps.add({}, `it has no results, and does not name what was scanned; ${sendComplete}`, '/results')
  }
  const placeOf = startPlaces(objectsOf(root.results))
  const reading: Reading = { ...options, identifiersOf: startIdentifiers(() => {}) }
  return {
    header: toolHeader({ format: 'osv-scanner', version: '', ...chosen, scanner, scan: plainScan() }),
    problems,
    warnings: [],
    mixesScanners: false,
    scopesOf: (item) => [{ file: placeOf(item).file }],
    check: (value, { pointer }) => findProblems(recordCheck, value, pointer.slice(1).split('/')),
    read: (entry, item) => [finishFinding(draftOf(entry, placeOf(item), reading), item.pointer, options)],
  }
}

const sendComplete = 'send partial=false if this scan is complete'

interface Reading extends OpenOptions {
  identifiersOf: IdentifierReader
}

/** The package that contains an OSV record. */
interface Place {
  file: string
  name: string
  version: string
  ecosystem: string | undefined
  /** Groups of records about one vulnerability, by the id of each record. */
  groups: ReadonlyMap<unknown, Group>
}

interface Group {
  /** Ids of the records, then those in other databases. */
  ids: readonly unknown[]
  /** Highest CVSS score, written as text. */
  score: unknown
}

/** Returns a function that finds the package of a record by its path: `/results/0/packages/3/vulnerabilities`. */
function startPlaces(results: readonly JsonObject[]): (item: Pick<Item, 'list'>) => Place {
  // Records of one package follow each other.
  let last: { list: string; place: Place } | undefined
  return ({ list }) => {
    if (last?.list !== list) last = { list, place: placeAt(list, results) }
    return last.place
  }
}

function placeAt(list: string, results: readonly JsonObject[]): Place {
  const [, , result, , index] = list.split('/')
  const { source, packages } = results[Number(result)] ?? {}
  const found = objectOf(listOf(packages)[Number(index)]) ?? {}
  const { name, version, ecosystem, commit } = objectOf(found.package) ?? {}
  return {
    file: checkoutPath(textOf(objectOf(source)?.path) ?? ''),
    name: textOf(name) ?? textOf(commit) ?? '',
    version: textOf(version) ?? textOf(commit) ?? '',
    ecosystem: textOf(ecosystem),
    groups: groupsOf(found.groups),
  }
}

function groupsOf(value: unknown): Place['groups'] {
  const groups = new Map<unknown, Group>()
  for (const { ids, aliases, max_severity: score } of objectsOf(value)) {
    const all = [...listOf(ids), ...listOf(aliases)].slice(0, maxIdentifiers)
    for (const id of listOf(ids)) groups.set(id, { ids: all, score })
  }
  return groups
}

/**
 * Builds a finding. All records of a group have the same identifiers in the same order, so they become one finding: the
 * first record stays, and the others are its duplicates.
 */
function draftOf(record: JsonObject, place: Place, { identifiersOf, scoreOf }: Reading): FindingDraft {
  const own = textOf(record.id) ?? ''
  const group = place.groups.get(own)
  const ids = [...(group?.ids ?? []), own, ...listOf(record.aliases).slice(0, maxIdentifiers)].filter(isText)
  const details = objectOf(record.database_specific) ?? {}
  const cvss = vectorsOf(record.severity)
  const fixes = fixesOf(record, place)
  return {
    reportType: 'dependency_scanning',
    scanner,
    identifiers: identifiersOf(
      [...[...new Set(ids)].map(vulnerabilityId), ...weaknessIds(listOf(details.cwe_ids))],
      '',
    ),
    location: { file: place.file, dependency: { package: { name: place.name }, version: place.version } },
    name: textOf(record.summary) ?? `${ids[0] ?? 'Vulnerability'} in ${place.name}`,
    description: textOf(record.details) ?? textOf(record.summary),
    solution: fixes.length > 0 ? `Upgrade ${place.name} to ${fixes.join(' or ')}` : undefined,
    severity:
      severityOfNumber(group?.score) ??
      severityOfVectors(cvss, scoreOf) ??
      gradeOn(severityWords, details.severity) ??
      'unknown',
    links: objectsOf(record.references).flatMap(({ url }) => (isText(url) ? [{ url }] : [])),
    cvss,
    package: packageIn(ecosystemOf(place.ecosystem), place.name, place.version),
    isPackageElsewhere: true,
    doubt: doubtOf(own, place),
    rawMetadata: JSON.stringify(record),
    metadataVersion: textOf(record.schema_version) ?? '',
  }
}

function doubtOf(id: string, { file, name }: Place): string | undefined {
  if (!id) return 'it names no vulnerability'
  if (!name) return 'its package has no name'
  return file ? undefined : 'its source has no path'
}

/** Returns the severity of a score that is written as text, such as `7.5`. */
function severityOfNumber(value: unknown): Severity | undefined {
  const score = textOf(value) === undefined ? Number.NaN : Number(value)
  return score >= 0 && score <= 10 ? severityOfScore(score) : undefined
}

/** Returns the vectors. Other entries are words of a distribution's own scale. */
function vectorsOf(severity: unknown): CvssVector[] {
  return objectsOf(severity).flatMap(({ type, score }) => {
    const vector = textOf(score)
    return vector && /^CVSS_V[234]$/.test(String(type)) ? [{ vendor: 'OSV', vector }] : []
  })
}

const maxFixes = 5

/** Returns the versions of the package that fix the vulnerability. */
function fixesOf({ affected }: JsonObject, { name, ecosystem }: Place): string[] {
  const fixes = objectsOf(affected)
    .filter((one) => objectOf(one.package)?.name === name && objectOf(one.package)?.ecosystem === ecosystem)
    .flatMap(({ ranges }) => objectsOf(ranges))
    .filter(({ type }) => type !== 'GIT')
    .flatMap(({ events }) => objectsOf(events).map(({ fixed }) => fixed))
    .filter(isText)
  return [...new Set(fixes)].slice(0, maxFixes)
}

const isText = (value: unknown): value is string => textOf(value) !== undefined

const someText = text({ min: 1 })

const recordCheck: Check = object({
  required: ['id'],
  properties: { id: someText, aliases: list(text()), affected: list(object({})), references: list(object({})) },
})

const reportCheck: Check = object({
  required: ['results'],
  properties: {
    results: list(
      object({
        required: ['source', 'packages'],
        properties: {
          source: object({ required: ['path'], properties: { path: someText } }),
          packages: list(
            object({ required: ['package'], properties: { package: object({}), groups: list(object({})) } }),
          ),
        },
      }),
    ),
  },
})
