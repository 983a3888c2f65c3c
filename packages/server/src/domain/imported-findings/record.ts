import type { FindingExtras } from '../findings/finding.ts'
import type { Confidence, DismissalReason, ReportType, Severity, State } from '../findings/scales.ts'

/** Products whose findings can be imported. Their names are part of the identity of a record. */
export const importSources = [
  'gitlab',
  'defectdojo',
  'dependency-track',
  'github',
  'secobserve',
  'alcove',
  'csv',
] as const
type ImportSource = (typeof importSources)[number]

/** A finding of another product, independent of the product. */
export interface FindingRecord {
  /** Id in the product. */
  id: string
  url: string | undefined
  name: string
  description: string | null
  solution: string | null
  severity: Severity
  reportType: ReportType | 'generic'
  scanner: { externalId: string; name: string; vendor: string }
  /** Ids of the flaw or of the rule, the primary one first. */
  identifiers: readonly RecordIdentifier[]
  /** Location as reports have it; empty if the product does not know it. */
  location: { readonly [key: string]: unknown }
  packageUrl: string | undefined
  state: State
  dismissalReason: DismissalReason | undefined
  dismissedUntil: string | undefined
  dismissedUntilFixed: boolean
  /** Reason in words, of the decision. */
  comment: string | undefined
  decidedAt: string | undefined
  decidedBy: string | undefined
  /** Earlier changes of the state, oldest first. */
  earlierDecisions: readonly EarlierDecision[]
  comments: readonly RecordComment[]
  assignee: string | undefined
  /** Severity that a user has set. */
  setSeverity: Severity | undefined
  dueOn: string | undefined
  tags: readonly string[]
  links: readonly { url: string; title: string | undefined }[]
  detectedAt: string | undefined
  /** What exports of Alcove have beyond that. */
  exact: ExactRecord | undefined
  /** Hash of the record as it was sent. */
  digest: string
}

export interface RecordIdentifier {
  externalType: string
  externalId: string
  name: string
  url: string | undefined
}

/** A change of the state that a later one has replaced. */
export type EarlierDecision = Pick<FindingRecord, 'state' | 'dismissalReason' | 'comment' | 'decidedAt' | 'decidedBy'>

export interface RecordComment {
  body: string
  author: string | undefined
  createdAt: string | undefined
}

/** A vulnerability of Alcove as its export describes it, so that an administrator can restore it. */
export interface ExactRecord {
  /** Project of the export. Its uuids are valid in this project only. */
  projectId: number | undefined
  uuid: string | undefined
  confidence: Confidence
  cve: string | null
  locationFingerprint: string | undefined
  details: object
  extras: FindingExtras
  metadataVersion: string
  rawMetadata: string
  detectedAt: string | undefined
  createdAt: string | undefined
  updatedAt: string | undefined
  isAutoResolved: boolean
  isResolvedOnDefaultBranch: boolean
  dismissalReason: DismissalReason | null
  dismissed: ExactDecision
  confirmed: ExactDecision
  resolved: ExactDecision
  fixAvailableAt: string | null
  /** When the vulnerability was last changed. */
  changedAt: string | undefined
  author: string | undefined
  history: readonly ExactEntry[]
}

interface ExactDecision {
  at: string | null
  by: string | undefined
}

interface ExactEntry {
  kind: 'note' | 'state' | 'severity'
  username: string | undefined
  from: string | null
  to: string | null
  comment: string | null
  dismissalReason: DismissalReason | null
  createdAt: string | undefined
}

/** Findings of one source that are imported together. */
export interface RecordBatch {
  source: ImportSource
  /** Name of the product, as users know it. */
  sourceName: string
  records: readonly FindingRecord[]
}

/** Maximum number of records of a batch. */
export const maxRecords = 500
