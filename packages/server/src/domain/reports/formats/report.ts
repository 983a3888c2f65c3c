import type { ReportProblem } from '../../../platform/failure.ts'
import type { Confidence, ReportType, Severity } from '../../vulnerabilities/scales.ts'
import type { Gap } from './gaps.ts'
import type { Fingerprint } from './result-fingerprints.ts'

/** What a report says, whatever format it was written in. Every format reads into this, and ingestion knows only this. */
export interface Report {
  format: string
  /** The format's own version, as declared in the file. */
  version: string
  reportType: ReportType
  /** All that the scan looked for, `reportType` first: what is not in the report any more is gone. */
  reportTypes: readonly ReportType[]
  /** Who scanned; where there is no scan, the scanner of the first finding. Each finding names its own. */
  scanner: Scanner | undefined
  /** Everybody who scanned, as far as the report says so apart from its findings. */
  scanners: readonly Scanner[]
  analyzer: Analyzer | undefined
  scan: Scan
  findings: ReportFinding[]
  /** What was scanned, without its version: see artifacts.ts. Undefined where the format or the report does not say. */
  artifact: string | undefined
  /** Number of files that the scanner looked at. Undefined where the report does not say. */
  scannedFiles: number | undefined
  /** Worth telling the person who sent the report; none of these keeps it out. */
  warnings: ReportProblem[]
  /** Entries that cannot be stored as a finding, so that none disappears in silence. */
  skipped: SkippedFinding[]
  /** What the report cannot speak for; a finding with a `doubt` adds to it. */
  gaps: Gap[]
  /** Entries that repeat another one of the same report. */
  merged: MergedFinding[]
  /** `read` is every entry of the file: findings + skipped + merged. */
  counts: { read: number; skipped: number; merged: number }
}

export interface Scanner {
  externalId: string
  name: string
  vendor: string
  version: string | undefined
}

export interface Analyzer {
  externalId: string
  name: string
  vendor: string
  version: string
}

export interface Scan {
  /** As the report says; what it cannot speak for then is among its gaps. */
  status: 'success' | 'failure'
  /** ISO 8601 in UTC; undefined when absent or no real point in time. */
  startTime: string | undefined
  endTime: string | undefined
  /** For whoever ran the scanner: `info`, `warn` or `fatal`, as the schema of GitLab's reports has them. */
  messages: { level: string; value: string }[]
  /** The rules this scan looked for; undefined when the report does not list them. */
  primaryIdentifiers: Identifier[] | undefined
}

export interface ReportFinding {
  uuid: string
  /** Where it is in the file, as a JSON pointer. */
  pointer: string
  reportType: ReportType
  name: string
  description: string | undefined
  solution: string | undefined
  severity: Severity
  confidence: Confidence
  scanner: Scanner
  /** At most `maxIdentifiers`; the first is the primary one. */
  identifiers: [Identifier, ...Identifier[]]
  location: JsonObject
  /** Always the SHA-1 of the location, also when the uuid was made from a signature. */
  locationFingerprint: string
  /** Best first. */
  signatures: Signature[]
  /** What the scanner recognises it by, best first; not part of the uuid. */
  fingerprints: readonly Fingerprint[]
  /** The code that was found fault with, as the scanner quotes it; never a secret itself. */
  codeExtract: string | undefined
  links: Link[]
  flags: Flag[]
  evidence: JsonObject | undefined
  assets: Asset[]
  details: JsonObject
  cvss: CvssVector[]
  remediations: Remediation[]
  cve: string | undefined
  /** JSON text of this entry of the report, with its remediations. */
  rawMetadata: string
  metadataVersion: string
  /** Two findings that share any of these are the same finding. */
  keys: string[]
  /** Why the entry may stand for another finding than it names: a part of its identity cannot be read. */
  doubt: string | undefined
}

export interface Identifier {
  externalType: string
  externalId: string
  name: string
  url: string | undefined
  fingerprint: string
}

export interface Signature {
  algorithm: SignatureAlgorithm
  sha: string
}

/** From worst to best. */
export const signatureAlgorithms = [
  'hash',
  'location',
  'scope_offset',
  'scope_offset_compressed',
  'rule_value',
] as const
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number]

export interface Link {
  name: string | undefined
  url: string
}

export interface Flag {
  type: 'false_positive'
  origin: string
  description: string
}

export interface Asset {
  type: string
  name: string
  url: string
}

export interface CvssVector {
  vendor: string
  vector: string
}

export interface Remediation {
  summary: string
  /** Base64, as written; not checked. */
  diff: string
}

export interface SkippedFinding {
  pointer: string
  reason: string
  /** The report says on purpose that it is no finding. Any other skipped entry could not be read. */
  isSettled?: true
}

export interface MergedFinding {
  pointer: string
  uuid: string
  /** The finding that stays in its place. */
  into: string
}

/** An object as `JSON.parse` makes it: it may own a key `__proto__`, so never copy it by assignment. */
export type JsonObject = { [key: string]: unknown }

export const maxIdentifiers = 20
