import { conflict } from '../../../platform/failure.ts'
import { type Deps, projectTransaction, type RootDeps } from '../../deps.ts'
import type { FindingFilter } from '../../findings/list/finding-filter.ts'
import { matchingFindingIds } from '../../findings/list/finding-list.ts'
import type { Project } from '../../projects/project.ts'
import { lockAgainstDeletion } from '../../projects/projects.ts'
import type { Visitor } from '../../projects/visible.ts'
import { assertOfProject } from '../triage/assert-in-project.ts'
import { promoteInBatches } from './bulk-promotion.ts'
import type { StoredPromotion } from './bulk-promotion-queries.ts'
import { promoteFindings, recordPromotion } from './promotion.ts'
import { maxAtOnce } from './promotion-batches.ts'
import { listFindingMembers } from './promotion-queries.ts'

/** A selection of findings: by ids, or the unpromoted findings of a filtered list. */
export type FindingSelection = { ids: readonly number[] } | { filter: Omit<FindingFilter, 'isPromoted'> }

export interface PromotionRequest {
  selection: FindingSelection
  /** Number of findings that the client has shown. Nothing changes if the selection has another number. */
  expectedCount?: number | undefined
  /** Whether to return before a large selection is promoted. */
  isAsync?: boolean | undefined
}

export interface BulkPromotion extends Pick<StoredPromotion, 'state' | 'total' | 'promoted' | 'unchanged' | 'error'> {
  /** Id for polling; null if the findings were promoted within the request. */
  id: number | null
}

/** Maximum time that the request waits for the job. */
const maxWaitMs = 20_000

/**
 * Promotes all selected findings, or none if one is unknown. Findings with a vulnerability stay unchanged. A large
 * selection is stored in one transaction and promoted by a job in batches, so that other requests are not blocked.
 */
export async function promoteMany(
  deps: RootDeps,
  project: Project,
  author: Visitor,
  { selection, expectedCount, isAsync }: PromotionRequest,
): Promise<BulkPromotion> {
  const inOrder = await selectFindings(deps, project, { selection, expectedCount })
  if (inOrder.length > maxAtOnce) {
    return promoteInBatches(deps, project, author, { findingIds: inOrder, maxWaitMs: isAsync ? 0 : maxWaitMs })
  }

  const promoted = await projectTransaction(deps, project.id, async (deps) => {
    await lockAgainstDeletion(deps.db, project.id)
    const count = await promoteFindings(deps, project, author.user.id, { findingIds: inOrder, isAutomatic: false })
    await recordPromotion(deps, project, author.user, { promoted: count })
    return count
  })
  return { id: null, state: 'done', total: inOrder.length, promoted, unchanged: inOrder.length - promoted, error: null }
}

/**
 * Returns the selected findings of the project in the order of ids. Throws when they are not as expected. With a limit,
 * a larger filter is not read to its end.
 */
export async function selectFindings(
  deps: Deps,
  project: Project,
  { selection, expectedCount, limit }: Pick<PromotionRequest, 'selection' | 'expectedCount'> & { limit?: number },
): Promise<number[]> {
  const ids = 'ids' in selection ? new Set(selection.ids) : await idsOf(deps, selection.filter, limit)
  // Lock in the order of ids, as every other bulk operation does, to avoid deadlocks.
  const inOrder = [...ids].sort((a, b) => a - b)
  if (expectedCount !== undefined && expectedCount !== inOrder.length) {
    throw conflict(`expected ${expectedCount} findings, but there are ${inOrder.length}; look again`)
  }
  await assertOfProject('finding_ids', inOrder, (batch) => listFindingMembers(deps.db, project.id, batch))
  return inOrder
}

/** Queues the promotion of all findings on the default branch that await it. */
export async function queuePromotion(deps: RootDeps, project: Project, author: Visitor): Promise<BulkPromotion> {
  const ids = await idsOf(deps, { ...anyFinding, projectId: project.id, ref: project.defaultBranch })
  return promoteInBatches(deps, project, author, { findingIds: [...ids].sort((a, b) => a - b), maxWaitMs: 0 })
}

const anyFinding = {
  severities: undefined,
  reportTypes: undefined,
  scanners: undefined,
  states: undefined,
  identifiers: undefined,
  packages: undefined,
  search: undefined,
  notOnRef: undefined,
  scannedOnRef: undefined,
  importId: undefined,
}

async function idsOf(
  deps: Deps,
  filter: Omit<FindingFilter, 'isPromoted'>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Set<number>> {
  const ids = new Set<number>()
  for await (const batch of matchingFindingIds(deps, { ...filter, isPromoted: false })) {
    for (const id of batch) ids.add(id)
    if (ids.size > limit) break
  }
  return ids
}
