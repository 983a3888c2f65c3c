import sql, { empty } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { ProviderSession, Session, SessionStart } from './session.ts'

const columns = sql`
  s.id, s.user_id, s.created_at, s.expires_at, s.address, s.user_agent, s.admin_until, s.method,
  s.token_id, i.provider, coalesce(s.authenticated_at, s.created_at) as authenticated_at`
const sessions = sql`sessions s left join oidc_identities i on i.id = s.identity_id`
const sessionsWithUse = sql`${sessions} left join session_uses u on u.session_id = s.id`

/** Inserts a session and returns its id. */
export async function insertSession(
  db: Db,
  session: Pick<Session, 'userId' | 'address' | 'userAgent' | 'expiresAt' | 'createdAt'>,
  start: SessionStart,
  digest: string,
): Promise<number> {
  const { userId, address, userAgent, expiresAt, createdAt } = session
  const tokenId = start.method === 'token' ? start.tokenId : null
  const { identity, authenticatedAt = null } = start.method === 'provider' ? start : {}
  const row = await db.one<{ id: number }>(sql`
    insert into sessions (user_id, digest, address, user_agent, expires_at, created_at, method, token_id, identity_id,
      sid, id_token, authenticated_at)
    values (${userId}, ${digest}, ${address}, ${userAgent}, ${expiresAt}, ${createdAt}, ${start.method}, ${tokenId},
      ${identity?.id}, ${identity?.sid}, ${identity?.idToken}, ${authenticatedAt})
    returning id`)
  if (!row) throw new Error('an inserted session returned no row')
  return row.id
}

/** Returns a session without its time of last use, which changes too often to be cached. */
export async function findSessionByDigest(db: Db, digest: string): Promise<Session | undefined> {
  return db.one(sql`
    select ${columns}, null as last_used_at from ${sessions} where s.digest = ${digest}`)
}

/** Returns what a session recorded of the sign-in at its identity provider, if it began there. */
export async function findProviderSession(db: Db, id: number): Promise<ProviderSession | undefined> {
  return db.one(sql`
    select i.provider, i.issuer, i.subject, s.sid, s.id_token
    from sessions s join oidc_identities i on i.id = s.identity_id where s.id = ${id}`)
}

/**
 * Deletes the sessions of an issuer that belong to this subject, to this session of the issuer, or to both. A session
 * whose `sid` is unknown belongs to every one of its subject. Returns their users.
 */
export async function deleteSessionsOfIssuer(
  db: Db,
  issuer: string,
  { subject, sid }: { subject: string | null; sid: string | null },
): Promise<number[]> {
  const isOfSid = subject === null ? sql`sid = ${sid}` : sql`(sid = ${sid} or sid is null)`
  const isOfSubject = subject === null ? empty : sql`and subject = ${subject}`
  const rows = await db.all<{ userId: number }>(sql`
    delete from sessions where ${sid === null ? sql`true` : isOfSid} and identity_id in
      (select id from oidc_identities where issuer = ${issuer} ${isOfSubject})
    returning user_id`)
  return [...new Set(rows.map(({ userId }) => userId))]
}

/** Returns the providers, with issuers, that sessions began at. */
export async function listSessionIssuers(db: Db): Promise<{ provider: string; issuer: string }[]> {
  return db.all(sql`
    select distinct i.provider, i.issuer from sessions s join oidc_identities i on i.id = s.identity_id
    order by i.provider, i.issuer`)
}

/** Deletes the sessions that began at this provider with this issuer. Returns their number. */
export async function deleteSessionsOfProvider(db: Db, provider: string, issuer: string): Promise<number> {
  return db.run(sql`
    delete from sessions where identity_id in
      (select id from oidc_identities where provider = ${provider} and issuer = ${issuer})`)
}

/** Deletes the sessions that began with this account at an identity provider. */
export async function deleteSessionsOfIdentity(db: Db, identityId: number): Promise<void> {
  await db.run(sql`delete from sessions where identity_id = ${identityId}`)
}

/** Deletes the sessions that began with a password or a passkey. Returns their number. */
export async function deleteLocalSessions(db: Db): Promise<number> {
  return db.run(sql`delete from sessions where method in ('password', 'passkey')`)
}

/** Returns the time at which the use of a session was last recorded. */
export async function findSessionUse(db: Db, id: number): Promise<string | undefined> {
  const row = await db.one<{ lastUsedAt: string }>(sql`
    select last_used_at from session_uses where session_id = ${id}`)
  return row?.lastUsedAt
}

/** Returns the user's sessions, newest first, except those that have expired or were last used before `idleBefore`. */
export async function listSessionsOf(db: Db, userId: number, now: string, idleBefore: string): Promise<Session[]> {
  return db.all(sql`
    select ${columns}, u.last_used_at from ${sessionsWithUse}
    where s.user_id = ${userId} and s.expires_at > ${now} and coalesce(u.last_used_at, s.created_at) > ${idleBefore}
    order by s.id desc`)
}

/** Deletes all but the user's newest sessions. */
export async function deleteOldestSessions(db: Db, userId: number, kept: number): Promise<void> {
  await db.run(sql`
    delete from sessions where user_id = ${userId} and id not in
      (select id from sessions where user_id = ${userId} order by id desc limit ${kept})`)
}

/** Deletes a session. Returns false when this user has no such session. */
export async function deleteSession(db: Db, id: number, userId: number): Promise<boolean> {
  return (await db.run(sql`delete from sessions where id = ${id} and user_id = ${userId}`)) === 1
}

/** Returns the number of deleted sessions. */
export async function deleteSessionsOf(db: Db, userId: number, exceptId = 0): Promise<number> {
  return db.run(sql`delete from sessions where user_id = ${userId} and id <> ${exceptId}`)
}

export async function deleteExpiredSessions(db: Db, now: string, idleBefore: string): Promise<void> {
  await db.run(sql`
    delete from sessions where expires_at <= ${now} or (created_at <= ${idleBefore} and not exists
      (select 1 from session_uses u where u.session_id = sessions.id and u.last_used_at > ${idleBefore}))`)
}

export async function updateAdminUntil(db: Db, id: number, adminUntil: string | null): Promise<void> {
  await db.run(sql`update sessions set admin_until = ${adminUntil} where id = ${id}`)
}

export async function updateAuthenticatedAt(db: Db, id: number, at: string): Promise<void> {
  await db.run(sql`update sessions set authenticated_at = ${at} where id = ${id}`)
}

export async function noteSessionUse(db: Db, id: number, at: string): Promise<void> {
  // Inserts from a select, so that a session that was deleted concurrently causes no foreign key error.
  await db.run(sql`
    insert into session_uses (session_id, last_used_at) select id, ${at} from sessions where id = ${id}
    on conflict (session_id) do update set last_used_at = excluded.last_used_at`)
}
