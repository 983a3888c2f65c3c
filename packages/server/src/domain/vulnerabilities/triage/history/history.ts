import type { Db } from '../../../../db/db.ts'
import { forEachBatch } from '../../../batches.ts'
import type { Deps } from '../../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../../page.ts'
import type { HistoryEntry, ObservationOrigin, PastEntry } from './history-entry.ts'
import { historyKinds } from './history-entry.ts'
import { countHistory, insertHistory, insertObservations, listHistory, listTransitions } from './history-queries.ts'

/** Stores history entries in the transaction of the change. */
export async function recordHistory(db: Db, entries: readonly HistoryEntry[], now: string): Promise<void> {
  await forEachBatch(entries, (slice) => insertHistory(db, slice, now))
}

/** Stores observations of an import for those of the findings that have a vulnerability. */
export async function recordObservations(
  db: Db,
  kind: 'found' | 'gone' | 'back',
  findingIds: readonly number[],
  origin: ObservationOrigin,
): Promise<void> {
  await forEachBatch(findingIds, (slice) => insertObservations(db, kind, slice, origin))
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

const maxTransitions = 100

/** Returns the newest state changes of each vulnerability, at most `maxTransitions`, oldest first. */
export function findTransitions({ db }: Deps, vulnerabilityIds: readonly number[]): Promise<PastEntry[]> {
  return listTransitions(db, vulnerabilityIds, maxTransitions)
}
