import { notFound } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import { type Deps, transaction } from '../deps.ts'
import { readAvatar } from '../files/avatar-file.ts'
import { deleteMarkedObjectsSoon, markForDeletion } from '../files/pending-deletions.ts'
import type { Avatar, AvatarOwner } from './avatar.ts'
import { deleteAvatar, findAvatar, insertAvatar, listOwnersOf, lockOwner, updateFilename } from './avatar-queries.ts'

export { listAvatarKeys } from './avatar-queries.ts'

interface Owner {
  id: number
  avatarFilename: string | null
}

/**
 * Creates or changes a resource, and stores its avatar in the same transaction. Null removes the present avatar, and
 * without a value it stays.
 */
export async function withAvatar<T extends Owner>(
  deps: Deps,
  owner: AvatarOwner,
  file: ReceivedFile | null | undefined,
  change: (deps: Deps) => Promise<T>,
): Promise<T> {
  if (file === undefined) return change(deps)
  const avatar = file && readAvatar(file)
  const changed = await transaction(deps, async (deps) => {
    const changed = await change(deps)
    await lockOwner(deps.db, owner, changed.id)
    const before = await findAvatar(deps.db, owner, changed.id)
    if (before) {
      await deleteAvatar(deps.db, before.id)
      await markForDeletion(deps, [before.objectKey])
    }
    if (avatar) await insertAvatar(deps.db, owner, changed.id, { file: avatar, now: deps.now() })
    const avatarFilename = avatar?.filename ?? null
    await updateFilename(deps.db, owner, changed.id, avatarFilename)
    return { ...changed, avatarFilename }
  })
  if (file) file.kept = true
  await deleteMarkedObjectsSoon(deps)
  return changed
}

export async function getAvatar({ db }: Deps, owner: AvatarOwner, id: number): Promise<Avatar> {
  const avatar = await findAvatar(db, owner, id)
  if (!avatar) throw notFound('Avatar')
  return avatar
}

/** Removes avatars whose objects are lost. */
export async function dropAvatarsOfOwners({ db }: Deps, ids: readonly number[]): Promise<void> {
  for (const { id, projectId, namespaceId, userId } of await listOwnersOf(db, ids)) {
    await deleteAvatar(db, id)
    if (projectId !== null) await updateFilename(db, 'projects', projectId, null)
    if (namespaceId !== null) await updateFilename(db, 'namespaces', namespaceId, null)
    if (userId !== null) await updateFilename(db, 'users', userId, null)
  }
}
