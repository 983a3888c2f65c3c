import { confidences, type ReportType, severities } from '../../vulnerabilities/scales.ts'
import { deduplicationKeys } from '../deduplicate.ts'
import { findingUuid, locationFingerprint, signatureHex, signaturesOf } from '../fingerprints.ts'
import { objectOf, objectsOf, textOf } from '../json-fields.ts'
import {
  type Asset,
  type Flag,
  type Identifier,
  type JsonObject,
  maxIdentifiers,
  type ReportFinding,
  type Scanner,
  type Signature,
} from '../report.ts'
import { shorten } from '../shorten.ts'
import type { Tally } from '../tally.ts'
import { isCvssVector } from './cvss.ts'
import { readLinks } from './links.ts'
import { deriveName } from './names.ts'

/** What all findings of one report are read with. */
export interface ReportContext {
  projectId: number
  reportType: ReportType
  version: string
  analyzerId: string | undefined
  scannerOf: (vulnerability: JsonObject) => Scanner | undefined
  identifiersOf: (value: unknown, pointer: string) => Identifier[]
  remediationOf: (vulnerability: JsonObject) => JsonObject | undefined
  rawText: (vulnerability: JsonObject, remediation: JsonObject | undefined) => { raw: string; complete: boolean }
  /** The location with its line numbers as they were written, where printing them from a number would differ. */
  exactLocation: (index: number, location: JsonObject) => JsonObject
  tally: Tally
}

/** One valid vulnerability of a report, or the reason why it cannot be a finding. */
export function readFinding(context: ReportContext, vulnerability: JsonObject, index: number): ReportFinding | string {
  const { projectId, reportType, tally } = context
  const pointer = `/vulnerabilities/${index}`
  const dropUrl = (at: string) => tally.add('An address that is not http, https or ftp, or too long, was left out', at)

  const scanner = context.scannerOf(vulnerability)
  if (!scanner) return 'it names no scanner, and neither does the scan'
  const all = context.identifiersOf(vulnerability.identifiers, `${pointer}/identifiers`)
  const [primary, ...others] = all
  if (!primary) return 'it has no identifier'
  const location = objectOf(vulnerability.location)
  if (!location) return 'its location is not an object'

  const place = locationFingerprint(reportType, context.exactLocation(index, location), context.analyzerId)
  const signatures = readSignatures(vulnerability.tracking)
  const places = [...signatures.map(signatureHex), place]
  const uuid = findingUuid(reportType, primary.fingerprint, places[0] ?? place, projectId)

  if (all.length > maxIdentifiers) {
    tally.add(
      `A finding has more than ${maxIdentifiers} identifiers; only the first ${maxIdentifiers} are kept`,
      pointer,
    )
  }
  const limited = (key: 'description' | 'solution', max: number): string | undefined => {
    const text = textOf(vulnerability[key])
    const short = text && shorten(text, max)
    if (short !== text) tally.add(`A ${key} of more than ${max} characters was shortened`, `${pointer}/${key}`)
    return short
  }
  const remediation = context.remediationOf(vulnerability)
  const { raw, complete } = context.rawText(vulnerability, remediation)
  if (!complete) tally.add('A remediation shared by many findings is not repeated in their raw metadata', pointer)

  return {
    uuid,
    pointer,
    reportType,
    name: nameOf(vulnerability) ?? shorten(deriveName(reportType, all, location), 255),
    description: limited('description', 15_000),
    solution: limited('solution', 7000) ?? shortText(remediation?.summary, 7000),
    severity: wordOf(severities, vulnerability.severity),
    confidence: wordOf(confidences, vulnerability.confidence),
    scanner,
    identifiers: [primary, ...others.slice(0, maxIdentifiers - 1)],
    location,
    locationFingerprint: place,
    signatures,
    links: readLinks(vulnerability.links, `${pointer}/links`, dropUrl),
    flags: readFlags(vulnerability.flags),
    evidence: readEvidence(reportType, vulnerability.evidence),
    assets: readAssets(reportType, vulnerability.assets),
    details: objectOf(vulnerability.details) ?? {},
    cvss: objectsOf(vulnerability.cvss_vectors)
      .filter(isCvssVector)
      .map(({ vendor, vector }) => ({ vendor: String(vendor), vector: String(vector) })),
    remediations: remediation
      ? [{ summary: shorten(String(remediation.summary), 200), diff: String(remediation.diff) }]
      : [],
    cve: shortText(vulnerability.cve, 48_400),
    rawMetadata: raw,
    metadataVersion: context.version,
    keys: deduplicationKeys(uuid, all, places),
  }
}

/** 14.x wrote the name into `message`. */
const nameOf = ({ name, message }: JsonObject): string | undefined => shortText(name, 255) ?? shortText(message, 255)

const shortText = (value: unknown, max: number): string | undefined => {
  const text = textOf(value)?.trim()
  return text && shorten(text, max)
}

function wordOf<Word extends string>(words: readonly Word[], value: unknown): Word | 'unknown' {
  const lower = typeof value === 'string' ? value.toLowerCase() : ''
  return words.find((word) => word === lower) ?? 'unknown'
}

function readSignatures(tracking: unknown): Signature[] {
  const tracked = objectsOf(objectOf(tracking)?.items)
    .flatMap(({ signatures }) => objectsOf(signatures))
    .filter(isTracked)
  return signaturesOf(tracked)
}

const isTracked = (entry: JsonObject): entry is { algorithm: string; value: string } =>
  typeof entry.algorithm === 'string' && typeof entry.value === 'string'

/** GitLab knows no other kind of flag; one scanner's word counts once. */
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
  return objectsOf(value).map(({ type, name, url }) => ({ type: String(type), name: String(name), url: String(url) }))
}
