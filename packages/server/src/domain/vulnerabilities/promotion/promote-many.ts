import { conflict } from '../../../platform/failure.ts'
import { type Deps, type RootDeps, transaction } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import type { Visitor } from '../../projects/visible.ts'
import { type FindingFilter, matchingFindingIds } from '../findings.ts'
import { assertOfProject } from '../triage/assert-in-project.ts'
import { promoteInSlices } from './bulk-promotion.ts'
import type { StoredPromotion } from './bulk-promotion-queries.ts'
import { promoteFindings } from './promotion.ts'
import { mostAtOnce } from './promotion-batches.ts'
import { listFindingMembers } from './promotion-queries.ts'

/** Which findings of a project: by their ids, or those that wait among what its list shows. */
export type FindingSelection = { ids: readonly number[] } | { filter: Omit<FindingFilter, 'isPromoted'> }

export interface BulkPromotion extends Pick<StoredPromotion, 'state' | 'total' | 'promoted' | 'unchanged'> {
  /** To ask for it again; of few there is none, because they are promoted at once. */
  id: number | null
}

/** So long whoever promotes many waits for the end. */
const patienceMs = 20_000

/**
 * Makes vulnerabilities of all of these findings, or of none: nothing begins before all of them are known. Those that are
 * one already stay what they are. Of many, the choice is written down in one transaction, and a job promotes some at a
 * time, so that nobody else waits for all of them.
 */
export async function promoteMany(
  deps: RootDeps,
  project: Project,
  author: Visitor,
  selection: FindingSelection,
  { expectedCount, isAsync }: { expectedCount?: number | undefined; isAsync?: boolean | undefined },
): Promise<BulkPromotion> {
  const ids = 'ids' in selection ? new Set(selection.ids) : await idsOf(deps, selection.filter)
  // By id, as whoever else holds many at once.
  const inOrder = [...ids].sort((a, b) => a - b)
  if (expectedCount !== undefined && expectedCount !== inOrder.length) {
    throw conflict(`expected ${expectedCount} findings, but there are ${inOrder.length}; look again`)
  }
  await assertOfProject('finding_ids', inOrder, (slice) => listFindingMembers(deps.db, project.id, slice))
  if (inOrder.length > mostAtOnce) return promoteInSlices(deps, project, author, inOrder, isAsync ? 0 : patienceMs)

  const promoted = await transaction(deps, (deps) => promoteFindings(deps, project, author.user.id, inOrder))
  return { id: null, state: 'done', total: inOrder.length, promoted, unchanged: inOrder.length - promoted }
}

async function idsOf(deps: Deps, filter: Omit<FindingFilter, 'isPromoted'>): Promise<Set<number>> {
  const ids = new Set<number>()
  for await (const slice of matchingFindingIds(deps, { ...filter, isPromoted: false })) {
    for (const id of slice) ids.add(id)
  }
  return ids
}
