import { hash } from 'node:crypto'
import type { Confidence, Severity } from '../../../findings/scales.ts'
import type { FindingDraft } from '../draft.ts'
import { severityOfScore, severityOfVectors } from '../fields/cvss-score.ts'
import { gradeOn, listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { linesOf, unknownCommit } from '../fields/line-numbers.ts'
import { type RawIdentifier, vulnerabilityId, weaknessIds } from '../fields/vulnerability-ids.ts'
import type { Fingerprint } from '../identity/result-fingerprints.ts'
import type { CvssVector, JsonObject } from '../report.ts'
import { places, type SuppressedEntry } from '../suppressed.ts'
import { doubtOf } from './gaps.ts'
import { messageOf, textIn } from './message.ts'
import { type Place, placeOf } from './place.ts'
import { idOf, type Run, typeOfResult } from './run.ts'

/** Returns the reason why a result is no finding. */
export function reasonToSkip(result: JsonObject): string | undefined {
  if (result.kind === 'pass') return 'it says that the check passed'
  if (result.kind === 'notApplicable') return 'it says that the check does not apply'
  if (result.baselineState === 'absent') return 'it says that the finding is not there any more'
  return undefined
}

/** Returns true if every suppression is accepted. A missing status means accepted. */
export function isSuppressed({ suppressions }: JsonObject): boolean {
  const all = objectsOf(suppressions)
  return all.length > 0 && all.every(({ status }) => status === undefined || status === 'accepted')
}

/** Returns a suppressed result. Only Microsoft's tools state an end, as a property of the suppression. */
export function suppressedEntry(result: JsonObject, run: Run, pointer: string): SuppressedEntry {
  const all = objectsOf(result.suppressions)
  return {
    draft: draftOf(result, run, pointer),
    source: all.some(({ kind }) => kind === 'inSource') ? places.inSource : places.outside,
    justification: all.map(({ justification }) => textOf(justification)).find(Boolean),
    ends: all.map(({ properties }) => objectOf(properties)?.expiryUtc),
  }
}

/**
 * Returns the level of a result: its own, else its rule's, else `warning`; a kind other than `fail` has level `none`.
 */
function levelOf(result: JsonObject, rule: JsonObject | undefined): string {
  if (typeof result.level === 'string') return result.level
  if (typeof result.kind === 'string' && result.kind !== 'fail') return 'none'
  return textOf(objectOf(rule?.defaultConfiguration)?.level) ?? 'warning'
}

export function draftOf(result: JsonObject, run: Run, pointer: string): FindingDraft {
  const rule = run.ruleOf(result)
  const ruleProperties = objectOf(rule?.properties) ?? {}
  const properties = objectOf(result.properties) ?? {}
  const tags = [...listOf(ruleProperties.tags), ...listOf(properties.tags)].filter((tag) => typeof tag === 'string')
  const message = messageOf(result, rule, run.sharedMessages)
  const place = placeOf(result, run)
  if (place.isOdd) run.tally.add('A line number below 1 was left out', `${pointer}/locations/0`)
  const packageName = packageOf(message, ruleProperties, properties)
  const reportType = typeOfResult(run, tags, packageName)
  const ruleId = idOf(result) ?? textOf(rule?.id)
  const short = textIn(rule?.shortDescription)
  const full = textIn(rule?.fullDescription) ?? textIn(rule?.help)
  const isSecret = reportType === 'secret_detection'
  const cvss = vectorsOf(ruleProperties, properties)
  return {
    reportType,
    scanner: run.scanner,
    identifiers: run.identifiersOf(
      [
        ...ruleIds(ruleId, rule, run),
        ...weaknessIds([...tags, ...weaknessesOf(rule, ruleProperties), ...listOf(result.taxa).map(taxonOf)]),
      ],
      `${pointer}/ruleId`,
    ),
    location: locationOf(place, reportType, run, packageName),
    // Without a file, only the message distinguishes the results of a rule.
    ...(place.file === undefined && {
      isPlaceless: true,
      signatures: [{ algorithm: 'hash', sha: hash('sha1', `${place.symbol ?? ''}\n${message ?? ''}`) }],
    }),
    name: short ?? textOf(rule?.name) ?? firstLine(message) ?? ruleId,
    description: [...new Set([message, full])].filter(Boolean).join('\n\n'),
    solution: objectsOf(result.fixes)
      .map((fix) => textIn(fix.description))
      .find(Boolean),
    severity: severityOf(result, rule, cvss, run),
    confidence: gradeOn(precisions, ruleProperties.precision),
    links: [rule?.helpUri, result.hostedViewerUri].filter((url) => textOf(url)).map((url) => ({ url })),
    cvss,
    codeExtract: isSecret ? undefined : place.snippet,
    fingerprints: [result.fingerprints, result.partialFingerprints].flatMap(fingerprintsIn),
    doubt: doubtOf(result, run),
    rawMetadata: JSON.stringify(result),
    metadataVersion: run.version,
  }
}

const fingerprintsIn = (bag: unknown): Fingerprint[] =>
  Object.entries(objectOf(bag) ?? {}).flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []))

/** Returns the identifiers of a rule. A rule named after a vulnerability has the identifier of that vulnerability. */
function ruleIds(ruleId: string | undefined, rule: JsonObject | undefined, run: Run): RawIdentifier[] {
  if (ruleId === undefined) return [{ type: run.ruleType, name: 'No rule', value: 'none' }]
  // Linear time: it is anchored, and the repetitions are separated by dashes.
  const vulnerability = /^(?:CVE-\d+-\d+|GHSA(?:-[0-9a-z]{4}){3})/i.exec(ruleId)?.[0]
  const own = { type: run.ruleType, name: ruleId, value: ruleId, url: textOf(rule?.helpUri) }
  return vulnerability ? [vulnerabilityId(vulnerability), ...(vulnerability === ruleId ? [] : [own])] : [own]
}

function weaknessesOf(rule: JsonObject | undefined, properties: JsonObject): unknown[] {
  const related = objectsOf(rule?.relationships).map(({ target }) => taxonOf(target))
  return [...related, ...[properties.cwe].flat().filter((cwe) => typeof cwe === 'string')]
}

/** Returns the id of a taxon; a number in the CWE taxonomy becomes a CWE id. */
function taxonOf(reference: unknown): string | undefined {
  const taxon = objectOf(reference) ?? {}
  const id = textOf(taxon.id)
  const taxonomy = textOf(objectOf(taxon.toolComponent)?.name)
  return id && taxonomy === 'CWE' && /^\d+$/.test(id) ? `CWE-${id}` : id
}

function locationOf(place: Place, reportType: string, run: Run, packageName: string | undefined): JsonObject {
  const file = { ...(place.file !== undefined && { file: place.file }) }
  const dependency = { package: { name: packageName ?? '' }, version: '' }
  if (reportType === 'dependency_scanning') return { ...file, dependency }
  if (reportType.startsWith('container_scanning')) {
    return { image: run.image ?? place.file ?? '', operating_system: 'Unknown', dependency, ...file }
  }
  if (reportType === 'dast' || reportType === 'api_fuzzing') return { path: place.file ?? '', ...file }
  const commit = reportType === 'secret_detection' && { commit: unknownCommit }
  return {
    ...file,
    ...linesOf(place.startLine, place.endLine),
    ...(place.symbol && { method: place.symbol }),
    ...commit,
  }
}

/** Returns the package name, from the properties or from the fixed message formats of package scanners. */
function packageOf(message: string | undefined, ...properties: readonly JsonObject[]): string | undefined {
  const named = properties.map((bag) => textOf(bag.packageName) ?? textOf(bag.pkgName)).find(Boolean)
  // Linear time: the text has at most 2,000 characters.
  const told =
    /^Package: (\S{1,300})$/m.exec(message?.slice(0, 2000) ?? '') ??
    / vulnerability in \S+ package: (\S{1,300}),/.exec(message?.slice(0, 2000) ?? '')
  return named ?? told?.[1]
}

function severityOf(result: JsonObject, rule: JsonObject | undefined, cvss: CvssVector[], run: Run): Severity {
  const bags = [objectOf(result.properties) ?? {}, objectOf(rule?.properties) ?? {}]
  const score = bags.map((bag) => scoreIn(bag['security-severity'])).find((number) => number !== undefined)
  const level = levelOf(result, rule)
  return (
    (score === undefined ? undefined : severityOfScore(score)) ??
    severityOfVectors(cvss, run.scoreOf) ??
    levels.get(level) ??
    'unknown'
  )
}

/** Parses a score from a string or a number; returns undefined outside 0 to 10. */
function scoreIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\s*\d{1,2}(?:\.\d{1,10})?\s*$/.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= 0 && number <= 10 ? number : undefined
}

const levels: ReadonlyMap<string, Severity> = new Map([
  ['error', 'high'],
  ['warning', 'medium'],
  ['note', 'low'],
  ['none', 'info'],
])

const precisions: ReadonlyMap<string, Confidence> = new Map([
  ['very-high', 'high'],
  ['high', 'high'],
  ['medium', 'medium'],
  ['low', 'low'],
])

/** Returns the CVSS vectors that Trivy writes into the properties of a rule. */
const vectorsOf = (...bags: JsonObject[]): CvssVector[] =>
  bags.flatMap((bag) =>
    ['cvssv4_vector', 'cvssv3_vector', 'cvssv2_vector'].flatMap((key) => {
      const vector = textOf(bag[key])
      return vector ? [{ vendor: 'unknown', vector }] : []
    }),
  )

const firstLine = (text: string | undefined): string | undefined => text?.split('\n', 1)[0]
