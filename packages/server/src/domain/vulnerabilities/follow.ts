import type { User } from '../access/users.ts'
import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { inSlices } from '../slices.ts'
import { recordVulnerabilityChanges } from './changes.ts'
import { addToCounts, newlyDetected } from './count-queries.ts'
import { keepingCounts } from './counts.ts'
import {
  attachFindings,
  insertVulnerabilities,
  listGoneVulnerabilities,
  listUnattachedFindings,
  listVulnerabilityIds,
  setResolvedOnDefaultBranch,
  takeOverFindings,
  type UnattachedFinding,
} from './follow-queries.ts'
import { severityOf } from './scales.ts'
import { titleOf } from './vulnerabilities.ts'

/** What an import for the default branch saw. */
export interface Sightings {
  /** Findings of which something is new, and those whose vulnerability was resolved although they are there. */
  seen: readonly number[]
  /** Those that are not there any more. */
  gone: readonly number[]
  importId: number
  now: string
}

/**
 * Lets vulnerabilities follow what an import for the default branch found: those seen take over title and severity, are
 * no longer gone, and are detected again when they had been resolved; those that went are marked, their state stays.
 * Inside the import's transaction.
 */
export async function followFindings(deps: Deps, project: Project, { seen, gone, now }: Sightings): Promise<void> {
  await inSlices(seen, async (findingIds) => {
    const ids = await listVulnerabilityIds(deps.db, findingIds)
    await keepingCounts(deps, project.id, ids, () => takeOverFindings(deps.db, findingIds, now))
  })
  await inSlices(gone, async (findingIds) => {
    const ids = await listGoneVulnerabilities(deps.db, findingIds)
    await keepingCounts(deps, project.id, ids, () => setResolvedOnDefaultBranch(deps.db, ids, now))
  })
}

/** Makes vulnerabilities of those findings that have none, and tells how many. Inside the import's transaction. */
export async function promoteFindings(
  deps: Deps,
  project: Project,
  author: User,
  findingIds: readonly number[],
): Promise<number> {
  let promoted = 0
  await inSlices(findingIds, async (slice) => {
    promoted += (await promoteSlice(deps, project, author, slice)).length
  })
  return promoted
}

async function promoteSlice(
  deps: Deps,
  project: Project,
  author: User,
  findingIds: readonly number[],
): Promise<UnattachedFinding[]> {
  const unattached = await listUnattachedFindings(deps.db, findingIds)
  if (unattached.length === 0) return []
  const now = deps.now()
  const drafts = unattached.map((finding) => ({ ...finding, title: titleOf(finding.name) }))
  const vulnerabilityIds = await insertVulnerabilities(deps.db, project.id, author.id, drafts, now)
  await attachFindings(
    deps.db,
    drafts.map(({ id }, index) => ({ findingId: id, vulnerabilityId: vulnerabilityIds[index] })),
    now,
  )
  const added = unattached.map((finding) => newlyDetected({ ...finding, severity: severityOf(finding.severity) }))
  await addToCounts(deps.db, project.id, added, now)
  await recordVulnerabilityChanges(deps, project.id, vulnerabilityIds)
  return unattached
}
