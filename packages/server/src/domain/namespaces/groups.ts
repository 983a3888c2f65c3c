import { isUniqueViolation } from '../../db/violations.ts'
import { type Failure, forbidden, type InvalidAttributes, invalid, notFound, refused } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { isWider, roles, type Visibility } from '../access/roles.ts'
import { changesBetween, groupEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { CustomAttributeFilter } from '../custom-attributes/custom-attribute.ts'
import { type Deps, transaction } from '../deps.ts'
import { assertUnmirrored } from '../import-sources/mirrors.ts'
import type { Membership } from '../members/member.ts'
import { makeOwner } from '../members/members.ts'
import { listMembershipRoots } from '../members/memberships.ts'
import type { Optional } from '../optional.ts'
import { assertReachable, type Page, type PageRequest, pageOf } from '../page.ts'
import { moveProjectsBelow } from '../projects/projects.ts'
import { readPathSearch } from '../projects/search.ts'
import { groupLevel, isGroupVisible, nowhere, openVisibilities, type Visitor } from '../projects/visible.ts'
import { redirectNamespace, removeMovedPaths } from './moved-paths.ts'
import type { NamespaceOrder } from './namespace.ts'
import { lineageOf, type Namespace } from './namespace.ts'
import { countNamespaces, listNamespaces, type NamespaceFilter } from './namespace-list-queries.ts'
import {
  findNamespaceById,
  type GroupDraft,
  insertGroup,
  listVisibilitiesIn,
  lockNamespace,
  updateGroup,
  updateSubgroupPaths,
} from './namespace-queries.ts'
import { mayCreateTopLevel } from './namespaces.ts'
import type { Organization } from './organization.ts'
import {
  assertOrganizationReadable,
  defaultOrganizationId,
  getOrganization,
  readOrganization,
} from './organizations.ts'
import { fullPathProblems, groupProblems } from './paths.ts'

export interface NewGroup {
  name: string
  path: string
  description?: string | undefined
  visibility?: Visibility | undefined
  promoteOnIngestion?: boolean | null | undefined
  parentId?: number | undefined
  /** Defaults to the parent's organization, or to the first one. */
  organizationId?: number | undefined
}

/** GitLab's maximum nesting depth. */
export const maxAncestors = 20
const tooDeep = 'has too deep level of nesting'

/** Creates a group owned by the caller. */
export function createGroup(deps: Deps, caller: Caller, fresh: NewGroup): Promise<Namespace> {
  return transaction(deps, async (deps) => {
    const parent = fresh.parentId === undefined ? null : await parentFor(deps, caller, fresh.parentId)
    if (!parent && !mayCreateTopLevel(caller)) throw forbidden()
    const organization = await organizationFor(deps, caller, parent, fresh.organizationId)
    const { name, path, description = '', visibility = 'private' } = fresh
    const problems = {
      ...fullPathProblems(parent ? `${parent.fullPath}/${path}` : path),
      ...groupProblems({ name, path, description }, parent === null),
      ...(parent ? wideness(visibility, parent.visibility) : hiddenness(visibility, organization)),
      ...(parent && lineageOf(parent).length > maxAncestors ? { parent_id: [tooDeep] } : {}),
    }
    if (Object.keys(problems).length > 0) throw notSaved(problems)

    const draft = { name, path, description, visibility, promoteOnIngestion: fresh.promoteOnIngestion ?? null }
    const group = await insertGroup(deps.db, draft, { parent, organizationId: organization.id, now: deps.now() })
    if (!group) throw notSaved({ path: [taken] })
    await removeMovedPaths(deps, group.fullPath)
    await makeOwner(deps, { namespaceId: group.id }, caller.user.id, caller.user.id)
    await recordAuditEvent(deps, 'group_created', { entity: groupEntity(group), message: 'Created the group' })
    return group
  })
}

export type GroupChange = Optional<GroupDraft>

/** Updates a group, and the paths and names of everything below it. */
export function changeGroup(deps: Deps, id: number, change: GroupChange): Promise<Namespace> {
  return transaction(deps, async (deps) => {
    const before = await lockGroupAndAncestors(deps, id)
    const parent = before.parentId === null ? null : await findNamespaceById(deps.db, before.parentId)
    const after = { ...before, ...given(change) }
    after.fullPath = parent ? `${parent.fullPath}/${after.path}` : after.path
    after.fullName = parent ? `${parent.fullName} / ${after.name}` : after.name
    const problems = {
      ...(after.path === before.path ? {} : fullPathProblems(after.fullPath)),
      ...groupProblems(change, before.parentId === null),
      ...(after.visibility === before.visibility ? {} : await visibilityProblems(deps, after, parent ?? null)),
    }
    if (Object.keys(problems).length > 0) throw invalid(problems)

    if (!(await updateGroup(deps.db, after, deps.now()))) throw pathTaken()
    if (after.fullPath !== before.fullPath || after.fullName !== before.fullName) {
      await updateSubgroupPaths(deps.db, before, after)
      await moveProjectsBelow(deps, before, after)
    }
    await redirectNamespace(deps, before, after)
    const group = await findNamespaceById(deps.db, id)
    if (!group) throw notFound('Group')
    const changes = changesBetween(before, group, auditedAttributes)
    if (Object.keys(changes).length > 0) {
      await recordAuditEvent(deps, 'group_updated', {
        entity: groupEntity(group),
        message: 'Changed the group',
        changes,
      })
    }
    return group
  }).catch((error: unknown) => {
    throw isUniqueViolation(error) ? pathTaken() : error
  })
}

const auditedAttributes = {
  name: 'name',
  fullPath: 'path',
  description: 'description',
  visibility: 'visibility',
  promoteOnIngestion: 'promote_on_ingestion',
} as const

/** Query parameters of the list of groups. */
export interface GroupQuery {
  search?: string | undefined
  owned?: boolean | undefined
  minAccessLevel?: number | undefined
  /** False limits the list to groups that the caller is related to. */
  allAvailable?: boolean | undefined
  topLevelOnly?: boolean | undefined
  visibility?: Visibility | undefined
  organizationId?: number | undefined
  exceptIds?: readonly number[] | undefined
  parentId?: number | undefined
  /** Ancestor group, at any depth. */
  below?: Namespace | undefined
  customAttributes?: CustomAttributeFilter | undefined
}

/** Returns a page of groups that the caller can read, of all organizations or of one that the caller can read. */
export async function findGroups(
  deps: Deps,
  caller: Visitor | null,
  query: GroupQuery,
  { order, page }: { order: NamespaceOrder; page: PageRequest },
): Promise<Page<Namespace>> {
  assertReachable(page, 'Group')
  await assertOrganizationReadable(deps, caller, query.organizationId)
  const least = Math.max(query.minAccessLevel ?? 0, query.owned ? roles.owner : 0)
  const member = caller && {
    userId: caller.user.id,
    level: Math.max(least, roles.guest),
    today: deps.now().slice(0, 10),
  }
  const isRestricted = least > 0 || (caller !== null && query.allAvailable === false)
  const filter: NamespaceFilter = {
    kind: 'group',
    open: isRestricted ? [] : openVisibilities(caller),
    member: member ?? undefined,
    ids: member && least === 0 ? await listGroupsAround(deps, member) : [],
    exceptIds: query.exceptIds,
    parentId: query.topLevelOnly ? null : query.parentId,
    below: query.below,
    customAttributes: query.customAttributes,
    visibility: query.visibility,
    organizationId: query.organizationId,
    search: readPathSearch(query.search ?? '', false),
  }
  const counted = await countNamespaces(deps.db, filter)
  return pageOf(page, await listNamespaces(deps.db, filter, { order, page, counted }), counted)
}

/** Returns the ids of the groups that a user can see because of memberships inside them. */
async function listGroupsAround(deps: Deps, member: Membership): Promise<number[]> {
  const roots = await listMembershipRoots(deps.db, member)
  return [...new Set(roots.flatMap(lineageOf))]
}

/** Returns the organization of a new group: the parent's, or the given one for a top-level group. */
async function organizationFor(
  deps: Deps,
  caller: Caller,
  parent: Namespace | null,
  asked: number | undefined,
): Promise<Organization> {
  const id = asked ?? parent?.organizationId ?? defaultOrganizationId
  const organization = await readOrganization(deps, caller, id)
  if (parent && id !== parent.organizationId) throw notSaved({ organization_id: ['must be that of the parent group'] })
  return organization
}

/** Returns a validation error for a visible group in a private organization, whose contents only members may see. */
function hiddenness(visibility: Visibility, { isPublic }: Organization): InvalidAttributes {
  if (isPublic || visibility === 'private') return {}
  return { visibility_level: [`${visibility} is not allowed since the organization has a private visibility.`] }
}

async function parentFor(deps: Deps, caller: Caller, id: number): Promise<Namespace> {
  const { parent, level } = await visibleParent(deps, caller, id)
  if (level < roles.maintainer) throw forbidden()
  await assertUnmirrored(deps, 'group', [parent.id])
  return parent
}

/** Returns a group that the caller can see, locked, and the caller's access level there. */
export async function visibleParent(
  deps: Deps,
  caller: Caller,
  id: number,
): Promise<{ parent: Namespace; level: number }> {
  const parent = await lockNamespace(deps.db, id)
  const level = await groupLevel(deps, parent, caller)
  const isSeen = await isGroupVisible(deps, parent ?? nowhere, { caller, callerLevel: level })
  if (parent?.kind !== 'group' || !isSeen) throw notFound('Group')
  return { parent, level }
}

/** Locks the group and all groups above it, so that its full path cannot change before it is written. */
async function lockGroupAndAncestors(deps: Deps, id: number): Promise<Namespace> {
  const found = await findNamespaceById(deps.db, id)
  for (const heldId of found ? lineageOf(found) : []) await lockNamespace(deps.db, heldId)
  return getGroup(deps, id)
}

export async function getGroup(deps: Deps, id: number): Promise<Namespace> {
  const group = await findNamespaceById(deps.db, id)
  if (group?.kind !== 'group') throw notFound('Group')
  return group
}

const taken = 'has already been taken'
const pathTaken = (): Failure => invalid({ path: [taken] })

function wideness(visibility: Visibility, max: Visibility): InvalidAttributes {
  if (!isWider(visibility, max)) return {}
  return { visibility_level: [`${visibility} is not allowed since the parent group has a ${max} visibility.`] }
}

async function visibilityProblems(deps: Deps, after: Namespace, parent: Namespace | null): Promise<InvalidAttributes> {
  const hidden = hiddenness(after.visibility, await getOrganization(deps, after.organizationId))
  const within = (await listVisibilitiesIn(deps.db, after.id)).filter(({ visibility }) =>
    isWider(visibility, after.visibility),
  )
  const messages = [
    ...(hidden['visibility_level'] ?? []),
    ...(parent ? (wideness(after.visibility, parent.visibility)['visibility_level'] ?? []) : []),
    ...(within.some(({ of }) => of === 'project')
      ? [`${after.visibility} is not allowed since this group contains projects with higher visibility.`]
      : []),
    ...(within.some(({ of }) => of === 'group')
      ? [`${after.visibility} is not allowed since there are sub-groups with higher visibility.`]
      : []),
  ]
  return messages.length > 0 ? { visibility_level: messages } : {}
}

function given(change: GroupChange): Partial<Namespace> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

/** Returns GitLab's error message, which formats the attributes as a Ruby hash. Clients search it for words. */
function notSaved(problems: InvalidAttributes): Failure {
  const pairs = Object.entries(problems).map(([name, messages]) => `:${name}=>[${messages.map(quoted).join(', ')}]`)
  return refused(`Failed to save group {${pairs.join(', ')}}`)
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
