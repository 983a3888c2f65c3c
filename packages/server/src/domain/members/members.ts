import { setImmediate } from 'node:timers/promises'
import { conflict, forbidden, type InvalidAttributes, invalid, notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { permissions } from '../access/permissions.ts'
import { grantableLevels, roleName, roles } from '../access/roles.ts'
import { changesBetween, type Entity, groupEntity, projectEntity } from '../audit/audit-event.ts'
import type { AuditEventName } from '../audit/event-name.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { hasListeners } from '../hooks/record.ts'
import { changesOfMirror } from '../import-sources/mirrors.ts'
import { lineageOf, type Namespace } from '../namespaces/namespace.ts'
import { lockNamespace } from '../namespaces/namespaces.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import type { Project } from '../projects/project.ts'
import { groupLevel, projectLevel, type Visitor } from '../projects/visible.ts'
import { assertUnmodified } from '../unmodified.ts'
import { findUserById, findUserByUsername } from '../users/users.ts'
import type { Member, MemberFilter, MemberSource } from './member.ts'
import { recordMemberEvent } from './member-events.ts'
import { memberProblem } from './member-problem.ts'
import {
  countMembers,
  deleteExpiredMembers,
  deleteMember,
  findHighestGroup,
  hasOtherOwner,
  insertMember,
  listExpiredMembers,
  listMembers,
  updateMember,
} from './member-queries.ts'

/** Project or group that users are members of. */
export type MemberPlace = { project: Project; group?: undefined } | { group: Namespace; project?: undefined }

/**
 * Whether a query covers direct members only, or also inherited ones. Each user appears once, with the highest level.
 */
export type Reach = 'direct' | 'all'

export async function findMembers(
  deps: Deps,
  place: MemberPlace,
  { reach, filter, page }: { reach: Reach; filter: MemberFilter; page: PageRequest },
): Promise<Page<Member>> {
  const [source, today] = [sourceOf(place, reach), deps.now().slice(0, 10)]
  const [rows, counted] = await Promise.all([
    listMembers(deps.db, source, { filter, today, page }),
    countMembers(deps.db, source, filter, today),
  ])
  return pageOf(page, rows, counted)
}

export async function getMember(deps: Deps, place: MemberPlace, reach: Reach, userId: number): Promise<Member> {
  const member = await findMember(deps, place, reach, userId)
  if (!member) throw notFound()
  return member
}

async function findMember(deps: Deps, place: MemberPlace, reach: Reach, userId: number): Promise<Member | undefined> {
  const one = { page: 1, perPage: 1, offset: 0 }
  const today = deps.now().slice(0, 10)
  const [member] = await listMembers(deps.db, sourceOf(place, reach), {
    filter: { userIds: [userId] },
    today,
    page: one,
  })
  return member
}

export interface MemberTerms {
  accessLevel: number
  /** Expiry date as YYYY-MM-DD; undefined leaves it unchanged. */
  expiresOn: string | null | undefined
}

/** User to add, identified by id or by username. */
export interface Candidate {
  id?: number | undefined
  username?: string | undefined
}

export function addMember(
  deps: Deps,
  caller: Visitor,
  place: MemberPlace,
  { candidate, terms }: { candidate: Candidate; terms: MemberTerms },
): Promise<Member> {
  return transaction(deps, async (deps) => {
    const userId = await findCandidate(deps, candidate)
    if (userId === undefined) throw notFound('User')
    await assertMayGrant(deps, caller, place, terms.accessLevel)
    await assertTerms(deps, place, userId, terms)
    const { accessLevel, expiresOn = null } = terms
    const added = await insertMember(
      deps.db,
      place.project ? { projectId: place.project.id } : { namespaceId: place.group.id },
      { userId, terms: { accessLevel, expiresOn }, createdById: caller.user.id, now: deps.now() },
    )
    if (!added) throw conflict('Member already exists')
    await recordMemberEvent(deps, 'add', idsOf(place), userId)
    const member = await getMember(deps, place, 'direct', userId)
    await recordMembership(deps, 'member_created', place, { after: member })
    return member
  })
}

/** Adds several members independently of each other. Returns error messages by the names that the client sent. */
export async function addMembers(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  { candidates, terms }: { candidates: ReadonlyMap<string, Candidate>; terms: MemberTerms },
): Promise<Record<string, string>> {
  const problems: Record<string, string> = {}
  for (const [name, candidate] of candidates) {
    try {
      await addMember(deps, caller, place, { candidate, terms })
    } catch (error) {
      problems[name] = memberProblem(error)
    }
  }
  return problems
}

/** Makes a user an owner without an expiry date, whatever the user's membership was before. */
export async function makeOwner(
  deps: Deps,
  place: { projectId: number } | { namespaceId: number },
  userId: number,
  createdById: number | null,
): Promise<void> {
  const { db, now } = deps
  const terms = { accessLevel: roles.owner, expiresOn: null }
  if (await insertMember(db, place, { userId, terms, createdById, now: now() })) {
    return recordMemberEvent(deps, 'add', place, userId)
  }
  const source =
    'projectId' in place
      ? { projectId: place.projectId, namespaceIds: [] }
      : { projectId: null, namespaceIds: [place.namespaceId] }
  await updateMember(db, source, { userId, terms, now: now() })
  await recordMemberEvent(deps, 'update', place, userId)
}

/** Identity provider whose mapping gives or removes rights. */
interface Granting {
  provider: string
}

/** Makes a user a direct member of a group with this access level, if a mapping says so and they are not. */
export async function giveMembership(
  deps: Deps,
  group: Namespace,
  { userId, accessLevel, provider }: { userId: number; accessLevel: number } & Granting,
): Promise<void> {
  const { db, now } = deps
  const terms = { accessLevel, expiresOn: null }
  const before = await findMember(deps, { group }, 'direct', userId)
  if (before?.accessLevel === accessLevel && before.expiresOn === null) return
  if (before) await updateMember(db, sourceOf({ group }, 'direct'), { userId, terms, now: now() })
  else await insertMember(db, { namespaceId: group.id }, { userId, terms, createdById: null, now: now() })
  await recordMemberEvent(deps, before ? 'update' : 'add', { namespaceId: group.id }, userId)
  const after = await getMember(deps, { group }, 'direct', userId)
  await recordMembership(deps, before ? 'member_updated' : 'member_created', { group }, { before, after, provider })
}

/** Ends a direct membership of a group, even that of its last owner. */
export async function removeMembership(
  deps: Deps,
  group: Namespace,
  { userId, provider }: { userId: number } & Granting,
): Promise<void> {
  const before = await getMember(deps, { group }, 'direct', userId)
  await recordMemberEvent(deps, 'remove', { namespaceId: group.id }, userId)
  await deleteMember(deps.db, sourceOf({ group }, 'direct'), userId)
  await recordMembership(deps, 'member_destroyed', { group }, { before, provider })
}

/** Returns true when another active person owns the group or one above it. */
export function hasOwnerBeside({ db }: Deps, group: Namespace, userId: number): Promise<boolean> {
  return hasOtherOwner(db, lineageOf(group), userId)
}

/** Adds the bot of a project or group. Its membership ends with the bot and cannot be changed. */
export async function addBotMember(
  { db, now }: Deps,
  { project, group }: MemberPlace,
  { userId, accessLevel, createdById }: { userId: number; accessLevel: number; createdById: number },
): Promise<void> {
  const place = project ? { projectId: project.id } : { namespaceId: group.id }
  await insertMember(db, place, { userId, terms: { accessLevel, expiresOn: null }, createdById, now: now() })
}

/** Changes the role of the bot of a project or group. */
export async function changeBotRole(
  { db, now }: Deps,
  place: MemberPlace,
  userId: number,
  accessLevel: number,
): Promise<void> {
  await updateMember(db, sourceOf(place, 'direct'), { userId, terms: { accessLevel, expiresOn: null }, now: now() })
}

export function changeMember(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  { userId, terms }: { userId: number; terms: MemberTerms },
): Promise<Member> {
  return transaction(deps, async (deps) => {
    await lockGroupOf(deps, place)
    const member = await getMember(deps, place, 'direct', userId)
    await assertNoBotMember(deps, userId)
    await assertMayGrant(deps, caller, place, Math.max(member.accessLevel, terms.accessLevel))
    await assertTerms(deps, place, userId, terms)
    if (terms.accessLevel < roles.owner || terms.expiresOn) await assertNotNeeded(deps, place, member)
    await updateMember(deps.db, sourceOf(place, 'direct'), { userId, terms, now: deps.now() })
    await recordMemberEvent(deps, 'update', idsOf(place), userId)
    const changed = await getMember(deps, place, 'direct', userId)
    await recordMembership(deps, 'member_updated', place, { before: member, after: changed })
    return changed
  })
}

/**
 * Removes a member. Any member may leave; removing another one requires the right to manage members. Keeps a membership
 * that was changed after `unmodifiedSince` (in ms).
 */
export function removeMember(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  { userId, unmodifiedSince }: { userId: number; unmodifiedSince: number | undefined },
): Promise<void> {
  return transaction(deps, async (deps) => {
    await lockGroupOf(deps, place)
    const isSelf = userId === caller.user.id
    const level = await levelIn(deps, place, caller)
    if (!isSelf && level < managing(place)) throw forbidden()
    const member = await getMember(deps, place, 'direct', userId)
    if (!isSelf) await assertMayGrant(deps, caller, place, member.accessLevel)
    assertUnmodified(member, unmodifiedSince)
    await assertNoBotMember(deps, userId)
    await assertNotNeeded(deps, place, member)
    await recordMemberEvent(deps, 'remove', idsOf(place), userId)
    await deleteMember(deps.db, sourceOf(place, 'direct'), userId)
    await recordMembership(deps, 'member_destroyed', place, { before: member })
  })
}

/** Returns the entity whose audit log has the events of the members and tokens of a project or group. */
export function entityOf({ project, group }: MemberPlace): Entity {
  return project ? projectEntity(project) : groupEntity(group)
}

type ChangedMember = ({ before: Member; after?: undefined } | { before?: Member | undefined; after: Member }) &
  Partial<Granting>

async function recordMembership(
  deps: Deps,
  name: AuditEventName,
  place: MemberPlace,
  { before, after, provider }: ChangedMember,
): Promise<void> {
  const { person } = after ?? before
  const [from, to] = [before, after].map((member) => ({
    role: member ? roleName(member.accessLevel) : null,
    expiresOn: member?.expiresOn ?? null,
  }))
  const changes = from && to ? changesBetween(from, to, { role: 'access_level', expiresOn: 'expires_at' }) : {}
  if (Object.keys(changes).length === 0) return
  await recordAuditEvent(deps, name, {
    entity: entityOf(place),
    message: before ? (after ? 'Changed the role of a member' : 'Removed a member') : 'Added a member',
    target: { type: 'User', id: person.id, name: person.username },
    changes,
    ...(provider !== undefined && { author: 'system' as const, extra: { provider } }),
  })
}

/** Deletes expired memberships in batches. They grant no access from their expiry date on, so this only frees space. */
export async function removeExpiredMembers(deps: Deps): Promise<void> {
  const atOnce = 500
  const today = deps.now().slice(0, 10)
  const removeBatch = () =>
    transaction(deps, async (deps) => {
      if (await hasListeners(deps, 'member')) {
        for (const { userId, ...place } of await listExpiredMembers(deps.db, today, atOnce)) {
          await recordMemberEvent(deps, 'remove', place, userId)
        }
      }
      return deleteExpiredMembers(deps.db, today, atOnce)
    })
  while ((await removeBatch()) === atOnce) await setImmediate()
}

const idsOf = ({ project, group }: MemberPlace) => (project ? { projectId: project.id } : { namespaceId: group.id })

function sourceOf(place: MemberPlace, reach: Reach): MemberSource {
  const namespace = place.group ?? place.project.namespace
  const projectId = place.project?.id ?? null
  if (reach === 'all') return { projectId, namespaceIds: lineageOf(namespace) }
  return { projectId, namespaceIds: place.group ? [place.group.id] : [] }
}

function levelIn(deps: Deps, place: MemberPlace, caller: Visitor): Promise<number> {
  return place.group ? groupLevel(deps, place.group, caller) : projectLevel(deps, place.project, caller)
}

/** Returns true when the user may add members to the project or group, which may have become a mirror. */
export async function mayManageMembers(deps: Deps, place: MemberPlace, visitor: Visitor): Promise<boolean> {
  if ((await levelIn(deps, place, visitor)) < managing(place)) return false
  const [row, mirror] = place.group
    ? [permissions['group.member.manage'], { kind: 'group', id: place.group.id } as const]
    : [permissions['project.member.manage'], { kind: 'project', id: place.project.id } as const]
  return (await changesOfMirror(deps, visitor.user.id, mirror))(row)
}

function managing(place: MemberPlace): number {
  return place.group ? roles.owner : roles.maintainer
}

async function findCandidate(deps: Deps, { id, username }: Candidate): Promise<number | undefined> {
  const user =
    id !== undefined
      ? await findUserById(deps.db, id)
      : username !== undefined
        ? await findUserByUsername(deps.db, username)
        : undefined
  if (user?.isBot) throw invalid({ user: ['project bots cannot be added to other groups / projects'] })
  return user?.isGhost ? undefined : user?.id
}

async function assertNoBotMember(deps: Deps, userId: number): Promise<void> {
  const user = await findUserById(deps.db, userId)
  if (user?.isBot) throw forbidden('The member is the bot of an access token. Revoke the token instead.')
}

/** Rejects granting or removing ownership by a caller who is not an owner. */
export async function assertMayGrant(
  deps: Deps,
  caller: Visitor,
  place: MemberPlace,
  accessLevel: number,
): Promise<void> {
  if (accessLevel > roles.maintainer && (await levelIn(deps, place, caller)) < roles.owner) throw forbidden()
}

/** Rejects a level that cannot be granted or is below the user's inherited one, and an expiry date in the past. */
export async function assertTerms(deps: Deps, place: MemberPlace, userId: number, terms: MemberTerms): Promise<void> {
  const today = deps.now().slice(0, 10)
  const least = place.group ? 0 : roles.guest
  const isListed = grantableLevels.includes(terms.accessLevel) && terms.accessLevel >= least
  const problems: InvalidAttributes = {
    ...(isListed ? {} : { access_level: ['is not included in the list'] }),
    ...(terms.expiresOn && terms.expiresOn < today ? { expires_at: ['cannot be a date in the past'] } : {}),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)

  const { namespaceIds } = sourceOf(place, 'all')
  const above = place.group ? namespaceIds.slice(0, -1) : namespaceIds
  const inherited = await findHighestGroup(deps.db, userId, above, today)
  if (!inherited || inherited.level <= terms.accessLevel) return
  const name = `${roleName(inherited.level)} inherited membership from group ${inherited.name}`
  throw invalid({ access_level: [`should be greater than or equal to ${name}`] })
}

const lastOwner = 'A group needs an owner who is active and whose membership does not end. Add another one first.'

/** Rejects removing the last owner of a group, or the user that a personal project belongs to. */
async function assertNotNeeded(deps: Deps, place: MemberPlace, member: Member): Promise<void> {
  if (place.project) {
    if (place.project.namespace.ownerId === member.person.id) throw forbidden()
    return
  }
  if (member.accessLevel < roles.owner) return
  if (!(await hasOtherOwner(deps.db, lineageOf(place.group), member.person.id))) throw forbidden(lastOwner)
}

/** Locks the group, so that two owners cannot remove each other concurrently. */
async function lockGroupOf(deps: Deps, place: MemberPlace): Promise<void> {
  if (place.group) await lockNamespace(deps.db, place.group.id)
}
