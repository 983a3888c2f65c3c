import { perDatabase } from '../../db/cache.ts'
import type { Deps, RootDeps } from '../deps.ts'
import { maxCountedRows, type Page, type PageRequest, pageOf } from '../page.ts'
import { countOwners, listLargestOwners, type StoredBy, sumDeleted, sumUsage } from './storage-queries.ts'
import type { Usage } from './usage-queries.ts'

export type { StoredBy } from './storage-queries.ts'

/** Total size of all uploads. */
export interface Storage {
  stored: Usage
  /** Deleted uploads within the grace period. */
  deleted: Usage
  measuredAt: string
}

/** Time for which the totals are cached, because computing them reads a row of every owner. */
const shownForMs = 60_000
const remembered = perDatabase((): { storage?: Storage } => ({}))

export async function measureStorage(deps: RootDeps): Promise<Storage> {
  const kept = remembered(deps.db)
  const measuredAt = deps.now()
  if (kept.storage && Date.parse(measuredAt) - Date.parse(kept.storage.measuredAt) < shownForMs) return kept.storage
  const [stored, deleted] = await Promise.all([sumUsage(deps.db), sumDeleted(deps.db)])
  kept.storage = { stored, deleted, measuredAt }
  return kept.storage
}

/** Returns the projects and groups with uploads, largest usage first. */
export async function findLargestOwners({ db }: Deps, page: PageRequest): Promise<Page<StoredBy>> {
  const [rows, counted] = await Promise.all([listLargestOwners(db, page), countOwners(db, maxCountedRows)])
  return pageOf(page, rows, counted)
}
