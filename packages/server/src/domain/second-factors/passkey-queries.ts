import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Passkey } from './second-factor.ts'

const columns = sql`id, user_id, name, credential_id, public_key, sign_count, transports, created_at, last_used_at`

export async function listPasskeysOf(db: Db, userId: number): Promise<Passkey[]> {
  return db.all(sql`select ${columns} from passkeys where user_id = ${userId} order by id`)
}

export async function findPasskeyByCredential(db: Db, credentialId: string): Promise<Passkey | undefined> {
  return db.one(sql`select ${columns} from passkeys where credential_id = ${credentialId}`)
}

/** Inserts a passkey. Returns `undefined` when the credential is already registered, for any user. */
export async function insertPasskey(
  db: Db,
  { userId, name, credentialId, publicKey, signCount, transports, createdAt }: Omit<Passkey, 'id' | 'lastUsedAt'>,
): Promise<Passkey | undefined> {
  return db.one(sql`
    insert into passkeys (user_id, name, credential_id, public_key, sign_count, transports, created_at)
    values (${userId}, ${name}, ${credentialId}, ${publicKey}, ${signCount}, ${transports}, ${createdAt})
    on conflict (credential_id) do nothing
    returning ${columns}`)
}

/** Records a use. Returns false when another request has used the passkey since it was read, or it is deleted. */
export async function updatePasskeyUse(
  db: Db,
  { id, signCount }: Pick<Passkey, 'id' | 'signCount'>,
  use: { signCount: number; at: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    update passkeys set sign_count = ${use.signCount}, last_used_at = ${use.at}
    where id = ${id} and sign_count = ${signCount}`)
  return changed === 1
}

export async function updatePasskeyName(
  db: Db,
  userId: number,
  id: number,
  name: string,
): Promise<Passkey | undefined> {
  return db.one(sql`
    update passkeys set name = ${name} where id = ${id} and user_id = ${userId} returning ${columns}`)
}

export async function deletePasskey(db: Db, userId: number, id: number): Promise<boolean> {
  return (await db.run(sql`delete from passkeys where id = ${id} and user_id = ${userId}`)) === 1
}

export async function deletePasskeysOf(db: Db, userId: number): Promise<void> {
  await db.run(sql`delete from passkeys where user_id = ${userId}`)
}
