import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

/** Open vulnerability of a user on a default branch. */
export interface AssignedVulnerability {
  id: number
  projectId: number
  title: string
  dueOn: string | null
  /** Last change of the assignee; null if the history does not have it. */
  assignedAt: string | null
  assignedById: number | null
}

/** Returns open vulnerabilities of an assignee, newest first. */
export function listAssigned(
  db: Db,
  projectIds: readonly number[],
  userId: number,
  limit: number,
): Promise<AssignedVulnerability[]> {
  // `+` makes the index by assignee decide, and not one search for each project.
  return db.all(sql`
    select v.id, v.project_id, v.title, v.due_on, h.created_at as assigned_at, h.user_id as assigned_by_id
    from (
      select id, project_id, title, due_on from vulnerabilities
      where coalesce(assignee_id, 0) = ${userId} and is_on_default_branch = true
        and state in ('detected', 'confirmed') and +project_id in ${db.dialect.integers(projectIds)}
      order by id desc limit ${limit}
    ) v left join vulnerability_history h on h.id = (
      select max(l.id) from vulnerability_history l where l.vulnerability_id = v.id and l.kind = 'assignee')
    order by v.id desc`)
}

export interface FailedImport {
  id: number
  projectId: number
  ref: string
  finishedAt: string
}

/** Returns the failed imports of a user, newest first. */
export function listFailedImports(
  db: Db,
  projectIds: readonly number[],
  { userId, since }: { userId: number; since: string },
  limit: number,
): Promise<FailedImport[]> {
  return db.all(sql`
    select i.id, i.project_id, i.ref, i.finished_at from imports i
    where i.user_id = ${userId} and i.state = 'failed' and i.finished_at >= ${since}
      and +i.project_id in ${db.dialect.integers(projectIds)}
    order by i.finished_at desc, i.id desc limit ${limit}`)
}

export async function findReadAt(db: Db, userId: number): Promise<string | undefined> {
  const row = await db.one<{ readAt: string }>(sql`select read_at from notification_reads where user_id = ${userId}`)
  return row?.readAt
}

export async function upsertReadAt(db: Db, userId: number, now: string): Promise<void> {
  await db.run(sql`
    insert into notification_reads (user_id, read_at) values (${userId}, ${now})
    on conflict (user_id) do update set read_at = excluded.read_at`)
}
