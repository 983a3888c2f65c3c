import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { DismissalTemplate, TemplateDraft } from './dismissal-template.ts'

type PlaceIds = Pick<DismissalTemplate, 'projectId' | 'namespaceId'>

const columns: Sql = sql`id, project_id, namespace_id, name, reason, comment, until_days, is_until_fixed, created_at,
  updated_at`

const isOfInstance: Sql = sql`(project_id is null and namespace_id is null)`

function isOf({ projectId, namespaceId }: PlaceIds): Sql {
  if (projectId !== null) return sql`project_id = ${projectId}`
  return namespaceId === null ? isOfInstance : sql`namespace_id = ${namespaceId}`
}

/** Returns the templates of a project, of groups and of the instance, by name. */
export async function listUsable(
  db: Db,
  { projectId, namespaceIds }: { projectId: number | null; namespaceIds: readonly number[] },
): Promise<DismissalTemplate[]> {
  return db.all(sql`
    select ${columns} from dismissal_templates
    where project_id = ${projectId} or namespace_id in ${db.dialect.integers(namespaceIds)} or ${isOfInstance}
    order by name, id`)
}

export async function findTemplate(db: Db, place: PlaceIds, id: number): Promise<DismissalTemplate | undefined> {
  return db.one(sql`select ${columns} from dismissal_templates where id = ${id} and ${isOf(place)}`)
}

export async function countTemplates(db: Db, place: PlaceIds): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from dismissal_templates where ${isOf(place)}`)
  return row?.total ?? 0
}

/** Returns the id of the template of the place that has the name. */
export async function findNamed(db: Db, place: PlaceIds, name: string): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    select id from dismissal_templates where name = ${name} and ${isOf(place)}`)
  return row?.id
}

export async function insertTemplate(
  db: Db,
  { projectId, namespaceId }: PlaceIds,
  { name, reason, comment, untilDays, isUntilFixed }: TemplateDraft,
  now: string,
): Promise<DismissalTemplate> {
  const row = await db.one<DismissalTemplate>(sql`
    insert into dismissal_templates (project_id, namespace_id, name, reason, comment, until_days, is_until_fixed,
      created_at, updated_at)
    values (${projectId}, ${namespaceId}, ${name}, ${reason}, ${comment}, ${untilDays}, ${isUntilFixed}, ${now}, ${now})
    returning ${columns}`)
  if (!row) throw new Error('an inserted template returned no row')
  return row
}

export async function updateTemplate(
  db: Db,
  id: number,
  { name, reason, comment, untilDays, isUntilFixed }: TemplateDraft,
  now: string,
): Promise<void> {
  await db.run(sql`
    update dismissal_templates set name = ${name}, reason = ${reason}, comment = ${comment}, until_days = ${untilDays},
      is_until_fixed = ${isUntilFixed}, updated_at = ${now}
    where id = ${id}`)
}

export async function deleteTemplate(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from dismissal_templates where id = ${id}`)
}
