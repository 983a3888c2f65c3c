import { conflict, invalid } from '../../platform/failure.ts'
import type { User } from '../access/users.ts'
import { type Deps, transaction } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { inSlices } from '../slices.ts'
import { type FindingFilter, matchingFindingIds } from './findings.ts'
import { promoteFindings } from './promotion.ts'
import { listFindingMembers } from './promotion-queries.ts'

/** Which findings of a project: by their ids, or those that wait among what its list shows. */
export type FindingSelection = { ids: readonly number[] } | { filter: Omit<FindingFilter, 'isPromoted'> }

/** Makes vulnerabilities of all of these findings, or of none. Those that are one already stay what they are. */
export function promoteMany(
  deps: Deps,
  project: Project,
  author: User,
  selection: FindingSelection,
  expectedCount: number | undefined,
): Promise<{ promoted: number; unchanged: number }> {
  return transaction(deps, async (deps) => {
    const ids = 'ids' in selection ? new Set(selection.ids) : await idsOf(deps, selection.filter)
    // By id, as whoever else holds many at once.
    const inOrder = [...ids].sort((a, b) => a - b)
    if (expectedCount !== undefined && expectedCount !== inOrder.length) {
      throw conflict(`expected ${expectedCount} findings, but there are ${inOrder.length}; look again`)
    }
    await assertOfProject(deps, project, inOrder)
    const promoted = await promoteFindings(deps, project, author.id, inOrder)
    return { promoted, unchanged: inOrder.length - promoted }
  })
}

async function idsOf(deps: Deps, filter: Omit<FindingFilter, 'isPromoted'>): Promise<Set<number>> {
  const ids = new Set<number>()
  for await (const slice of matchingFindingIds(deps, { ...filter, isPromoted: false })) {
    for (const id of slice) ids.add(id)
  }
  return ids
}

/** As many as a sentence names. */
const maxNamed = 20

async function assertOfProject(deps: Deps, project: Project, ids: readonly number[]): Promise<void> {
  const missing: number[] = []
  await inSlices(ids, async (slice) => {
    const there = new Set(await listFindingMembers(deps.db, project.id, slice))
    missing.push(...slice.filter((id) => !there.has(id)))
  })
  if (missing.length === 0) return
  const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : ''
  throw invalid({
    finding_ids: [`not found in this project: ${missing.slice(0, maxNamed).join(', ')}${more}; nothing was changed`],
  })
}
