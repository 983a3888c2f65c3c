import type { PackageParts } from '../../../findings/package-url.ts'
import { confidences, type ReportType, severities } from '../../../findings/scales.ts'
import { type FindingDraft, finishFinding } from '../draft.ts'
import { severityOfVectors } from '../fields/cvss-score.ts'
import { ecosystemOfFile, packageIn } from '../fields/ecosystems.ts'
import type { IdentifierReader } from '../fields/identifiers.ts'
import { objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { shorten } from '../fields/shorten.ts'
import { signaturesOf } from '../identity/fingerprints.ts'
import type {
  Asset,
  CvssVector,
  Flag,
  JsonObject,
  Remediation,
  ReportFinding,
  Scanner,
  Signature,
  SkippedFinding,
} from '../report.ts'
import type { OpenOptions } from '../report-format.ts'
import { isCvssVector } from './cvss-check.ts'
import { doubtOf } from './gaps.ts'
import type { Images } from './images.ts'

/** Context for reading the findings of a report. */
export interface FindingContext extends OpenOptions {
  reportType: ReportType
  version: string
  analyzerId: string | undefined
  /** Resolves image names of the default branch; undefined on the default branch itself. */
  images: Images | undefined
  scannerOf: (vulnerability: JsonObject) => Scanner | undefined
  identifiersOf: IdentifierReader
  remediationOf: (vulnerability: JsonObject) => JsonObject | undefined
  rawText: (vulnerability: JsonObject, remediation: JsonObject | undefined) => { raw: string; complete: boolean }
}

/** Reads one vulnerability of a report. Fields that violate the schema count as absent, unless the entry needs them. */
export function readFinding(
  context: FindingContext,
  vulnerability: JsonObject,
  pointer: string,
  exact: unknown,
): ReportFinding | SkippedFinding {
  const { reportType, tally } = context
  const remediation = context.remediationOf(vulnerability)
  const { raw, complete } = context.rawText(vulnerability, remediation)
  if (!complete) tally.add('A remediation shared by many findings is not repeated in all of them', pointer)
  const location = objectOf(vulnerability.location)
  const onDefaultBranch = context.images?.onDefaultBranch ?? ((place: JsonObject) => place)
  const cvss = readVectors(vulnerability.cvss_vectors)
  const draft: FindingDraft = {
    reportType,
    scanner: context.scannerOf(vulnerability),
    identifiers: context.identifiersOf(vulnerability.identifiers, `${pointer}/identifiers`),
    location,
    fingerprinted: location && withExactLines(onDefaultBranch(location), objectOf(exact)?.location),
    analyzerId: context.analyzerId,
    signatures: readSignatures(vulnerability.tracking),
    // Version 14.x has the name in `message`.
    name: textOf(vulnerability.name) ?? textOf(vulnerability.message),
    description: textOf(vulnerability.description),
    solution: textOf(vulnerability.solution) ?? textOf(remediation?.summary)?.trim(),
    severity: wordOf(severities, vulnerability.severity) ?? severityOfVectors(cvss, context.scoreOf) ?? 'unknown',
    confidence: wordOf(confidences, vulnerability.confidence),
    links: vulnerability.links,
    flags: readFlags(vulnerability.flags),
    evidence: readEvidence(reportType, vulnerability.evidence),
    assets: readAssets(reportType, vulnerability.assets),
    details: objectOf(vulnerability.details),
    cvss,
    remediations: complete ? readRemediations(remediation) : [],
    cve: textOf(vulnerability.cve)?.trim(),
    package: packageAt(reportType, location),
    // The code extract of a secret would contain the secret.
    codeExtract: reportType === 'secret_detection' ? undefined : textOf(vulnerability.raw_source_code_extract),
    doubt: doubtOf(reportType, vulnerability),
    rawMetadata: raw,
    metadataVersion: context.version,
  }
  return finishFinding(draft, pointer, context)
}

/** Returns the package of a dependency scan, whose ecosystem follows from the name of the scanned file. */
function packageAt(reportType: ReportType, location: JsonObject | undefined): PackageParts | undefined {
  if (reportType !== 'dependency_scanning') return undefined
  const dependency = objectOf(location?.dependency)
  const name = textOf(objectOf(dependency?.package)?.name)
  return packageIn(ecosystemOfFile(textOf(location?.file) ?? ''), name, textOf(dependency?.version))
}

/** Replaces line numbers by their verbatim text, which fingerprints include. */
function withExactLines(location: JsonObject, exact: unknown): JsonObject {
  const lines = objectOf(exact)
  if (!lines) return location
  const written = ['start_line', 'end_line'].filter((key) => typeof lines[key] === 'string')
  return { ...location, ...Object.fromEntries(written.map((key) => [key, lines[key]])) }
}

const readVectors = (value: unknown): CvssVector[] =>
  objectsOf(value)
    .filter(isCvssVector)
    .map(({ vendor, vector }) => ({ vendor: String(vendor), vector: String(vector) }))

const readRemediations = (remediation: JsonObject | undefined): Remediation[] => {
  const { summary, diff } = remediation ?? {}
  return typeof summary === 'string' && typeof diff === 'string' ? [{ summary: shorten(summary, 200), diff }] : []
}

function wordOf<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  const lower = typeof value === 'string' ? value.toLowerCase() : ''
  return words.find((word) => word === lower)
}

function readSignatures(tracking: unknown): Signature[] {
  const tracked = objectsOf(objectOf(tracking)?.items)
    .flatMap(({ signatures }) => objectsOf(signatures))
    .filter(isTracked)
  return signaturesOf(tracked)
}

const isTracked = (entry: JsonObject): entry is { algorithm: string; value: string } =>
  typeof entry.algorithm === 'string' && typeof entry.value === 'string'

/** Reads flags, one per scanner. `false_positive` is the only kind that GitLab has. */
function readFlags(value: unknown): Flag[] {
  const flags = new Map<string, Flag>()
  for (const { origin, description } of objectsOf(value)) {
    const by = shorten(textOf(origin) ?? '', 255)
    if (!flags.has(by)) {
      flags.set(by, { type: 'false_positive', origin: by, description: shorten(textOf(description) ?? '', 1000) })
    }
  }
  return [...flags.values()]
}

const isDynamic = (reportType: ReportType): boolean => reportType === 'dast' || reportType === 'api_fuzzing'

const evidenceKeys = ['summary', 'request', 'response', 'source', 'supporting_messages'] as const

function readEvidence(reportType: ReportType, value: unknown): JsonObject | undefined {
  const evidence = objectOf(value)
  if (!evidence || !isDynamic(reportType)) return undefined
  return Object.fromEntries(
    evidenceKeys.filter((key) => Object.hasOwn(evidence, key)).map((key) => [key, evidence[key]]),
  )
}

function readAssets(reportType: ReportType, value: unknown): Asset[] {
  if (!isDynamic(reportType)) return []
  return objectsOf(value).flatMap(({ type, name, url }) =>
    typeof type === 'string' && typeof name === 'string' && typeof url === 'string' ? [{ type, name, url }] : [],
  )
}
