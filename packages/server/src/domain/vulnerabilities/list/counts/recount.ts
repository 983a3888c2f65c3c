import type { Deps } from '../../../deps.ts'
import { upsertPromoted } from '../promoted-queries.ts'
import {
  deletePromoted,
  insertDayDifferences,
  insertFacetCountDifferences,
  listWronglyPromoted,
  lockWithVulnerabilities,
} from './recount-queries.ts'

export {
  countWrongDays,
  countWrongFacetCounts,
  listWronglyPromoted,
  lockWithVulnerabilities,
} from './recount-queries.ts'

/** Corrects the facet counts of a project, which must be locked. */
export async function correctFacetCounts({ db }: Deps, projectId: number): Promise<void> {
  await insertFacetCountDifferences(db, projectId)
}

/** Corrects the daily growth of a project, which must be locked. */
export async function correctDays({ db, now }: Deps, projectId: number): Promise<void> {
  await insertDayDifferences(db, projectId, now().slice(0, 10))
}

/** Corrects which of these findings are recorded as promoted, and their facets. Returns the number of corrections. */
export async function correctPromoted({ db }: Deps, findingIds: readonly number[]): Promise<number> {
  if ((await listWronglyPromoted(db, findingIds)).length === 0) return 0
  await lockWithVulnerabilities(db, findingIds)
  const wrong = await listWronglyPromoted(db, findingIds)
  await deletePromoted(
    db,
    wrong.map(({ findingId }) => findingId),
  )
  await upsertPromoted(
    db,
    wrong.flatMap(({ vulnerabilityId }) => vulnerabilityId ?? []),
  )
  return wrong.length
}
