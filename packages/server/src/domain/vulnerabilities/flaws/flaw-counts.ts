import { setImmediate } from 'node:timers/promises'
import { openCache, perDatabase } from '../../../db/cache.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import type { RootDeps } from '../../deps.ts'
import type { ListOrder } from '../../findings/list/cursor.ts'
import type { FilteredList } from '../../findings/list/filtered-list.ts'
import { idBatches } from '../../findings/list/list-page.ts'
import { onlyProjectOf } from '../list/counts/cached-counts.ts'
import type { ListScope, VulnerabilityFilter } from '../list/filter.ts'
import { openCachedList } from '../list/list.ts'
import { listFlawKeys } from './flaw-group-queries.ts'
import {
  type FlawLimits,
  groupedTables,
  keyOfGroups,
  overheadFlaws,
  type PlacedFlaw,
  type PlacedFlaws,
  selectFrom,
} from './flaw-walk.ts'

export type CountSort = 'count_desc' | 'count_asc'

/** The sort key is the number of vulnerabilities, and the id that of the flaw. */
export const countOrders: Record<CountSort, ListOrder> = {
  count_desc: { key: { sql: 'count', type: 'number' }, id: 'desc' },
  count_asc: { key: { sql: 'count', type: 'number' }, id: 'asc' },
}

/** About 100 bytes each. */
const maxCachedFlaws = 100_000
const idsPerBatch = 2_000

const ascending = perDatabase((changes) =>
  openCache<readonly PlacedFlaw[]>(changes, groupedTables, maxCachedFlaws, (flaws) => flaws.length + overheadFlaws),
)

interface CountedQuery {
  scope: ListScope
  filter: VulnerabilityFilter
  sort: CountSort
}

/**
 * Opens the flaws of a list in the order of their numbers of vulnerabilities. These depend on all rows of the list, so a
 * list that is too long to be grouped as a whole is refused.
 */
export async function openCountedFlaws(
  deps: RootDeps,
  { sort, ...list }: CountedQuery,
  { maxGroupedRows }: FlawLimits,
): Promise<PlacedFlaws> {
  const members = { ...list, sort: 'detected_desc' } as const
  const load = async () => {
    // Opened here, after the version that the cache records.
    const opened = await openCachedList(deps, members)
    if (opened.total === undefined || opened.total > maxGroupedRows) throw tooLong(maxGroupedRows)
    return countAll(deps, opened)
  }
  const key = keyOfGroups(deps, members)
  const counted = await ascending(deps.db).getShared(key, load, onlyProjectOf(list.scope))
  const flaws = sort === 'count_asc' ? counted : counted.toReversed()
  return { total: flaws.length, read: async (request) => selectFrom(flaws, countOrders[sort], request) }
}

const tooLong = (maxRows: number) =>
  parameterProblem(
    `sort by count is possible for lists of up to ${maxRows.toLocaleString('en')} vulnerabilities; ` +
      'use filters, such as state and severity, or another order',
  )

/** Returns the flaws of a list, the rarest first. */
async function countAll(deps: RootDeps, list: FilteredList): Promise<PlacedFlaw[]> {
  const totals = new Map<number, number>()
  for await (const ids of idBatches(list, idsPerBatch)) {
    for (const key of (await listFlawKeys(deps.db, ids)).values()) totals.set(key, (totals.get(key) ?? 0) + 1)
    await setImmediate()
  }
  const flaws = [...totals].map(([key, total]) => ({ key, at: { severity: 0, sortKey: total, id: key } }))
  return flaws.sort((a, b) => a.at.sortKey - b.at.sortKey || a.key - b.key)
}
