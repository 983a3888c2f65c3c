import sql, { raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { AvatarFile } from '../files/avatar-file.ts'
import type { Avatar, AvatarOwner } from './avatar.ts'

const references = { projects: 'project_id', namespaces: 'namespace_id', users: 'user_id' } as const
const reference = (owner: AvatarOwner): Sql => raw(references[owner])

/** Locks the owner until the transaction ends. */
export async function lockOwner(db: Db, owner: AvatarOwner, id: number): Promise<void> {
  await db.one(sql`select id from ${raw(owner)} where id = ${id} ${db.dialect.forNoKeyUpdate}`)
}

export async function findAvatar(db: Db, owner: AvatarOwner, id: number): Promise<Avatar | undefined> {
  return db.one(sql`
    select id, object_key, filename, content_type, bytes, sha256 from avatars where ${reference(owner)} = ${id}`)
}

export async function insertAvatar(
  db: Db,
  owner: AvatarOwner,
  id: number,
  { file, now }: { file: AvatarFile; now: string },
): Promise<void> {
  await db.run(sql`
    insert into avatars (${reference(owner)}, object_key, filename, content_type, bytes, sha256, created_at)
    values (${id}, ${file.objectKey}, ${file.filename}, ${file.contentType}, ${file.bytes}, ${file.sha256}, ${now})`)
}

export async function deleteAvatar(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from avatars where id = ${id}`)
}

/** Sets the name that the responses of the owner contain. */
export async function updateFilename(db: Db, owner: AvatarOwner, id: number, filename: string | null): Promise<void> {
  await db.run(sql`update ${raw(owner)} set avatar_filename = ${filename} where id = ${id}`)
}

interface LostAvatar {
  id: number
  projectId: number | null
  namespaceId: number | null
  userId: number | null
}

export async function listOwnersOf(db: Db, ids: readonly number[]): Promise<LostAvatar[]> {
  return db.all(sql`
    select id, project_id, namespace_id, user_id from avatars where id in ${db.dialect.integers(ids)} order by id`)
}

/** Returns the object keys of the avatars of these owners. */
export async function listAvatarKeys(
  db: Db,
  { projectIds, namespaceIds, userIds }: Record<'projectIds' | 'namespaceIds' | 'userIds', readonly number[]>,
): Promise<string[]> {
  const rows = await db.all<{ objectKey: string }>(sql`
    select object_key from avatars
    where project_id in ${db.dialect.integers(projectIds)} or namespace_id in ${db.dialect.integers(namespaceIds)}
      or user_id in ${db.dialect.integers(userIds)}
    order by id`)
  return rows.map(({ objectKey }) => objectKey)
}
