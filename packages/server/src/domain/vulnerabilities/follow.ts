import type { User } from '../access/users.ts'
import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { inSlices } from '../slices.ts'
import {
  attachFindings,
  countByState,
  insertVulnerabilities,
  listUnattachedFindings,
  setResolvedOnDefaultBranch,
  takeOverFindings,
  type UnattachedFinding,
} from './follow-queries.ts'
import { addToCounts, type CountChange } from './queries.ts'
import { severityOf } from './scales.ts'
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
  const changes: CountChange[] = []
  await inSlices(seen, async (findingIds) => {
    const before = await countByState(deps.db, findingIds)
    const changed = await takeOverFindings(deps.db, findingIds, now)
    if (changed === 0) return
    for (const { total, ...kind } of before) changes.push({ ...kind, total: -total })
    changes.push(...(await countByState(deps.db, findingIds)))
  })
  await addToCounts(deps.db, project.id, changes)
  await setResolvedOnDefaultBranch(deps.db, project.id, project.defaultBranch, now)
}

/** Makes vulnerabilities of those findings that have none, and tells how many. Inside the import's transaction. */
export async function promoteFindings(
  deps: Deps,
  project: Project,
  author: User,
  findingIds: readonly number[],
): Promise<number> {
  const promoted: CountChange[] = []
  await inSlices(findingIds, async (slice) => {
    for (const { severity } of await promoteSlice(deps, project, author, slice)) {
      promoted.push({ severity: severityOf(severity), state: 'detected', total: 1 })
    }
  })
  await addToCounts(deps.db, project.id, promoted)
  return promoted.length
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
  return unattached
}
