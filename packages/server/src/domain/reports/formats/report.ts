import type { ReportProblem } from '../../../platform/failure.ts'
import type { PackageParts } from '../../findings/package-url.ts'
import type { Confidence, ReportType, Severity } from '../../findings/scales.ts'
import type { Suppression } from '../../vulnerabilities/suppressions/suppression.ts'
import type { Gap } from './gaps.ts'
import type { Fingerprint } from './identity/result-fingerprints.ts'

/** The content of a report, independent of its format. Every format produces it, and the import depends on it alone. */
export interface Report {
  format: string
  /** Version of the format, as declared in the file. */
  version: string
  reportType: ReportType
  /**
   * All types that the scan covers, `reportType` first. Known findings of these types that the report lacks are absent.
   */
  reportTypes: readonly ReportType[]
  /** Scanner of the report or, if there is no scan, of the first finding. Each finding has its own. */
  scanner: Scanner | undefined
  /** All scanners that the report names outside its findings. */
  scanners: readonly Scanner[]
  analyzer: Analyzer | undefined
  scan: Scan
  findings: ReportFinding[]
  /** Scanned artifact without its version: see artifacts.ts. Undefined if the report does not state it. */
  artifact: string | undefined
  /** Number of scanned files. Null if the report does not state it, undefined if its format never does. */
  scannedFiles: number | null | undefined
  /** Warnings for the sender of the report, which is imported nevertheless. */
  warnings: ReportProblem[]
  /** Entries that cannot be stored as a finding. */
  skipped: SkippedFinding[]
  /** Parts of the scan that the report does not cover. Findings with a `doubt` add to them. */
  gaps: Gap[]
  /** Number of skipped entries that are suppressed and could be read. */
  skippedSuppressed: number
  /** Pointers of suppressed findings that another entry of the report states without a suppression. */
  unsuppressed: string[]
  /** Entries that duplicate another entry of the report. */
  merged: MergedFinding[]
  /** `read` is the number of all entries: findings, skipped and merged. */
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
  /** Status in the report; a failed scan adds to the gaps. */
  status: 'success' | 'failure'
  /** ISO 8601 in UTC; undefined when absent or invalid. */
  startTime: string | undefined
  endTime: string | undefined
  /** Messages of the scanner, with the levels of GitLab's schema: `info`, `warn` or `fatal`. */
  messages: { level: string; value: string }[]
  /** Rules that the scan evaluated; undefined if the report does not list them. */
  primaryIdentifiers: Identifier[] | undefined
}

export interface ReportFinding {
  uuid: string
  /** JSON pointer of the entry. */
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
  /** SHA-1 of the location, even if the uuid was computed from a signature. */
  locationFingerprint: string
  /** Best first. */
  signatures: Signature[]
  /** Fingerprints of the scanner, best first; not part of the uuid. */
  fingerprints: readonly Fingerprint[]
  /** Quoted code of the finding; never a secret itself. */
  codeExtract: string | undefined
  links: Link[]
  flags: Flag[]
  evidence: JsonObject | undefined
  assets: Asset[]
  details: JsonObject
  cvss: CvssVector[]
  remediations: Remediation[]
  cve: string | undefined
  /** Package URL that the report states, or what one is built from; see `packageOf`. */
  package: string | PackageParts | undefined
  /** True if the digest covers the package, because the rest of the finding does not determine it. */
  isPackageDigested: boolean
  /** JSON text of the entry, with its remediations. */
  rawMetadata: string
  metadataVersion: string
  /** Deduplication keys: findings that share one are duplicates. */
  keys: string[]
  /** Reason why the entry may represent another finding than its uuid says: a part of its identity is unreadable. */
  doubt: string | undefined
  /** Set if the report states that the finding is suppressed. */
  suppression?: Suppression | undefined
  /** Hash of the bytes of the entry, if the entry can be cached. */
  entryHash?: string | undefined
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

/** Algorithms from the least to the most reliable. */
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
  /** Base64, as written; not validated. */
  diff: string
}

export interface SkippedFinding {
  pointer: string
  reason: string
  /** True if the report states that the entry is no finding. Other skipped entries are unreadable. */
  isSettled?: true
  /** True if it is skipped only because the import does not read suppressed entries. */
  isSuppressed?: true
}

export interface MergedFinding {
  pointer: string
  uuid: string
  /** Pointer of the finding that stays. */
  into: string
}

/** An object from `JSON.parse`. It may own a key `__proto__`, so never copy it by assignment. */
export type JsonObject = { [key: string]: unknown }

export const maxIdentifiers = 20
