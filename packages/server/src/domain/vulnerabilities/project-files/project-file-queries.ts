import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { stateIn } from '../../users/user-state-sql.ts'
import type { FileWarning, ProjectFile, ProjectFileName, StoredProjectFile } from './project-file.ts'

export interface FileDraft extends ProjectFile {
  projectId: number
  ref: string
  sha256: string
  warnings: readonly FileWarning[]
  importId: number
  userId: number | null
  now: string
}

const columns = sql`p.id, p.name, p.path, p.ref, p.sha256, p.content, p.warnings, p.import_id, p.created_at, p.updated_at,
  u.id as "author.id", u.username as "author.username", u.name as "author.name", ${stateIn('u')} as "author.state", u.avatar_filename as "author.avatar_filename"`

type Row = StoredProjectFile

export async function listFiles(db: Db, projectId: number): Promise<StoredProjectFile[]> {
  return db.all<Row>(sql`
    select ${columns} from project_files p left join users u on u.id = p.user_id
    where p.project_id = ${projectId} order by p.name`)
}

export async function findFile(
  db: Db,
  projectId: number,
  name: ProjectFileName,
): Promise<StoredProjectFile | undefined> {
  return db.one<Row>(sql`
    select ${columns} from project_files p left join users u on u.id = p.user_id
    where p.project_id = ${projectId} and p.name = ${name}`)
}

/** Returns the path and content only, which promotions need. */
export async function findContent(
  db: Db,
  projectId: number,
  name: ProjectFileName,
): Promise<Pick<ProjectFile, 'path' | 'content'> | undefined> {
  return db.one(sql`select path, content from project_files where project_id = ${projectId} and name = ${name}`)
}

/** Returns the digests of the files by name. */
export async function listDigests(db: Db, projectId: number): Promise<Map<string, string>> {
  const rows = await db.all<{ name: string; path: string; sha256: string }>(sql`
    select name, path, sha256 from project_files where project_id = ${projectId}`)
  return new Map(rows.map(({ name, path, sha256 }) => [name, `${path} ${sha256}`]))
}

export async function upsertFile(db: Db, draft: FileDraft): Promise<void> {
  await db.run(sql`
    insert into project_files (project_id, name, path, ref, sha256, content, warnings, import_id, user_id, created_at,
      updated_at)
    values (${draft.projectId}, ${draft.name}, ${draft.path}, ${draft.ref}, ${draft.sha256}, ${draft.content},
      ${draft.warnings}, ${draft.importId}, ${draft.userId}, ${draft.now}, ${draft.now})
    on conflict (project_id, name) do update set path = excluded.path, ref = excluded.ref, sha256 = excluded.sha256,
      content = excluded.content, warnings = excluded.warnings, import_id = excluded.import_id,
      user_id = excluded.user_id, updated_at = excluded.updated_at`)
}

/** Returns false when the project has no file of this name. */
export async function deleteFile(db: Db, projectId: number, name: ProjectFileName): Promise<boolean> {
  const changed = await db.run(sql`delete from project_files where project_id = ${projectId} and name = ${name}`)
  return changed === 1
}

/** An unassigned vulnerability, and the place of its finding. */
export interface UnassignedVulnerability {
  id: number
  location: { [key: string]: unknown }
}

/**
 * Returns vulnerabilities without an assignee in the order of their ids, except those whose assignee a person has ever
 * changed.
 */
export async function listUnassigned(
  db: Db,
  projectId: number,
  after: number,
  limit: number,
): Promise<UnassignedVulnerability[]> {
  return db.all(sql`
    select v.id, f.location from vulnerabilities v join findings f on f.vulnerability_id = v.id
    where v.project_id = ${projectId} and v.assignee_id is null and v.id > ${after} and not ${isDecided}
    order by v.id limit ${limit}`)
}

/** Returns those of the vulnerabilities that have no assignee, as `listUnassigned` does. */
export async function listUnassignedAmong(db: Db, ids: readonly number[]): Promise<UnassignedVulnerability[]> {
  return db.all(sql`
    select v.id, f.location from vulnerabilities v join findings f on f.vulnerability_id = v.id
    where v.id in ${db.dialect.integers(ids)} and v.assignee_id is null and not ${isDecided} order by v.id`)
}

const isDecided = sql`exists (
  select 1 from vulnerability_history h
  where h.vulnerability_id = v.id and h.kind = 'assignee' and h.user_id is not null)`
