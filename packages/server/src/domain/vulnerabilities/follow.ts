import type { User } from '../access/users.ts'
import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import {
  attachFindings,
  insertVulnerabilities,
  listUnattachedFindings,
  recountVulnerabilities,
  setResolvedOnDefaultBranch,
  takeOverFindings,
} from './follow-queries.ts'
import { titleOf } from './vulnerabilities.ts'

/** What an import for the default branch saw. */
export interface Sightings {
  seen: readonly number[]
  now: string
}

/**
 * Lets vulnerabilities follow what an import for the default branch found: those seen take over title and severity, are
 * no longer gone, and are detected again when they had been resolved; those that went are marked, their state stays.
 * Inside the import's transaction.
 */
export async function followFindings(deps: Deps, project: Project, { seen, now }: Sightings): Promise<void> {
  const changed = await takeOverFindings(deps.db, seen, now)
  const gone = await setResolvedOnDefaultBranch(deps.db, project.id, project.defaultBranch, now)
  if (changed + gone > 0) await recountVulnerabilities(deps.db, project.id)
}

/** Makes vulnerabilities of those findings that have none, and tells how many. Inside the import's transaction. */
export async function promoteFindings(
  deps: Deps,
  project: Project,
  author: User,
  findingIds: readonly number[],
): Promise<number> {
  const unattached = await listUnattachedFindings(deps.db, findingIds)
  if (unattached.length === 0) return 0
  const now = deps.now()
  const drafts = unattached.map((finding) => ({ ...finding, title: titleOf(finding.name) }))
  const vulnerabilityIds = await insertVulnerabilities(deps.db, project.id, author.id, drafts, now)
  await attachFindings(
    deps.db,
    drafts.map(({ id }, index) => ({ findingId: id, vulnerabilityId: vulnerabilityIds[index] })),
    now,
  )
  await recountVulnerabilities(deps.db, project.id)
  return drafts.length
}
