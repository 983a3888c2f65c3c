import { startTimeSlice } from '../../../../platform/time-slice.ts'
import type { Deps } from '../../../deps.ts'
import type { Project } from '../../../projects/project.ts'
import type { User } from '../../../users/user.ts'
import { type ChangedVulnerability, saveChanges } from '../../triage/triage.ts'
import { lockVulnerabilities } from '../../triage/triage-queries.ts'
import {
  findContent,
  listUnassigned,
  listUnassignedAmong,
  type UnassignedVulnerability,
} from '../project-file-queries.ts'
import { type Codeowners, type MatchedRule, parseCodeowners, rulesFor, syntaxOf } from './parse-codeowners.ts'
import { openResolver, type ResolveOwner } from './resolve-owners.ts'

/** The import whose file assigns, for the history. */
export interface AssignmentOrigin {
  importId: number | null
  now: string
}

const batchSize = 250

/** Finds the owner of a path: the first one of the first section that names a user who may triage. */
type FindOwner = (path: string) => Promise<Assignment | undefined>

interface Assignment {
  user: Pick<User, 'id' | 'username'>
  rule: MatchedRule
}

/** Assigns vulnerabilities that have just been created by the stored CODEOWNERS of the project. */
export async function openAssignment(
  deps: Deps,
  project: Project,
): Promise<((ids: readonly number[], origin: AssignmentOrigin) => Promise<void>) | undefined> {
  const file = await findContent(deps.db, project.id, 'CODEOWNERS')
  if (!file) return undefined
  const findOwner = openOwners(parseCodeowners(file.content, syntaxOf(file.path)), openResolver(deps, project))
  return async (ids, origin) => {
    await assignBatch(deps, project, await matchOwners(await listUnassignedAmong(deps.db, ids), findOwner), origin)
  }
}

/** Assigns the unassigned vulnerabilities of the project, and returns how many. Without an origin it only counts them. */
export async function assignUnassigned(
  deps: Deps,
  project: Project,
  codeowners: Codeowners,
  origin: AssignmentOrigin | undefined,
): Promise<number> {
  const findOwner = openOwners(codeowners, openResolver(deps, project))
  let assigned = 0
  for (let after = 0, more = true; more; ) {
    const batch = await listUnassigned(deps.db, project.id, after, batchSize)
    const matched = await matchOwners(batch, findOwner)
    assigned += origin ? await assignBatch(deps, project, matched, origin) : matched.size
    after = batch.at(-1)?.id ?? after
    more = batch.length === batchSize
  }
  return assigned
}

function openOwners(codeowners: Codeowners, resolve: ResolveOwner): FindOwner {
  const known = new Map<string, ReturnType<FindOwner>>()
  const find: FindOwner = async (path) => {
    for (const rule of rulesFor(codeowners, path)) {
      for (const owner of rule.owners) {
        const user = await resolve(owner)
        if (user) return { user, rule }
      }
    }
    return undefined
  }
  return (path) => {
    const found = known.get(path) ?? find(path)
    known.set(path, found)
    return found
  }
}

async function matchOwners(
  unassigned: readonly UnassignedVulnerability[],
  findOwner: FindOwner,
): Promise<Map<number, Assignment>> {
  const matched = new Map<number, Assignment>()
  const slice = startTimeSlice()
  for (const { id, location } of unassigned) {
    if (slice.isOver()) await slice.next()
    const { file } = location
    const found = typeof file === 'string' ? await findOwner(file) : undefined
    if (found) matched.set(id, found)
  }
  return matched
}

async function assignBatch(
  deps: Deps,
  project: Project,
  matched: ReadonlyMap<number, Assignment>,
  { importId, now }: AssignmentOrigin,
): Promise<number> {
  if (matched.size === 0) return 0
  const locked = await lockVulnerabilities(deps.db, project.id, [...matched.keys()])
  const changed = locked.flatMap((before): ChangedVulnerability[] => {
    const assignment = matched.get(before.id)
    if (!assignment || before.assigneeId !== null) return []
    const { user, rule } = assignment
    const { line, pattern, section } = rule
    const details = { codeowners: { line, pattern, ...(section !== '' && { section }) } }
    const entry = { vulnerabilityId: before.id, kind: 'assignee', importId, to: user.username, details } as const
    return [{ before, after: { ...before, assigneeId: user.id, updatedAt: now }, entry }]
  })
  await saveChanges(deps, project.id, changed, now)
  return changed.length
}
