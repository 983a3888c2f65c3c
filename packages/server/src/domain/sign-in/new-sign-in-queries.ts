import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Sign-in from a browser that the user had not used before. */
export interface NewSignIn {
  id: number
  createdAt: string
  address: string | null
  userAgent: string | null
  /** Null after the session has ended. */
  sessionId: number | null
}

export interface NewSignInDraft extends Pick<NewSignIn, 'createdAt' | 'address' | 'userAgent'> {
  userId: number
  sessionId: number
}

/** Returns true when the user has signed in before, as far as it is recorded. */
export async function hasSignedIn(db: Db, userId: number): Promise<boolean> {
  const row = await db.one(sql`
    select 1 as found from users where id = ${userId} and (
      exists (select 1 from known_browsers b where b.user_id = ${userId})
      or exists (select 1 from new_sign_ins n where n.user_id = ${userId}))`)
  return row !== undefined
}

/** Returns the id of the new row. */
export async function insertNewSignIn(db: Db, draft: NewSignInDraft, isSeen: boolean): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    insert into new_sign_ins (user_id, session_id, address, user_agent, is_seen, created_at)
    values (${draft.userId}, ${draft.sessionId}, ${draft.address}, ${draft.userAgent}, ${isSeen}, ${draft.createdAt})
    returning id`)
  return row?.id
}

/** Deletes all but the user's newest sign-ins. */
export async function deleteOldestNewSignIns(db: Db, userId: number, kept: number): Promise<void> {
  await db.run(sql`
    delete from new_sign_ins where user_id = ${userId} and id not in
      (select id from new_sign_ins where user_id = ${userId} order by id desc limit ${kept})`)
}

export async function findNewSignInOf(db: Db, userId: number, id: number): Promise<NewSignIn | undefined> {
  return db.one(sql`select ${columns} from new_sign_ins where user_id = ${userId} and id = ${id}`)
}

export async function listNewSignInsOf(db: Db, userId: number): Promise<NewSignIn[]> {
  return db.all(sql`select ${columns} from new_sign_ins where user_id = ${userId} order by id desc`)
}

/** Returns the sign-ins of other sessions that the user has not dismissed, newest first. */
export async function listUnseenSignIns(
  db: Db,
  { userId, exceptSessionId, limit }: { userId: number; exceptSessionId: number; limit: number },
): Promise<NewSignIn[]> {
  return db.all(sql`
    select ${columns} from new_sign_ins
    where user_id = ${userId} and is_seen = false and coalesce(session_id, 0) <> ${exceptSessionId}
    order by id desc limit ${limit}`)
}

/** Marks the sign-ins of other sessions as seen, up to the given one. */
export async function markSignInsSeen(
  db: Db,
  { userId, exceptSessionId, throughId }: { userId: number; exceptSessionId: number; throughId: number },
): Promise<void> {
  await db.run(sql`
    update new_sign_ins set is_seen = true
    where user_id = ${userId} and is_seen = false and id <= ${throughId}
      and coalesce(session_id, 0) <> ${exceptSessionId}`)
}

const columns = sql`id, session_id, address, user_agent, created_at`
