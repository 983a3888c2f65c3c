import type { ReportProblem } from '../../../../platform/failure.ts'
import type { DismissalReason, ReportType } from '../../../findings/scales.ts'
import type { DocumentContext, Item } from '../../reader/document.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { checkoutPath } from '../fields/checkout-path.ts'
import { severityOfVectors } from '../fields/cvss-score.ts'
import { ecosystemOf, packageIn } from '../fields/ecosystems.ts'
import { type IdentifierReader, startIdentifiers } from '../fields/identifiers.ts'
import { gradeOn, isObject, listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { severityWords } from '../fields/severity-words.ts'
import { vulnerabilityId, weaknessIds } from '../fields/vulnerability-ids.ts'
import { chooseType, plainScan, scannerOf, toolHeader } from '../header.ts'
import { artifactName } from '../identity/artifacts.ts'
import { type Check, findProblems, list, object, text } from '../problems/checks.ts'
import type { JsonObject } from '../report.ts'
import type { OpenedReport, OpenOptions, ReportFormat } from '../report-format.ts'
import { places, readSuppressed, type SuppressedEntry } from '../suppressed.ts'

const found = ['vulnerabilities', '*']
const ignored = ['filtered', 'ignore', '*']

/** JSON reports of `snyk test` and `snyk container test`: one project, or a list of them. */
export const snyk: ReportFormat = {
  name: 'snyk',
  recognises: (root) => {
    const project = objectOf(Array.isArray(root) ? root[0] : root)
    return (
      project !== undefined &&
      'vulnerabilities' in project &&
      ('packageManager' in project || 'dependencyCount' in project)
    )
  },
  items: [found, ignored, ['*', ...found], ['*', ...ignored]],
  open,
}

const scanner = scannerOf('snyk', 'Snyk', 'Snyk', undefined)
const possibleTypes: readonly ReportType[] = ['dependency_scanning', 'container_scanning']

function open(context: DocumentContext, options: OpenOptions): OpenedReport | { problems: ReportProblem[] } {
  const root = context.rest.value
  const isList = Array.isArray(root)
  const projects = isList ? root : [root]
  const problems = projects.flatMap((project, index) => findProblems(projectCheck, project, isList ? [index] : []))
  if (projects.every((project) => !Array.isArray(objectOf(project)?.vulnerabilities))) return { problems }
  const fallback = projects.some((project) => isObject(objectOf(project)?.docker))
    ? 'container_scanning'
    : 'dependency_scanning'
  const chosen = chooseType('Snyk', options.reportType, fallback, possibleTypes)
  if ('problems' in chosen) return chosen
  for (const [index, project] of projects.entries()) {
    if (Array.isArray(objectOf(project)?.vulnerabilities)) continue
    options.gaps.add({}, 'a project could not be tested', isList ? `/${index}` : '')
  }
  const reading: Reading = { ...options, ...chosen, identifiersOf: startIdentifiers(() => {}) }
  const projectOf = ({ list }: Item): JsonObject => objectOf(projects[isList ? Number(list.split('/')[1]) : 0]) ?? {}
  return {
    header: toolHeader({ format: 'snyk', version: '', ...chosen, scanner, scan: plainScan() }),
    problems,
    warnings: [],
    mixesScanners: false,
    artifact: () => (projects.length === 1 ? artifactName(nameOf(objectOf(projects[0]) ?? {})) : undefined),
    scopesOf: (item) => (isIgnored(item) ? [] : [{}]),
    check: (value, { pointer }) => findProblems(vulnerabilityCheck, value, pointer.slice(1).split('/')),
    read: (entry, item) => readEntry(entry, item, projectOf(item), reading),
  }
}

interface Reading extends OpenOptions {
  reportType: ReportType
  identifiersOf: IdentifierReader
}

const isIgnored = ({ path }: Pick<Item, 'path'>): boolean => path.at(-2) === 'ignore'

/** The name of an image, or the name of the project. */
const nameOf = ({ projectName }: JsonObject): string => (textOf(projectName) ?? '').replace(/^docker-image\|/, '')

function readEntry(
  entry: JsonObject,
  item: Item,
  project: JsonObject,
  reading: Reading,
): ReturnType<OpenedReport['read']> {
  const { pointer } = item
  if (isIgnored(item)) {
    const reason = 'a rule of the scanner’s configuration ignores it'
    return [readSuppressed(pointer, reason, reading, () => ignoredEntry(entry, project, reading))]
  }
  if (entry.type === 'license') return [{ pointer, reason: 'it is a licence, not a vulnerability', isSettled: true }]
  return [finishFinding(draftOf(entry, project, reading), pointer, reading)]
}

/** Returns an ignored vulnerability, unless it is a licence. */
function ignoredEntry(entry: JsonObject, project: JsonObject, reading: Reading): SuppressedEntry | undefined {
  if (entry.type === 'license') return undefined
  const ignores = objectsOf(objectOf(entry.filtered)?.ignored)
  const [first = {}] = ignores
  return {
    draft: draftOf(entry, project, reading),
    source: places.byConfiguration,
    justification: first.reason,
    reason: gradeOn(reasons, first.reasonType),
    ends: ignores.map(({ expires }) => expires),
  }
}

const reasons: ReadonlyMap<string, DismissalReason> = new Map([
  ['wont-fix', 'acceptable_risk'],
  ['not-vulnerable', 'not_applicable'],
])

/** Builds a finding. Snyk lists a vulnerability once for each path to the package; those are one finding. */
function draftOf(
  entry: JsonObject,
  project: JsonObject,
  { reportType, identifiersOf, scoreOf }: Reading,
): FindingDraft {
  const name = textOf(entry.packageName) ?? textOf(entry.moduleName) ?? ''
  const own = textOf(entry.id) ?? ''
  const { CVE, GHSA, CWE } = objectOf(entry.identifiers) ?? {}
  const ids = [own, ...listOf(CVE), ...listOf(GHSA)].filter((id) => textOf(id) !== undefined).map(String)
  const dependency = { package: { name }, version: textOf(entry.version) ?? '' }
  const file = checkoutPath(textOf(project.displayTargetFile) ?? textOf(project.targetFile) ?? '')
  const ecosystem = ecosystemOf(textOf(project.packageManager) ?? textOf(entry.packageManager))
  const vector = textOf(entry.CVSSv3)
  const cvss = vector === undefined ? [] : [{ vendor: 'Snyk', vector }]
  const fixes = listOf(entry.fixedIn)
    .filter((fix) => textOf(fix))
    .slice(0, maxFixes)
  return {
    reportType,
    scanner,
    identifiers: identifiersOf([...ids.map(vulnerabilityId), ...weaknessIds(listOf(CWE))], ''),
    location:
      reportType === 'dependency_scanning'
        ? { file, dependency }
        : { image: nameOf(project), operating_system: systemOf(project), dependency },
    name: textOf(entry.title) && `${textOf(entry.title)} in ${name}`,
    description: textOf(entry.description),
    solution: fixes.length > 0 ? `Upgrade ${name} to ${fixes.join(' or ')}` : undefined,
    severity: gradeOn(severityWords, entry.severity) ?? severityOfVectors(cvss, scoreOf) ?? 'unknown',
    links: objectsOf(entry.references).map(({ title, url }) => ({ name: title, url })),
    cvss,
    package: packageIn(ecosystem, name, dependency.version),
    isPackageElsewhere: true,
    doubt: doubtOf({ id: own, name, file }, reportType),
    rawMetadata: JSON.stringify(entry),
    metadataVersion: '',
  }
}

const maxFixes = 5

const systemOf = ({ platform, docker }: JsonObject): string =>
  textOf(objectOf(objectOf(docker)?.os)?.prettyName) ?? textOf(platform) ?? 'Unknown'

function doubtOf(said: { id: string; name: string; file: string }, reportType: ReportType): string | undefined {
  if (!said.id) return 'it names no vulnerability'
  if (!said.name) return 'it names no package'
  return said.file || reportType !== 'dependency_scanning' ? undefined : 'its project names no file'
}

const someText = text({ min: 1 })

const vulnerabilityCheck: Check = object({
  required: ['id'],
  properties: { id: someText, title: text(), severity: text(), references: list(object({})), identifiers: object({}) },
})

const projectCheck: Check = object({ required: ['vulnerabilities'], properties: { vulnerabilities: list(() => {}) } })
