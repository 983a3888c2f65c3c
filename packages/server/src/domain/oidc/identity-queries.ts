import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Identity, MappingStep } from './identity.ts'

const columns = sql`id, user_id, provider, issuer, subject, gave_admin, claims, outcome, created_at,
  last_sign_in_at`

export async function findIdentity(db: Db, issuer: string, subject: string): Promise<Identity | undefined> {
  return db.one(sql`select ${columns} from oidc_identities where issuer = ${issuer} and subject = ${subject}`)
}

export async function listIdentitiesOf(db: Db, userId: number): Promise<Identity[]> {
  return db.all(sql`select ${columns} from oidc_identities where user_id = ${userId} order by id`)
}

/** Inserts an identity. Throws a unique violation when the account at the provider is linked already. */
export async function insertIdentity(
  db: Db,
  { userId, provider, issuer, subject }: Pick<Identity, 'userId' | 'provider' | 'issuer' | 'subject'>,
  now: string,
): Promise<Identity> {
  const row = await db.one<Identity>(sql`
    insert into oidc_identities (user_id, provider, issuer, subject, created_at, last_sign_in_at)
    values (${userId}, ${provider}, ${issuer}, ${subject}, ${now}, ${now})
    returning ${columns}`)
  if (!row) throw new Error('an inserted identity did not come back')
  return row
}

/** Records a sign-in: what the provider claimed, and what the mapping made of it. */
export async function updateIdentity(
  db: Db,
  id: number,
  { provider, claims, outcome }: { provider: string; claims: object; outcome: readonly MappingStep[] },
  now: string,
): Promise<void> {
  await db.run(sql`
    update oidc_identities set provider = ${provider}, claims = ${claims}, outcome = ${JSON.stringify(outcome)},
      last_sign_in_at = ${now}
    where id = ${id}`)
}

export async function deleteIdentity(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from oidc_identities where id = ${id}`)
}

export async function updateGaveAdmin(db: Db, id: number, gaveAdmin: boolean): Promise<void> {
  await db.run(sql`update oidc_identities set gave_admin = ${gaveAdmin} where id = ${id}`)
}
