import { conflict } from '../../platform/failure.ts'
import { groupEntity, projectEntity, userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { listAvatarKeys } from '../avatars/avatars.ts'
import { forEachBatch } from '../batches.ts'
import { listBotIds } from '../bots/bots.ts'
import { removeDependencies } from '../dependencies/inventories.ts'
import { type Deps, transaction } from '../deps.ts'
import { removeExportsOf } from '../exports/exports.ts'
import { deleteMarkedObjectsSoon, markForDeletion } from '../files/pending-deletions.ts'
import { deleteFindings, deleteIdentifiers } from '../findings/findings.ts'
import { listIdsOwnedByOthers } from '../members/memberships.ts'
import { lineageOf, type Namespace } from '../namespaces/namespace.ts'
import { deleteNamespace, listNamespaceIdsBelow, listOwnNamespaces, lockNamespaces } from '../namespaces/namespaces.ts'
import type { Project } from '../projects/project.ts'
import {
  deleteProject,
  listProjectIdsBelow,
  listStarredProjectIds,
  lockProjects,
  recountStars,
} from '../projects/projects.ts'
import { recount, topicsOfProjects } from '../topics/assignment.ts'
import { listObjectKeys } from '../uploads/uploads.ts'
import { replaceByGhost } from '../users/ghost.ts'
import type { User } from '../users/user.ts'
import { lockUser } from '../users/users.ts'
import { deleteVulnerabilities, listPromotedIds } from '../vulnerabilities/vulnerabilities.ts'
import { listIdsIn } from './finding-removal-queries.ts'
import { listIdsWithOtherOwners, listReportKeys, lockOwnedGroups } from './removal-queries.ts'

/**
 * Deletes a project with all of its rows and marks its files for deletion in one transaction, then deletes the files.
 */
export function removeProject(deps: Deps, project: Project): Promise<void> {
  return remove(deps, async (deps) => ({
    projectIds: [project.id],
    namespaceIds: [],
    async deleteRows() {
      await deleteProject(deps, project.id)
      await recordAuditEvent(deps, 'project_destroyed', {
        entity: projectEntity(project),
        message: 'Deleted the project',
      })
    },
  }))
}

/** Deletes a group with its subgroups and all of their projects. */
export function removeGroup(deps: Deps, group: Namespace): Promise<void> {
  return remove(deps, async (deps) => ({
    namespaceIds: await lockNamespacesBelow(deps, [group]),
    projectIds: await listProjectIdsBelow(deps.db, [group]),
    async deleteRows() {
      await deleteNamespace(deps, group.id)
      await recordAuditEvent(deps, 'group_destroyed', { entity: groupEntity(group), message: 'Deleted the group' })
    },
  }))
}

/**
 * Deletes a user with their own namespace and its projects. Reassigns what they created elsewhere to the ghost user.
 * Groups that would lose their only owner prevent the deletion, or are deleted too (`withGroups`).
 */
export function removeUser(deps: Deps, user: User, withGroups: boolean): Promise<void> {
  return remove(deps, async (deps) => {
    const { alone, withoutLasting } = await solelyOwnedGroups(deps, user)
    // A group that has another owner today is not deleted, even if that ownership ends tomorrow.
    if (withoutLasting.length > 0 || (alone.length > 0 && !withGroups)) {
      throw conflict('User cannot be removed while is the sole-owner of a group')
    }
    const groups = alone
    const namespaces = [...(await listOwnNamespaces(deps.db, user.id)), ...groups]
    const namespaceIds = await lockNamespacesBelow(deps, namespaces)
    return {
      namespaceIds,
      userIds: [user.id],
      projectIds: await listProjectIdsBelow(deps.db, namespaces),
      async deleteRows() {
        for (const group of groups) await deleteNamespace(deps, group.id)
        await deleteUser(deps, user)
        await recordAuditEvent(deps, 'user_destroyed', {
          entity: userEntity(user),
          message: 'Deleted the user',
          extra: { with_groups: groups.length },
        })
      },
    }
  })
}

/**
 * Deletes a bot with its tokens. Does nothing when it is gone already. `record` is called in the same transaction if it
 * was there.
 */
export function removeBot(
  deps: Deps,
  userId: number,
  record: (deps: Deps) => Promise<void> = async () => {},
): Promise<void> {
  return remove(deps, async (deps) => ({
    projectIds: [],
    namespaceIds: [],
    userIds: [userId],
    async deleteRows() {
      if ((await deleteBots(deps, [userId])) > 0) await record(deps)
    },
  }))
}

/** Deletes those of the users that are bots, and returns their number. */
async function deleteBots(deps: Deps, userIds: readonly number[]): Promise<number> {
  let deleted = 0
  for (const id of userIds) {
    const bot = await lockUser(deps.db, id)
    if (!bot?.isBot) continue
    await deleteUser(deps, bot)
    deleted += 1
  }
  return deleted
}

async function deleteUser(deps: Deps, user: User): Promise<void> {
  const starredIds = await listStarredProjectIds(deps.db, user.id)
  await replaceByGhost(deps, user)
  await lockProjects(deps.db, starredIds)
  await recountStars(deps, starredIds)
}

/**
 * Locks the namespaces and all namespaces below them, and returns their ids. Afterwards no other transaction can create
 * or transfer anything into them, whose files would not be marked for deletion and whose topics would not be recounted.
 */
async function lockNamespacesBelow(deps: Deps, tops: readonly Pick<Namespace, 'id' | 'lineage'>[]): Promise<number[]> {
  for (let held: number[] = []; ; ) {
    const ids = await listNamespaceIdsBelow(deps.db, tops)
    // Look again for namespaces that were created before their parent was locked.
    if (ids.length === held.length) return ids
    await lockNamespaces(deps.db, ids)
    held = ids
  }
}

interface SolelyOwned {
  /** Groups without another owner, direct or inherited. */
  alone: Pick<Namespace, 'id' | 'lineage'>[]
  /** Groups whose other owners are all blocked, deactivated or have an expiry date. */
  withoutLasting: Pick<Namespace, 'id' | 'lineage'>[]
}

async function solelyOwnedGroups(deps: Deps, user: User): Promise<SolelyOwned> {
  const today = deps.now().slice(0, 10)
  const groups = await lockOwnedGroups(deps.db, user.id, today)
  const ids = groups.flatMap(lineageOf)
  const lasting = new Set(await listIdsOwnedByOthers(deps.db, ids, user.id))
  const owned = new Set(await listIdsWithOtherOwners(deps.db, ids, user.id, today))
  const isIn = (set: ReadonlySet<number>) => (group: (typeof groups)[number]) =>
    lineageOf(group).some((id) => set.has(id))
  return {
    alone: groups.filter((group) => !isIn(owned)(group)),
    withoutLasting: groups.filter((group) => isIn(owned)(group) && !isIn(lasting)(group)),
  }
}

interface Removal {
  projectIds: number[]
  namespaceIds: number[]
  userIds?: number[]
  deleteRows(): Promise<void>
}

/**
 * Deletes findings and identifiers in batches. A single cascading statement could block SQLite's thread for a minute
 * and exceed PostgreSQL's statement timeout.
 */
export async function removeFindings({ db }: Pick<Deps, 'db'>, projectIds: readonly number[]): Promise<void> {
  for (const id of projectIds) {
    await forEachBatch(await listIdsIn(db, 'findings', id), (ids) => deleteWithVulnerabilities({ db }, ids))
    await forEachBatch(await listIdsIn(db, 'identifiers', id), (ids) => deleteIdentifiers(db, ids))
  }
}

/** Deletes findings with their vulnerabilities and all child rows of either. */
async function deleteWithVulnerabilities(deps: Pick<Deps, 'db'>, findingIds: readonly number[]): Promise<void> {
  const vulnerabilityIds = await listPromotedIds(deps.db, findingIds)
  await deleteFindings(deps.db, findingIds)
  await deleteVulnerabilities(deps, vulnerabilityIds)
}

/**
 * Runs the removal plan in a transaction, then deletes the objects. Objects that remain after a crash or a failure of
 * the store are marked, and the periodic task deletes them.
 */
async function remove(deps: Deps, plan: (deps: Deps) => Promise<Removal>): Promise<void> {
  await transaction(deps, async (deps) => {
    const { projectIds, namespaceIds, userIds = [], deleteRows } = await plan(deps)
    // An upload committed after the keys were listed would lose its row without its file being marked.
    await lockProjects(deps.db, projectIds)
    const botIds = await listBotIds(deps.db, projectIds, namespaceIds)
    const topicIds = await topicsOfProjects(deps, projectIds)
    await markForDeletion(deps, await listObjectKeys(deps.db, projectIds, namespaceIds))
    await markForDeletion(deps, await listReportKeys(deps.db, projectIds))
    const owners = { projectIds, namespaceIds, userIds: [...userIds, ...botIds] }
    await markForDeletion(deps, await listAvatarKeys(deps.db, owners))
    await removeExportsOf(deps, owners)
    await removeFindings(deps, projectIds)
    await removeDependencies(deps, projectIds)
    await deleteBots(deps, botIds)
    await deleteRows()
    await recount(deps, topicIds)
  })
  await deleteMarkedObjectsSoon(deps)
}
