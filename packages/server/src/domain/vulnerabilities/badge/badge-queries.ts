import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

export interface PublishedBadge {
  projectId: number
  key: string
  createdAt: string
}

export async function findBadge(db: Db, projectId: number): Promise<PublishedBadge | undefined> {
  return db.one(sql`
    select project_id, badge_key as key, created_at from project_badges where project_id = ${projectId}`)
}

export async function findBadgeByKey(db: Db, key: string): Promise<PublishedBadge | undefined> {
  return db.one(sql`
    select project_id, badge_key as key, created_at from project_badges where badge_key = ${key}`)
}

/** Stores the key of a project in place of a former one. */
export async function upsertBadge(db: Db, { projectId, key, createdAt }: PublishedBadge): Promise<void> {
  await db.run(sql`
    insert into project_badges (project_id, badge_key, created_at) values (${projectId}, ${key}, ${createdAt})
    on conflict (project_id) do update set badge_key = excluded.badge_key, created_at = excluded.created_at`)
}

/** Returns false if the project has no published badge. */
export async function deleteBadge(db: Db, projectId: number): Promise<boolean> {
  return (await db.run(sql`delete from project_badges where project_id = ${projectId}`)) === 1
}
