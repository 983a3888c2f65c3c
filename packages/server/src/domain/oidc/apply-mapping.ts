import { userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { giveMembership, removeMembership } from '../members/members.ts'
import type { Namespace } from '../namespaces/namespace.ts'
import { findNamespaceById, findNamespaceByPath } from '../namespaces/namespaces.ts'
import { logSecurity } from '../sign-in/security-log.ts'
import type { User } from '../users/user.ts'
import { changeUser } from '../users/users.ts'
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
    }
  }
  for (const { namespaceId } of given.values()) {
    if (wanted.has(namespaceId)) continue
    await deleteMappedMembership(deps.db, identity.id, namespaceId)
    if (isByHand(namespaceId) || !actual.has(namespaceId)) continue
    const group = await findNamespaceById(deps.db, namespaceId)
    if (!group) continue
    await removeMembership(deps, group, { userId: user.id, provider: identity.provider })
    steps.push({ step: 'removed', group: group.fullPath })
  }
  return steps
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
  await updateGaveAdmin(deps.db, identity.id, false)
  if (!user.isAdmin) return []
  await setAdmin(deps, { user, identity }, false)
  logSecurity(deps, 'user.changed', { user, reason: 'no administrator by mapping', method: 'provider' })
  return [{ step: 'removed administrator' }]
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
