import { isUniqueViolation } from '../../db/violations.ts'
import { type Failure, refused } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { roles, visibilitiesBeyond } from '../access/roles.ts'
import { changesBetween, groupEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { assertUnmirrored } from '../import-sources/mirrors.ts'
import { hasOwnerBeside, makeOwner } from '../members/members.ts'
import { moveProjectsBelow, narrowProjectsBelow } from '../projects/projects.ts'
import { queueDueDates } from '../projects/queue-due-dates.ts'
import { queueRules } from '../projects/queue-rules.ts'
import { queueTransferredFlaws } from '../projects/queue-transferred-flaws.ts'
import { getGroup, maxAncestors, visibleParent } from './groups.ts'
import { redirectNamespace } from './moved-paths.ts'
import { lineageOf, lineageRange, type Namespace } from './namespace.ts'
import {
  findNamespaceById,
  listNamespaceIdsBelow,
  lockNamespaces,
  maxAncestorsBelow,
  replaceVisibilities,
  updateParent,
  updateSubgroupPaths,
} from './namespace-queries.ts'
import { mayCreateTopLevel } from './namespaces.ts'
import { fullPathProblems, groupProblems } from './paths.ts'

export interface TransferredGroup {
  group: Namespace
  /** Projects whose visibility became that of the new parent, which is narrower. */
  narrowedProjectIds: readonly number[]
}

/**
 * Moves a group with everything below it into another group, or to the top level without a parent. Old paths redirect to
 * the new ones. What is more visible than the new parent gets the parent's visibility.
 */
export function transferGroup(
  deps: Deps,
  caller: Caller,
  id: number,
  parentId: number | undefined,
): Promise<TransferredGroup> {
  return transaction(deps, async (deps) => {
    const parent = parentId === undefined ? null : await newParent(deps, caller, parentId)
    if (!parent && !mayCreateTopLevel(caller)) throw failed("You don't have enough permissions.")
    const locked = await lockTrees(deps, id, parent?.id)
    await assertTransferable(deps, locked.group, locked.parent)

    const moved = await move(deps, locked.group, locked.parent)
    if (!locked.parent && !(await hasOwnerBeside(deps, moved.group, 0))) {
      await makeOwner(deps, { namespaceId: id }, caller.user.id, caller.user.id)
    }
    await queueDueDates(deps, { kind: 'group', id })
    await queueRules(deps, { kind: 'group', id })
    await queueTransferredFlaws(deps, { kind: 'group', id })
    await recordAuditEvent(deps, 'group_transferred', {
      entity: groupEntity(moved.group),
      message: 'Transferred the group',
      changes: changesBetween(locked.group, moved.group, { fullPath: 'path', visibility: 'visibility' }),
    })
    return moved
  }).catch((error: unknown) => {
    throw isUniqueViolation(error) ? pathTaken() : error
  })
}

const failed = (reason: string): Failure => refused(`Transfer failed: ${reason}`)
const pathTaken = () => failed('The parent group already has a subgroup or a project with the same path.')

async function newParent(deps: Deps, caller: Caller, id: number): Promise<Namespace> {
  const { parent, level } = await visibleParent(deps, caller, id)
  if (level < roles.maintainer) throw failed("You don't have enough permissions.")
  await assertUnmirrored(deps, 'group', [parent.id])
  return parent
}

interface LockedGroups {
  group: Namespace
  parent: Namespace | null
}

/**
 * Locks the group with everything below it, the new parent, and the ancestors of both, so that no path can change and no
 * subgroup can be added. Repeats when one was added or moved before the lock.
 */
async function lockTrees(deps: Deps, id: number, parentId: number | undefined): Promise<LockedGroups> {
  const read = async () => {
    const group = await getGroup(deps, id)
    const parent = parentId === undefined ? null : await getGroup(deps, parentId)
    const ids = [...lineageOf(group), ...(await listNamespaceIdsBelow(deps.db, [group]))]
    return { group, parent, ids: new Set([...ids, ...(parent ? lineageOf(parent) : [])]) }
  }
  let held = new Set<number>()
  for (;;) {
    const { ids, ...groups } = await read()
    if ([...ids].every((id) => held.has(id))) return groups
    await lockNamespaces(deps.db, [...ids])
    held = ids
  }
}

async function assertTransferable({ db }: Deps, group: Namespace, parent: Namespace | null): Promise<void> {
  if (!parent && group.parentId === null) throw failed('Group is already a root group.')
  if (parent && parent.id === group.parentId) throw failed('Group is already associated to the parent group.')
  if (parent && lineageOf(parent).includes(group.id)) {
    throw failed('Cannot transfer group to one of its subgroup.')
  }
  if (parent && parent.organizationId !== group.organizationId) {
    throw failed('The parent group is in another organization.')
  }
  const ancestors = parent ? lineageOf(parent).length : 0
  const deepest = await maxAncestorsBelow(db, group)
  if (deepest - (lineageOf(group).length - 1) + ancestors > maxAncestors) {
    throw failed(`Groups can have at most ${maxAncestors} groups above them.`)
  }
  const problems = {
    ...groupProblems({ path: group.path }, !parent),
    ...fullPathProblems(placedIn(parent, group).fullPath),
  }
  const [[, messages] = []] = Object.entries(problems)
  if (messages) throw failed(`Path ${messages.join(', ')}.`)
}

/** Returns the group as it will be in its new place. */
function placedIn(parent: Namespace | null, group: Namespace): Namespace {
  if (!parent) return { ...group, parentId: null, lineage: '', fullPath: group.path, fullName: group.name }
  return {
    ...group,
    parentId: parent.id,
    lineage: lineageRange(parent)[0],
    fullPath: `${parent.fullPath}/${group.path}`,
    fullName: `${parent.fullName} / ${group.name}`,
  }
}

async function move(deps: Deps, before: Namespace, parent: Namespace | null): Promise<TransferredGroup> {
  const after = placedIn(parent, before)
  if (!(await updateParent(deps.db, after, deps.now()))) throw pathTaken()
  await updateSubgroupPaths(deps.db, before, after)
  await moveProjectsBelow(deps, before, after)
  await redirectNamespace(deps, before, after)
  const narrowedProjectIds = parent ? await narrow(deps, after, parent) : []
  const group = await findNamespaceById(deps.db, before.id)
  return { group: group ?? after, narrowedProjectIds }
}

/** Gives the visibility of the parent to everything in the group that is more visible. */
async function narrow(deps: Deps, group: Namespace, parent: Namespace): Promise<number[]> {
  const wider = visibilitiesBeyond(parent.visibility)
  if (wider.length === 0) return []
  await replaceVisibilities(deps.db, group, { from: wider, to: parent.visibility, now: deps.now() })
  return narrowProjectsBelow(deps, group, parent.visibility)
}
