import type { Db } from '../../../db/db.ts'
import { inSlices } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { User } from '../../users/users.ts'
import { countHistory, insertHistory, insertSightings, listHistory, listTransitions } from './history-queries.ts'

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
export type HistoryKind = (typeof historyKinds)[number]

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

/** Keeps what happened, in the transaction in which it happens. */
export async function recordHistory(db: Db, entries: readonly HistoryEntry[], now: string): Promise<void> {
  await inSlices(entries, (slice) => insertHistory(db, slice, now))
}

/** Who imported what, as followFindings passes it on. */
export interface SightingOrigin {
  importId: number
  userId: number | null
  ref: string
  now: string
}

/** The same for what an import saw of findings: of those that are vulnerabilities. */
export async function recordSightings(
  db: Db,
  kind: 'found' | 'gone' | 'back',
  findingIds: readonly number[],
  origin: SightingOrigin,
): Promise<void> {
  await inSlices(findingIds, (slice) => insertSightings(db, kind, slice, origin))
}

export async function findHistory(
  deps: Deps,
  vulnerabilityId: number,
  sort: 'asc' | 'desc',
  page: PageRequest,
): Promise<Page<PastEntry>> {
  const [rows, counted] = await Promise.all([
    listHistory(deps.db, { vulnerabilityId, kinds: historyKinds }, sort, page),
    countHistory(deps.db, { vulnerabilityId, kinds: historyKinds }),
  ])
  return pageOf(page, rows, counted)
}

const mostTransitions = 100

/** How the states of these changed, oldest first; of each the newest hundred. */
export function findTransitions({ db }: Deps, vulnerabilityIds: readonly number[]): Promise<PastEntry[]> {
  return listTransitions(db, vulnerabilityIds, mostTransitions)
}
