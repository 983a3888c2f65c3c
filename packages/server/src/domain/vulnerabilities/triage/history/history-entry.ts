import type { PastImport } from '../../../findings/occurrences/occurrence.ts'
import type { Optional } from '../../../optional.ts'
import type { Person } from '../../../users/user.ts'

export type HistoryKind = (typeof historyKinds)[number]

/** A stored history entry. */
export interface PastEntry {
  id: number
  vulnerabilityId: number
  kind: HistoryKind
  userId: number | null
  importId: number | null
  bulkId: number | null
  ref: string | null
  from: string | null
  to: string | null
  comment: string | null
  dismissalReason: string | null
  details: object | null
  createdAt: string
  updatedAt: string
  /** Null for imports and for deleted users. */
  author: Person | null
  import: PastImport | null
}

/** An event in the history of a vulnerability, before it is stored. Changes by an import have no user. */
export type HistoryEntry = Pick<PastEntry, 'vulnerabilityId' | 'kind'> &
  Optional<Omit<PastEntry, 'id' | 'vulnerabilityId' | 'kind' | 'createdAt' | 'updatedAt' | 'author' | 'import'>>

/** Import that recorded observations, as passed on by `applyImportToVulnerabilities`, or the end of a ref. */
export interface ObservationOrigin {
  /** Null if no import recorded them; the comment then gives the reason. */
  importId: number | null
  userId: number | null
  ref: string
  now: string
  comment?: string
}

/**
 * Kinds of history entries:
 * - `created`: by a user, from a finding of an import.
 * - `state`, `severity`: changed from one value to another; without a user, by an import.
 * - `ref_state`: the state on one ref changed, because it was dismissed there only or is no longer.
 * - `due_date`: a user set the due date, or removed it, so that the policy applies again.
 * - `assignee`: assigned to another user, by username; null is no user.
 * - `tags`: from one list of tags to another; null is none. The details contain the difference.
 * - `found`, `gone`, `back`: an import observed it on a ref for the first time, found it absent, or observed it again;
 *   `gone` without an import: the ref was closed.
 * - `matched`: an import matched it at another location; the details contain the reason.
 * - `note`: a user's comment; `note_deleted`: its deletion.
 * - `linked`, `unlinked`: a link to an issue was added or removed.
 * - `flaw_split`, `flaw_joined`: a user took it out of its flaw, or joined its flaw with another one; `flaw_undone`: a user
 *   undid this. The details contain the change.
 * - `dismissal_requested`: a user requested a dismissal that needs approval; the others: what became of the request.
 */
export const historyKinds = [
  'created',
  'state',
  'ref_state',
  'severity',
  'due_date',
  'assignee',
  'tags',
  'found',
  'gone',
  'back',
  'matched',
  'note',
  'note_deleted',
  'linked',
  'unlinked',
  'flaw_split',
  'flaw_joined',
  'flaw_undone',
  'dismissal_requested',
  'dismissal_approved',
  'dismissal_rejected',
  'dismissal_withdrawn',
  'dismissal_expired',
] as const
