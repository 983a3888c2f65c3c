import type { User } from '../../users/user.ts'

/** One thing that happened to a vulnerability. */
export interface HistoryEntry {
  vulnerabilityId: number
  kind: HistoryKind
  /** Absent when nobody did it, but an import. */
  userId?: number | null | undefined
  importId?: number | null | undefined
  bulkId?: number | null | undefined
  ref?: string | null | undefined
  from?: string | null | undefined
  to?: string | null | undefined
  comment?: string | null | undefined
  dismissalReason?: string | null | undefined
  details?: object | null | undefined
}

export type HistoryKind = (typeof historyKinds)[number]

/** As it is kept and told. */
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
  /** Null also when the user is gone. */
  author: Pick<User, 'id' | 'username' | 'name' | 'state'> | null
  import: PastImport | null
}

export interface PastImport {
  id: number
  ref: string
  category: string | null
  commitSha: string | null
  format: string
  scanner: string | null
  createdAt: string
}

/** Who imported what, as followFindings passes it on. */
export interface SightingOrigin {
  importId: number
  userId: number | null
  ref: string
  now: string
}

/**
 * - `created`: by whom, and from which import.
 * - `state`, `severity`: changed from one value to another; without a user, an import did it.
 * - `found`, `gone`, `back`: an import saw it on a ref for the first time, no longer, or again.
 * - `matched`: an import recognised it although it had moved; the details say why.
 * - `note`: what somebody wrote; `note_deleted`: that he took it back.
 * - `linked`, `unlinked`: to or from something in a tracker.
 */
export const historyKinds = [
  'created',
  'state',
  'severity',
  'found',
  'gone',
  'back',
  'matched',
  'note',
  'note_deleted',
  'linked',
  'unlinked',
] as const
