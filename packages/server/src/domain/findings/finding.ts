import type { Confidence, Severity, State } from './scales.ts'

/** What a scanner reported, stored once per project. Users triage it after its promotion to a vulnerability. */
export interface Finding {
  id: number
  projectId: number
  vulnerabilityId: number | null
  uuid: string
  reportType: string
  scannerId: number
  primaryIdentifierId: number
  name: string
  description: string | null
  solution: string | null
  severity: Severity
  confidence: Confidence
  cve: string | null
  /** Canonical package URL; null if there is no package or its ecosystem is unknown. */
  packageUrl: string | null
  location: object
  locationFingerprint: string
  details: object
  metadataVersion: string
  /** JSON text of the scanner's entry. */
  rawMetadata: string
  detectedAt: string
  createdAt: string
  updatedAt: string
  /** Raised by every change of the stored row. */
  version: number
}

/** A finding as the response to an import shows it. */
export interface FindingSummary {
  uuid: string
  name: string
  severity: Severity
  reportType: string
  location: object
}

/** Fields of a finding that are shown but never searched. */
export interface FindingExtras {
  links: readonly { name?: string | undefined; url: string }[]
  flags: readonly { type: string; origin: string; description: string }[]
  evidence: object | null
  assets: readonly { type: string; name: string; url: string }[]
  cvss: readonly { vendor: string; vector: string }[]
  remediations: readonly { summary: string; diff: string }[]
  signatures: readonly { algorithm: string; sha: string }[]
}

export interface StoredScanner {
  id: number
  externalId: string
  name: string
  vendor: string
}

export interface StoredIdentifier {
  id: number
  externalType: string
  externalId: string
  name: string
  url: string | null
}

/** An identifier of a report, ready to be stored. */
export interface IdentifierContent extends Omit<StoredIdentifier, 'id' | 'url'> {
  url: string | undefined
  fingerprint: string
}

/** A finding in the list of findings: with scanner and identifiers, without the scanner's raw entry. */
export interface ListedFinding extends Omit<Finding, UnlistedField> {
  extras: FindingExtras
  state: State
  /** Id of the newest import that observed it on the ref. */
  lastImportId: number | null
  /** Changes with everything that is shown of it, apart from the history and links of its vulnerability. */
  version: string
  /** Whether its vulnerability has history or links. */
  hasTriage: boolean
  /** Whether its report has a fix. */
  hasFix: boolean
  scanner: StoredScanner
  identifiers: StoredIdentifier[]
}

type UnlistedField =
  | 'projectId'
  | 'scannerId'
  | 'primaryIdentifierId'
  | 'cve'
  | 'locationFingerprint'
  | 'metadataVersion'
  | 'rawMetadata'
  | 'detectedAt'
  | 'createdAt'
  | 'updatedAt'
  | 'version'
