import type { Deps } from '../deps.ts'
import { deleteVulnerabilityRows } from './vulnerability-queries.ts'

export { type FacetCount, listFacetCounts } from './list/facet-count-queries.ts'
export { listWithFindings } from './list/list-queries.ts'
export { listPresentByFacets } from './list/promoted-queries.ts'
export { listPromotedFindings, listPromotedIds } from './vulnerability-queries.ts'

/** Deletes vulnerabilities whose findings have been deleted. The database cascades to their history, notes and links. */
export async function deleteVulnerabilities({ db }: Pick<Deps, 'db'>, ids: readonly number[]): Promise<void> {
  await deleteVulnerabilityRows(db, ids)
}
