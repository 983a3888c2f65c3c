import type { Deps } from '../deps.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import { countOccurrences, listOccurrences } from './occurrence-queries.ts'
import type { PastImport } from './triage/history.ts'

/** A vulnerability on one ref. */
export interface Occurrence {
  ref: string
  isPresent: boolean
  /** Names of those whose newest reports have it; when it is gone, of those that had it last. */
  categories: string[]
  firstSeenAt: string
  lastSeenAt: string
  firstImport: PastImport | null
  lastImport: PastImport | null
}

/** In the order in which the refs had it first. */
export async function findOccurrences(
  deps: Deps,
  vulnerabilityId: number,
  page: PageRequest,
): Promise<Page<Occurrence>> {
  const [rows, counted] = await Promise.all([
    listOccurrences(deps.db, vulnerabilityId, page),
    countOccurrences(deps.db, vulnerabilityId),
  ])
  return pageOf(page, rows, counted)
}
