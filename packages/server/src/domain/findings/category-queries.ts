import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export async function findCategoryId(db: Db, projectId: number, name: string): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    select id from report_categories where project_id = ${projectId} and name = ${name}`)
  return row?.id
}

/** Inserts the category unless it exists, and returns its id. */
export async function upsertCategory(db: Db, projectId: number, name: string): Promise<number> {
  await db.run(sql`
    insert into report_categories (project_id, name) values (${projectId}, ${name})
    on conflict (project_id, name) do nothing`)
  const id = await findCategoryId(db, projectId, name)
  if (id === undefined) throw new Error('a kept category is not there')
  return id
}
