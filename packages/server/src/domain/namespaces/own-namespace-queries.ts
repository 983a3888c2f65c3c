import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Inserts a user's own namespace with the user's names. Throws a unique violation when a group has that path. */
export async function insertOwnNamespace(
  db: Db,
  owner: { id: number; username: string; name: string },
  organizationId: number,
  now: string,
): Promise<number> {
  const { id, username, name } = owner
  const row = await db.one<{ id: number }>(sql`
    insert into namespaces (organization_id, kind, name, path, full_path, full_path_key, full_name, visibility,
      owner_id, created_at, updated_at)
    values (${organizationId}, 'user', ${name}, ${username}, ${username}, ${username.toLowerCase()}, ${name}, 'public',
      ${id}, ${now}, ${now})
    returning id`)
  if (!row) throw new Error('an inserted namespace did not come back')
  return row.id
}

/** Updates name and path of a user's own namespace. Throws a unique violation when a group has that path. */
export async function updateOwnNamespace(
  db: Db,
  owner: { id: number; username: string; name: string },
  now: string,
): Promise<void> {
  const { id, username, name } = owner
  await db.run(sql`
    update namespaces set name = ${name}, full_name = ${name}, path = ${username}, full_path = ${username},
      full_path_key = ${username.toLowerCase()}, updated_at = ${now}
    where owner_id = ${id} and kind = 'user'`)
}
