import { notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { roles } from '../access/roles.ts'
import type { Deps } from '../deps.ts'
import { listLevels } from '../members/memberships.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import { readPathSearch } from '../projects/search.ts'
import { findNamespace, groupLevel, isGroupVisible, nowhere } from '../projects/visible.ts'
import { findUserByReference } from '../users/users.ts'
import { lineageOf, type Namespace } from './namespace.ts'
import { countMembersBelow, countNamespaces, listNamespaces, type NamespaceFilter } from './namespace-list-queries.ts'
import { findNamespaceById, findNamespaceByPath, findOwnNamespace, mayCreateTopLevel } from './namespaces.ts'
import { assertOrganizationReadable } from './organizations.ts'

export interface NamespaceQuery {
  search?: string | undefined
  /** Whether the search covers full paths. */
  fullPathSearch?: boolean | undefined
  ownedOnly?: boolean | undefined
  topLevelOnly?: boolean | undefined
  organizationId?: number | undefined
}

/** Returns the caller's own namespace and the groups of the caller; all namespaces for an administrator. */
export async function findNamespaces(
  deps: Deps,
  caller: Caller,
  query: NamespaceQuery,
  page: PageRequest,
): Promise<Page<Namespace>> {
  await assertOrganizationReadable(deps, caller, query.organizationId)
  const level = query.ownedOnly ? roles.owner : roles.guest
  const filter: NamespaceFilter = {
    open: caller.isAdmin && !query.ownedOnly ? ['public', 'internal', 'private'] : [],
    member: { userId: caller.user.id, level, today: deps.now().slice(0, 10) },
    parentId: query.topLevelOnly ? null : undefined,
    organizationId: query.organizationId,
    search: readPathSearch(query.search ?? '', query.fullPathSearch ?? false),
  }
  const counted = await countNamespaces(deps.db, filter)
  const rows = await listNamespaces(deps.db, filter, { order: { by: 'id', direction: 'asc' }, page, counted })
  return pageOf(page, rows, counted)
}

/** Returns a namespace to its members only, even if it is a public group. */
export async function getNamespace(deps: Deps, caller: Caller, reference: string): Promise<Namespace> {
  const namespace = await findNamespace(deps, reference)
  const level = await groupLevel(deps, namespace, caller)
  if (!namespace || level < roles.guest) throw notFound('Namespace')
  return namespace
}

/** Returns the number of members, by namespace id, of those groups that the caller owns. */
export async function countMembersFor(
  deps: Deps,
  caller: Caller,
  namespaces: readonly Namespace[],
): Promise<Map<number, number>> {
  const today = deps.now().slice(0, 10)
  const groups = namespaces.filter((namespace) => namespace.kind === 'group')
  const above = [...new Set(groups.flatMap(lineageOf))]
  const held = caller.isAdmin
    ? []
    : await listLevels(deps.db, caller.user.id, { projectIds: [], namespaceIds: above, today })
  const owned = new Set(held.flatMap((row) => (row.level >= roles.owner ? (row.namespaceId ?? []) : [])))
  const counted = groups.filter((group) => caller.isAdmin || lineageOf(group).some((id) => owned.has(id)))
  const totals = await countMembersBelow(
    deps.db,
    counted.map((group) => group.id),
    today,
  )
  return new Map(counted.map((group) => [group.id, totals.get(group.id) ?? 0]))
}

/**
 * Returns whether a user or group has the path and, if so, a similar path that is free. Reveals an invisible namespace
 * only to a caller who could also detect it by trying to create a group at that path.
 */
export async function checkPath(
  deps: Deps,
  caller: Caller,
  path: string,
  parentId: number | undefined,
): Promise<{ exists: boolean; suggests: string[] }> {
  const free = { exists: false, suggests: [] }
  const parent = parentId === undefined ? undefined : await findNamespaceById(deps.db, parentId)
  const level = parentId === undefined ? 0 : await groupLevel(deps, parent, caller)
  const isParentSeen = parentId === undefined || (await isNamespaceVisible(deps, parent, caller))
  if (path.includes('/') || !isParentSeen) return free
  const mayCreate = parent ? level >= roles.maintainer : mayCreateTopLevel(caller)
  const isTaken = async (candidate: string) => {
    const found = await findNamespaceByPath(deps.db, parent ? `${parent.fullPath}/${candidate}` : candidate)
    return mayCreate ? found !== undefined : isNamespaceVisible(deps, found, caller)
  }
  if (!(await isTaken(path))) return free
  let number = 1
  while (await isTaken(`${path}${number}`)) number += 1
  return { exists: true, suggests: [`${path}${number}`] }
}

/** Returns whether the caller can see the namespace. Takes equally long when it does not exist. */
async function isNamespaceVisible(deps: Deps, namespace: Namespace | undefined, caller: Caller): Promise<boolean> {
  const level = await groupLevel(deps, namespace, caller)
  return (await isGroupVisible(deps, namespace ?? nowhere, { caller, callerLevel: level })) && namespace !== undefined
}

/** Returns the namespace of a user's personal projects. `reference` is an id or a username. */
export async function getOwnNamespace(deps: Deps, reference: string): Promise<Namespace> {
  const user = await findUserByReference(deps, reference)
  const namespace = user && (await findOwnNamespace(deps.db, user.id))
  if (!namespace) throw notFound('User')
  return namespace
}
