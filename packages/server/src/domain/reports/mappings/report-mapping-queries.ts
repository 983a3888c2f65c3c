import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { MappingDraft, ReportMapping } from './report-mapping.ts'

type PlaceIds = Pick<ReportMapping, 'projectId' | 'namespaceId'>

const isOf = ({ projectId, namespaceId }: PlaceIds): Sql =>
  projectId === null ? sql`namespace_id = ${namespaceId}` : sql`project_id = ${projectId}`

export async function listMappings(db: Db, place: PlaceIds, limit: number): Promise<ReportMapping[]> {
  return db.all(sql`
    select ${columns} from report_mappings where ${isOf(place)} order by name, id limit ${limit}`)
}

export async function findMapping(db: Db, place: PlaceIds, id: number): Promise<ReportMapping | undefined> {
  return db.one(sql`select ${columns} from report_mappings where id = ${id} and ${isOf(place)}`)
}

/** Returns the mappings of a project and of groups, of all names or of one. */
export async function listUsable(
  db: Db,
  { projectId, namespaceIds }: { projectId: number; namespaceIds: readonly number[] },
  name?: string,
): Promise<ReportMapping[]> {
  const hasName = name === undefined ? sql`true` : sql`name = ${name}`
  return db.all(sql`
    select ${columns} from report_mappings
    where ${hasName} and (project_id = ${projectId} or namespace_id in ${db.dialect.integers(namespaceIds)})
    order by id`)
}

/** Returns undefined when the name is taken. */
export async function insertMapping(
  db: Db,
  { projectId, namespaceId }: PlaceIds,
  { name, mapping }: MappingDraft,
  now: string,
): Promise<ReportMapping | undefined> {
  return db.one(sql`
    insert into report_mappings (project_id, namespace_id, name, mapping, created_at, updated_at)
    values (${projectId}, ${namespaceId}, ${name}, ${mapping}, ${now}, ${now})
    on conflict do nothing returning ${columns}`)
}

export async function updateMapping(db: Db, id: number, { name, mapping }: MappingDraft, now: string): Promise<void> {
  await db.run(sql`
    update report_mappings set name = ${name}, mapping = ${mapping}, updated_at = ${now} where id = ${id}`)
}

export async function deleteMapping(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from report_mappings where id = ${id}`)
}

const columns: Sql = sql`id, project_id, namespace_id, name, mapping, created_at, updated_at`
