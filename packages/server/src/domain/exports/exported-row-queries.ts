import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Membership } from '../members/member.ts'
import { memberNamespaces, memberProjects } from '../members/membership-sql.ts'
import type { PastEntry } from '../vulnerabilities/triage/history/history-entry.ts'

/** Returns the projects in which the user is a member at this level, and those in the user's own namespace. */
export async function listMemberProjectIds(db: Db, membership: Membership): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from projects where id in ${memberProjects(membership)} or namespace_id in ${memberNamespaces(membership)}
      or namespace_id in (select id from namespaces where owner_id = ${membership.userId})
    order by id`)
  return rows.map(({ id }) => id)
}

/** Returns true when the user still has this level in all of these projects. */
export async function holdsAllProjects(
  db: Db,
  membership: Membership,
  projectIds: readonly number[],
): Promise<boolean> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from projects
    where id in ${db.dialect.integers(projectIds)} and (id in ${memberProjects(membership)}
      or namespace_id in ${memberNamespaces(membership)}
      or namespace_id in (select id from namespaces where owner_id = ${membership.userId}))`)
  return row?.total === new Set(projectIds).size
}

export async function listAllProjectIds(db: Db): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`select id from projects order by id`)
  return rows.map(({ id }) => id)
}

/** Entry of a vulnerability's history that a user made: a note or decision. */
export interface Remark
  extends Pick<PastEntry, 'vulnerabilityId' | 'kind' | 'from' | 'to' | 'comment' | 'dismissalReason' | 'createdAt'> {
  username: string | null
}

export async function listRemarks(db: Db, vulnerabilityIds: readonly number[]): Promise<Remark[]> {
  return db.all(sql`
    select h.vulnerability_id, h.kind, u.username, h.from_value as "from", h.to_value as "to", h.comment,
      h.dismissal_reason, h.created_at
    from vulnerability_history h left join users u on u.id = h.user_id
    where h.vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} and h.kind in ('note', 'state', 'severity')
    order by h.vulnerability_id, h.id`)
}

/** Record of why a moved finding was matched with a known one. */
export interface ExportedMatch {
  findingId: number
  reason: string
  ref: string
  oldLocation: object
  newLocation: object
  createdAt: string
}

/** Returns the newest matches of each finding, newest first. */
export async function listNewestMatches(
  db: Db,
  findingIds: readonly number[],
  maxEach: number,
): Promise<ExportedMatch[]> {
  return db.all(sql`
    select finding_id, reason, ref, old_location, new_location, created_at from (
      select id, finding_id, reason, ref, old_location, new_location, created_at,
        row_number() over (partition by finding_id order by id desc) as place
      from finding_matches where finding_id in ${db.dialect.integers(findingIds)}) as placed
    where place <= ${maxEach} order by finding_id, id desc`)
}
