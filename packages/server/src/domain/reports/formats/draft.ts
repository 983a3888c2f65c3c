import type { PackageParts } from '../../findings/package-url.ts'
import type { Confidence, ReportType, Severity } from '../../findings/scales.ts'
import { deriveName } from './fields/finding-name.ts'
import { readLinks } from './fields/links.ts'
import { shorten } from './fields/shorten.ts'
import { deduplicationKeys } from './identity/deduplicate.ts'
import { findingUuid, locationFingerprint, signatureHex } from './identity/fingerprints.ts'
import { chooseFingerprints, type Fingerprint } from './identity/result-fingerprints.ts'
import type { Tally } from './problems/tally.ts'
import {
  type Asset,
  type CvssVector,
  type Flag,
  type Identifier,
  type JsonObject,
  maxIdentifiers,
  type Remediation,
  type ReportFinding,
  type Scanner,
  type Signature,
  type SkippedFinding,
} from './report.ts'

/** Fields of an entry that depend on the format. `finishFinding` adds the rest, which is the same for all formats. */
export interface FindingDraft {
  reportType: ReportType
  scanner: Scanner | undefined
  /** The first is the primary one. */
  identifiers: readonly Identifier[]
  location: JsonObject | undefined
  /** Location to compute the fingerprint from, if it differs. */
  fingerprinted?: JsonObject | undefined
  /** Id of the analyzer, if it determines how package names are normalised. */
  analyzerId?: string | undefined
  /** Best first. If there are any, they replace the location in the uuid. */
  signatures?: Signature[] | undefined
  /** Fingerprints that the scanner assigns to the result, as written. */
  fingerprints?: readonly Fingerprint[] | undefined
  /** True if the location carries no information, so that only a signature distinguishes findings. */
  isPlaceless?: boolean | undefined
  name?: string | undefined
  description?: string | undefined
  solution?: string | undefined
  severity: Severity
  confidence?: Confidence | undefined
  /** Objects with `url` and an optional `name`, not validated. */
  links?: unknown
  flags?: Flag[] | undefined
  evidence?: JsonObject | undefined
  assets?: Asset[] | undefined
  details?: JsonObject | undefined
  cvss?: CvssVector[] | undefined
  remediations?: Remediation[] | undefined
  cve?: string | undefined
  /** Package URL that the report states, or what one is built from. */
  package?: string | PackageParts | undefined
  /** True if neither the entry nor its location determines the package URL. */
  isPackageElsewhere?: boolean | undefined
  codeExtract?: string | undefined
  /** Reason why the entry may represent another finding than its uuid says. */
  doubt?: string | undefined
  /** JSON text of the entry. */
  rawMetadata: string
  metadataVersion: string
}

export interface FinishOptions {
  projectId: number
  tally: Tally
}

const maxDescription = 15_000
const maxSolution = 7000
const maxCve = 48_400
const maxExtract = 10_000

/** Completes a draft, or returns the reason why the entry is skipped. */
export function finishFinding(
  draft: FindingDraft,
  pointer: string,
  { projectId, tally }: FinishOptions,
): ReportFinding | SkippedFinding {
  const { reportType, scanner, location, identifiers } = draft
  if (!scanner) return { pointer, reason: 'it names no scanner, and neither does the scan' }
  const [primary, ...others] = identifiers
  if (!primary) return { pointer, reason: 'it has no identifier' }
  if (!location) return { pointer, reason: 'its location is not an object' }

  const signatures = draft.signatures ?? []
  const place = locationFingerprint(reportType, draft.fingerprinted ?? location, draft.analyzerId)
  const signed = signatures.map(signatureHex)
  const places = draft.isPlaceless && signed.length > 0 ? signed : [...signed, place]
  const uuid = findingUuid(reportType, primary.fingerprint, places[0] ?? place, projectId)

  if (identifiers.length > maxIdentifiers) {
    const what = `A finding has more than ${maxIdentifiers} identifiers; only the first ${maxIdentifiers} are kept`
    tally.add(what, pointer)
  }
  const limited = (key: 'description' | 'solution', max: number): string | undefined => {
    const text = filled(draft[key])
    const short = text && shorten(text, max)
    if (short !== text) tally.add(`A ${key} of more than ${max} characters was shortened`, `${pointer}/${key}`)
    return short
  }
  const dropUrl = (at: string) => tally.add('An address that is not http, https or ftp, or too long, was left out', at)
  return {
    uuid,
    pointer,
    reportType,
    name: shorten(filled(draft.name)?.trim() ?? deriveName(reportType, identifiers, location), 255),
    description: limited('description', maxDescription),
    solution: limited('solution', maxSolution),
    severity: draft.severity,
    confidence: draft.confidence ?? 'unknown',
    scanner,
    identifiers: [primary, ...others.slice(0, maxIdentifiers - 1)],
    location,
    locationFingerprint: place,
    signatures,
    fingerprints: chooseFingerprints(draft.fingerprints ?? []),
    codeExtract: draft.codeExtract && shorten(draft.codeExtract, maxExtract),
    links: readLinks(draft.links, `${pointer}/links`, dropUrl),
    flags: draft.flags ?? [],
    evidence: draft.evidence,
    assets: draft.assets ?? [],
    details: draft.details ?? {},
    cvss: draft.cvss ?? [],
    remediations: draft.remediations ?? [],
    cve: draft.cve && shorten(draft.cve, maxCve),
    package: draft.package,
    isPackageDigested: draft.isPackageElsewhere ?? false,
    rawMetadata: draft.rawMetadata,
    metadataVersion: draft.metadataVersion,
    keys: deduplicationKeys(uuid, identifiers, places),
    doubt: draft.doubt,
  }
}

const filled = (text: string | undefined): string | undefined => (text?.trim() ? text : undefined)
