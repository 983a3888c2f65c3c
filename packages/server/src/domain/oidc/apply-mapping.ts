import { roles } from '../access/roles.ts'
import { userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { giveMembership, hasOwnerBeside, removeMembership } from '../members/members.ts'
import type { Namespace } from '../namespaces/namespace.ts'
import { findNamespaceById, findNamespaceByPath } from '../namespaces/namespaces.ts'
import { logSecurity } from '../sign-in/security-log.ts'
import type { User } from '../users/user.ts'
import { changeUser, lockActiveAdministrators } from '../users/users.ts'
import type { Identity, MappingStep } from './identity.ts'
import { updateGaveAdmin } from './identity-queries.ts'
import {
  deleteMappedMembership,
  listDirectMemberships,
  listMappedMemberships,
  upsertMappedMembership,
} from './mapped-membership-queries.ts'
import type { MappedRights } from './mapping.ts'

/**
 * Gives the user what the mapping says, and takes back what the mapping gave before and no longer says. Rights given by
 * hand, or changed by hand since, stay. Runs in a transaction that has locked the user. Returns what was done.
 */
export async function applyMapping(
  deps: Deps,
  { user, identity }: { user: User; identity: Identity },
  rights: MappedRights,
): Promise<MappingStep[]> {
  const steps = await applyAdmin(deps, user, identity, rights.isAdmin)
  const given = new Map(
    (await listMappedMemberships(deps.db, identity.id)).map((membership) => [membership.namespaceId, membership]),
  )
  const wanted = new Map<number, { group: Namespace; level: number }>()
  for (const [path, level] of rights.groups) {
    const group = await findNamespaceByPath(deps.db, path)
    if (group?.kind === 'group') wanted.set(group.id, { group, level })
    else steps.push({ step: 'unknown group', group: path, accessLevel: level })
  }
  const actual = new Map(
    (await listDirectMemberships(deps.db, user.id, [...new Set([...given.keys(), ...wanted.keys()])])).map(
      (membership) => [membership.namespaceId, membership],
    ),
  )
  const isByHand = (namespaceId: number) => {
    const [before, now] = [given.get(namespaceId), actual.get(namespaceId)]
    return now !== undefined && (now.accessLevel !== before?.accessLevel || now.expiresOn !== null)
  }
  for (const [namespaceId, { group, level }] of wanted) {
    const path = group.fullPath
    if (isByHand(namespaceId)) {
      await deleteMappedMembership(deps.db, identity.id, namespaceId)
      const kept = actual.get(namespaceId)?.accessLevel ?? 0
      steps.push({ step: 'kept', group: path, accessLevel: kept })
    } else {
      await giveMembership(deps, group, { userId: user.id, accessLevel: level, provider: identity.provider })
      await upsertMappedMembership(deps.db, identity.id, { namespaceId, accessLevel: level })
      steps.push({ step: 'member', group: path, accessLevel: level })
      const wasOwner = (actual.get(namespaceId)?.accessLevel ?? 0) >= roles.owner
      if (wasOwner && level < roles.owner) steps.push(...(await stepsWithoutOwner(deps, group, { user, identity })))
    }
  }
  for (const { namespaceId } of given.values()) {
    if (wanted.has(namespaceId)) continue
    await deleteMappedMembership(deps.db, identity.id, namespaceId)
    if (isByHand(namespaceId) || !actual.has(namespaceId)) continue
    const group = await findNamespaceById(deps.db, namespaceId)
    if (!group) continue
    const isOwner = (actual.get(namespaceId)?.accessLevel ?? 0) >= roles.owner
    await removeMembership(deps, group, { userId: user.id, provider: identity.provider })
    steps.push({ step: 'removed', group: group.fullPath })
    if (isOwner) steps.push(...(await stepsWithoutOwner(deps, group, { user, identity })))
  }
  return steps
}

/** Warns when a group has lost its last owner. Administrators can add another one. */
async function stepsWithoutOwner(
  deps: Deps,
  group: Namespace,
  { user, identity: { provider } }: { user: User; identity: Identity },
): Promise<MappingStep[]> {
  if (await hasOwnerBeside(deps, group, user.id)) return []
  deps.log.warn(
    { user_id: user.id, username: user.username, provider, group: group.fullPath },
    'the mapping of an identity provider has removed the last owner of a group',
  )
  return [{ step: 'without owner', group: group.fullPath }]
}

async function applyAdmin(deps: Deps, user: User, identity: Identity, isAdmin: boolean): Promise<MappingStep[]> {
  if (isAdmin && !user.isAdmin) {
    await setAdmin(deps, { user, identity }, true)
    await updateGaveAdmin(deps.db, identity.id, true)
    logSecurity(deps, 'user.changed', { user, reason: 'administrator by mapping', method: 'provider' })
    return [{ step: 'administrator' }]
  }
  if (isAdmin) return [{ step: identity.gaveAdmin ? 'administrator' : 'kept administrator' }]
  if (!identity.gaveAdmin) return []
  if (user.isAdmin && (await isLastAdministrator(deps, user))) {
    await recordKeptAdministrator(deps, { user, identity })
    return [{ step: 'kept last administrator' }]
  }
  await updateGaveAdmin(deps.db, identity.id, false)
  if (!user.isAdmin) return []
  await setAdmin(deps, { user, identity }, false)
  logSecurity(deps, 'user.changed', { user, reason: 'no administrator by mapping', method: 'provider' })
  return [{ step: 'removed administrator' }]
}

/** Locks the administrators, so that two of them cannot lose their rights concurrently. */
async function isLastAdministrator({ db }: Deps, user: User): Promise<boolean> {
  return (await lockActiveAdministrators(db)).every((id) => id === user.id)
}

/** Warns that the mapping would have left the server without an administrator. The next sign-in tries again. */
async function recordKeptAdministrator(
  deps: Deps,
  { user, identity: { provider } }: { user: User; identity: Identity },
): Promise<void> {
  deps.log.warn(
    { user_id: user.id, username: user.username, provider },
    'the last administrator keeps rights that the mapping of an identity provider no longer gives',
  )
  await recordAuditEvent(deps, 'last_administrator_kept', {
    entity: userEntity(user),
    message: 'Kept the last administrator, whom the mapping of an identity provider no longer makes one',
    author: 'system',
    extra: { provider },
  })
}

async function setAdmin(
  deps: Deps,
  { user, identity }: { user: User; identity: Identity },
  isAdmin: boolean,
): Promise<void> {
  await changeUser(deps, { ...user, isAdmin }, undefined)
  await recordAuditEvent(deps, 'user_updated', {
    entity: userEntity(user),
    message: 'Changed the user by the mapping of an identity provider',
    changes: { admin: { from: user.isAdmin, to: isAdmin } },
    author: 'system',
    extra: { provider: identity.provider },
  })
}
