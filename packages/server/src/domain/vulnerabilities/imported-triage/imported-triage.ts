import type { DismissalReason, Severity, State } from '../../findings/scales.ts'

/** Triage of another product, for one vulnerability. What is undefined stays as it is. */
export interface ImportedTriage {
  vulnerabilityId: number
  decision: ImportedDecision | undefined
  severity?: Severity | undefined
  dueOn?: string | undefined
  assigneeId?: number | undefined
  tags: readonly string[]
  notes: readonly ImportedNote[]
  /** User who imports. */
  userId: number
  /** The product and its id of the finding, for the history. */
  origin: ImportOrigin
  /** What an earlier import of the same record has set; a decision that is still the same may be replaced. */
  former: AppliedTriage | undefined
}

interface ImportOrigin {
  imported_from: string
  source_id: string
  source_url?: string
}

/** A change of the state in another product. */
export interface PastDecision {
  state: State
  reason: DismissalReason | undefined
  until: string | undefined
  untilFixed: boolean
  comment: string | undefined
  /** User to whom the decision is attributed. */
  userId: number
  decidedAt: string
}

export interface ImportedDecision extends PastDecision {
  /** Changes of the state before this one, oldest first. */
  earlier?: readonly PastDecision[]
}

export interface ImportedNote {
  body: string
  userId: number
  createdAt: string
}

/** What an import has set, as it is stored with the record. */
export interface AppliedTriage {
  state?: State
  reason?: DismissalReason | null
  /** Time of the decision. Earlier ones have been imported. */
  decidedAt?: string
  /** Hashes of the notes. */
  notes?: readonly string[]
}

/**
 * What became of a decision: set, requested because it needs approval, kept because users decided in Alcove, or
 * unchanged because there is none or it is set already.
 */
export const importedOutcomes = ['applied', 'requested', 'kept', 'unchanged'] as const
export type ImportedOutcome = (typeof importedOutcomes)[number]

export interface TriageResult {
  outcome: ImportedOutcome
  /** Number of notes that an earlier import has written and the product no longer has. They stay. */
  missingNotes: number
  applied: AppliedTriage
}
