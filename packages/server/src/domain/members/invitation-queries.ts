import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { maxCountedRows, type PageRequest } from '../page.ts'
import type { Invitation } from './invitation.ts'

/** Project or namespace of an invitation: exactly one of the two ids. */
export type InvitationOwner =
  | { projectId: number; namespaceId?: undefined }
  | { namespaceId: number; projectId?: undefined }

export interface LinkDraft extends Pick<Invitation, 'linkExpiresAt' | 'invitedById' | 'asAdmin' | 'isLinkShown'> {
  digest: string
}

export interface InvitationDraft extends LinkDraft, Pick<Invitation, 'email' | 'accessLevel' | 'expiresOn'> {
  now: string
}

/**
 * Inserts an invitation, replacing one whose link has expired. Returns `undefined` when the address is already invited.
 */
export async function insertInvitation(
  db: Db,
  owner: InvitationOwner,
  draft: InvitationDraft,
): Promise<Invitation | undefined> {
  const conflict = owner.projectId === undefined ? sql`(namespace_id, email_key)` : sql`(project_id, email_key)`
  return db.one(sql`
    insert into invitations (project_id, namespace_id, email, email_key, access_level, expires_on, digest,
      link_expires_at, invited_by_id, as_admin, is_link_shown, created_at)
    values (${owner.projectId}, ${owner.namespaceId}, ${draft.email}, ${draft.email.toLowerCase()},
      ${draft.accessLevel}, ${draft.expiresOn}, ${draft.digest}, ${draft.linkExpiresAt}, ${draft.invitedById},
      ${draft.asAdmin}, ${draft.isLinkShown}, ${draft.now})
    on conflict ${conflict} do update set email = excluded.email, access_level = excluded.access_level,
      expires_on = excluded.expires_on, digest = excluded.digest, mail_digest = null, link_expires_at = excluded.link_expires_at,
      invited_by_id = excluded.invited_by_id, as_admin = excluded.as_admin, is_link_shown = excluded.is_link_shown,
      created_at = excluded.created_at
    where invitations.link_expires_at <= ${draft.now}
    returning ${columns}`)
}

/** Returns one row more than the page holds. `search` matches any part of the address. */
export async function listInvitations(
  db: Db,
  owner: InvitationOwner,
  search: string | undefined,
  page: PageRequest,
): Promise<Invitation[]> {
  return db.all(sql`
    select ${columns} from invitations where ${isOf(owner)} ${matching(db, search)}
    order by id limit ${page.perPage + 1} offset ${page.offset}`)
}

export async function countInvitations(db: Db, owner: InvitationOwner, search: string | undefined): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from invitations where ${isOf(owner)} ${matching(db, search)} limit ${maxCountedRows + 1}) as counted`)
  return row?.total ?? 0
}

/** Returns the invitation of an address and locks it until the transaction ends. */
export async function lockInvitation(db: Db, owner: InvitationOwner, email: string): Promise<Invitation | undefined> {
  return db.one(sql`
    select ${columns} from invitations where ${isOf(owner)} and email_key = ${email.toLowerCase()} ${db.dialect.forUpdate}`)
}

/** Returns the invitation of a link that has not expired by the digest of one of its secrets. */
export async function findInvitationByDigest(db: Db, digest: string, now: string): Promise<Invitation | undefined> {
  return db.one(sql`
    select ${columns} from invitations
    where (digest = ${digest} or mail_digest = ${digest}) and link_expires_at > ${now}`)
}

/** Changes the role and the expiry date. The given user answers for the invitation from then on. */
export async function updateInvitation(
  db: Db,
  id: number,
  terms: Pick<Invitation, 'accessLevel' | 'expiresOn' | 'invitedById' | 'asAdmin'>,
): Promise<Invitation | undefined> {
  return db.one(sql`
    update invitations set access_level = ${terms.accessLevel}, expires_on = ${terms.expiresOn},
      invited_by_id = ${terms.invitedById}, as_admin = ${terms.asAdmin}
    where id = ${id} returning ${columns}`)
}

/** Replaces the secret that is sent by e-mail. False when the link has expired or was replaced. */
export async function updateMailedSecret(db: Db, digest: string, mailDigest: string, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    update invitations set mail_digest = ${mailDigest} where digest = ${digest} and link_expires_at > ${now}`)
  return changed === 1
}

/** Replaces the link. */
export async function updateInvitationLink(db: Db, id: number, draft: LinkDraft): Promise<void> {
  await db.run(sql`
    update invitations set digest = ${draft.digest}, mail_digest = null, link_expires_at = ${draft.linkExpiresAt},
      invited_by_id = ${draft.invitedById}, as_admin = ${draft.asAdmin}, is_link_shown = ${draft.isLinkShown}
    where id = ${id}`)
}

/** Deletes and returns the invitation of a link that has not expired, so that one request uses it. */
export async function takeInvitation(db: Db, digest: string, now: string): Promise<Invitation | undefined> {
  return db.one(sql`
    delete from invitations where (digest = ${digest} or mail_digest = ${digest}) and link_expires_at > ${now}
    returning ${columns}`)
}

export async function deleteInvitation(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from invitations where id = ${id}`)
}

/** Deletes the invitations whose links expired before a time. */
export async function deleteInvitationsBefore(db: Db, before: string): Promise<void> {
  await db.run(sql`delete from invitations where link_expires_at <= ${before}`)
}

function isOf({ projectId, namespaceId }: InvitationOwner): Sql {
  return projectId === undefined ? sql`namespace_id = ${namespaceId}` : sql`project_id = ${projectId}`
}

function matching(db: Db, search: string | undefined): Sql {
  return search ? sql`and ${db.dialect.contains(sql`email`, search)}` : empty
}

const columns = sql`id, project_id, namespace_id, email, access_level, expires_on, link_expires_at, invited_by_id, as_admin,
  is_link_shown, created_at, (select u.name from users u where u.id = invitations.invited_by_id) as inviter_name`
