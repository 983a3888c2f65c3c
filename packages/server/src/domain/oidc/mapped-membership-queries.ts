import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Membership that the mapping has given. */
export interface MappedMembership {
  namespaceId: number
  accessLevel: number
}

export async function listMappedMemberships(db: Db, identityId: number): Promise<MappedMembership[]> {
  return db.all(sql`
    select namespace_id, access_level from oidc_memberships where identity_id = ${identityId} order by namespace_id`)
}

export async function upsertMappedMembership(
  db: Db,
  identityId: number,
  { namespaceId, accessLevel }: MappedMembership,
): Promise<void> {
  await db.run(sql`
    insert into oidc_memberships (identity_id, namespace_id, access_level)
    values (${identityId}, ${namespaceId}, ${accessLevel})
    on conflict (identity_id, namespace_id) do update set access_level = excluded.access_level`)
}

export async function deleteMappedMembership(db: Db, identityId: number, namespaceId: number): Promise<void> {
  await db.run(sql`
    delete from oidc_memberships where identity_id = ${identityId} and namespace_id = ${namespaceId}`)
}

/** Returns the user's direct memberships of these groups. */
export async function listDirectMemberships(
  db: Db,
  userId: number,
  namespaceIds: readonly number[],
): Promise<(MappedMembership & { expiresOn: string | null })[]> {
  return db.all(sql`
    select namespace_id, access_level, expires_on from members
    where user_id = ${userId} and namespace_id in ${db.dialect.integers(namespaceIds)} order by namespace_id`)
}
