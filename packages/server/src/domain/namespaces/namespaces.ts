import { notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { roles } from '../access/roles.ts'
import type { Deps } from '../deps.ts'
import { listLevels } from '../members/member-queries.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import { mayCreateTopLevel } from '../projects/groups.ts'
import { lineageOf, type Namespace } from '../projects/project.ts'
import { readPathSearch } from '../projects/search.ts'
import { findNamespace, groupLevel, isGroupVisible, nowhere } from '../projects/visible.ts'
import { countMembersBelow, countNamespaces, listNamespaces, type NamespaceFilter } from './namespace-list-queries.ts'
import { findNamespaceById, findNamespaceByPath } from './namespace-queries.ts'
import { assertOrganizationReadable } from './organizations.ts'

export interface NamespaceQuery {
  search?: string | undefined
  /** The search looks at full paths. */
  fullPathSearch?: boolean | undefined
  ownedOnly?: boolean | undefined
  topLevelOnly?: boolean | undefined
  organizationId?: number | undefined
}

/** The caller's own namespace and the groups he is a member of; everything for administrators. */
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
  const rows = await listNamespaces(deps.db, filter, { by: 'id', direction: 'asc' }, page, counted)
  return pageOf(page, rows, counted)
}

/** Only members are told, even of a public group. */
export async function getNamespace(deps: Deps, caller: Caller, reference: string): Promise<Namespace> {
  const namespace = await findNamespace(deps, reference)
  const level = await groupLevel(deps, namespace, caller)
  if (!namespace || level < roles.guest) throw notFound('Namespace')
  return namespace
}

/** By namespace id, for the groups among them that the caller administers: how many members they have. */
export async function countMembersFor(
  deps: Deps,
  caller: Caller,
  namespaces: readonly Namespace[],
): Promise<Map<number, number>> {
  const today = deps.now().slice(0, 10)
  const groups = namespaces.filter((namespace) => namespace.kind === 'group')
  const above = [...new Set(groups.flatMap(lineageOf))]
  const held = caller.isAdmin ? [] : await listLevels(deps.db, caller.user.id, [], above, today)
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
 * Whether a user or group has the path, and if so one like it that is free. Of one that is invisible it is told only to
 * somebody who would hear it anyway, by trying to create a group there.
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

/** Takes as long for one that is not there. */
async function isNamespaceVisible(deps: Deps, namespace: Namespace | undefined, caller: Caller): Promise<boolean> {
  const level = await groupLevel(deps, namespace, caller)
  return (await isGroupVisible(deps, namespace ?? nowhere, caller, level)) && namespace !== undefined
}
