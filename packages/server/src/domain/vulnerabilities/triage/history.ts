import type { Db } from '../../../db/db.ts'
import { inSlices } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { HistoryEntry, PastEntry, SightingOrigin } from './history-entry.ts'
import { historyKinds } from './history-entry.ts'
import { countHistory, insertHistory, insertSightings, listHistory, listTransitions } from './history-queries.ts'

/** Keeps what happened, in the transaction in which it happens. */
export async function recordHistory(db: Db, entries: readonly HistoryEntry[], now: string): Promise<void> {
  await inSlices(entries, (slice) => insertHistory(db, slice, now))
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
