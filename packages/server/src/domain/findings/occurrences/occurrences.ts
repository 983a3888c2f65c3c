import type { Deps } from '../../deps.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Occurrence } from './occurrence.ts'
import { countOccurrences, listOccurrences } from './occurrence-list-queries.ts'

export {
  addToCategory,
  countWrongOccurrences,
  insertOccurrences,
  markAbsent,
  markObserved,
  markPresentAgain,
  refreshOccurrences,
  removeFromCategory,
} from './occurrence-queries.ts'
export {
  deleteObservedOnlyOn,
  deleteRepeatedOccurrences,
  deleteScansOfRef,
  listFindingsOn,
} from './ref-occurrence-queries.ts'
export {
  findNewestObservation,
  insertScans,
  listLastObservations,
  listMissedBy,
  listOfScanner,
  listScansOfImports,
} from './scan-queries.ts'

/** Returns the occurrences of a vulnerability in the order of their first observation. */
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
