import { parameterProblem } from '../../../platform/failure.ts'
import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import { lockAgainstDeletion } from '../../projects/projects.ts'
import type { User } from '../../users/user.ts'
import { type FindingSelection, selectFindings } from './promote-many.ts'
import { promoteFindings, recordPromotion } from './promotion.ts'
import { maxAtOnce } from './promotion-batches.ts'
import { listVulnerabilitiesOf, lockVulnerabilitiesOf } from './promotion-queries.ts'

/** Findings that await triage, with the number that the client has shown. */
export interface SelectedFindings {
  findings: FindingSelection
  expectedCount?: number | undefined
}

/**
 * Promotes the selected findings inside the caller's transaction. Returns their vulnerabilities in the order of ids, and
 * which of them existed before.
 */
export async function promoteSelected(
  deps: Deps,
  project: Project,
  user: User,
  { findings: selection, expectedCount }: SelectedFindings,
): Promise<{ ids: number[]; known: number[] }> {
  await lockAgainstDeletion(deps.db, project.id)
  const findingIds = await selectFindings(deps, project, { selection, expectedCount, limit: maxAtOnce })
  if (findingIds.length > maxAtOnce) {
    throw parameterProblem(`a change takes at most ${maxAtOnce} findings; accept them as vulnerabilities first`)
  }
  const known = await lockVulnerabilitiesOf(deps.db, findingIds)
  const promoted = await promoteFindings(deps, project, user.id, { findingIds, isAutomatic: false })
  await recordPromotion(deps, project, user, { promoted })
  return { ids: await listVulnerabilitiesOf(deps.db, findingIds), known }
}
