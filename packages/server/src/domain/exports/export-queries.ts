import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Export, ExportTarget } from './export.ts'

export interface ExportDraft
  extends ExportTarget,
    Pick<Export, 'authorId' | 'asAdmin' | 'format' | 'filter' | 'sendsEmail' | 'scheduleId'> {
  now: string
}

/** Locks the user until the transaction ends, so that concurrent requests for exports run one after the other. */
export async function lockAuthor(db: Db, authorId: number): Promise<void> {
  await db.one(sql`select id from users where id = ${authorId} ${db.dialect.forNoKeyUpdate}`)
}

/** Returns true when the author has an unfinished export of the same target that was requested after the given time. */
export async function hasUnfinishedExport(
  db: Db,
  authorId: number,
  { projectId, groupId }: ExportTarget,
  after: string,
): Promise<boolean> {
  const row = await db.one(sql`
    select id from vulnerability_exports
    where author_id = ${authorId} and coalesce(project_id, 0) = ${projectId ?? 0}
      and coalesce(namespace_id, 0) = ${groupId ?? 0} and status in ('created', 'running') and created_at > ${after}
      and schedule_id is null
    limit 1`)
  return row !== undefined
}

export async function insertExport(db: Db, draft: ExportDraft): Promise<Export> {
  const row = await db.one<Export>(sql`
    insert into vulnerability_exports (author_id, as_admin, project_id, namespace_id, format, filters,
      sends_email, schedule_id, created_at)
    values (${draft.authorId}, ${draft.asAdmin}, ${draft.projectId}, ${draft.groupId},
      ${draft.format}, ${draft.filter}, ${draft.sendsEmail}, ${draft.scheduleId}, ${draft.now})
    returning ${columns}`)
  if (!row) throw new Error('an inserted export returned no row')
  return row
}

export async function findExport(db: Db, id: number): Promise<Export | undefined> {
  const row = await db.one<Export>(sql`select ${columns} from vulnerability_exports where id = ${id}`)
  return row
}

/** Marks an export as running. Returns `undefined` when it is already finished, failed or deleted. */
export async function startExport(db: Db, id: number, now: string): Promise<Export | undefined> {
  const row = await db.one<Export>(sql`
    update vulnerability_exports set status = 'running', started_at = coalesce(started_at, ${now})
    where id = ${id} and status in ('created', 'running') returning ${columns}`)
  return row
}

export interface FinishedFile {
  filename: string
  objectKey: string
  bytes: number
  sha256: string
  waitingFindings: number
  /** Null for an export of the whole instance. */
  projectIds: readonly number[] | null
}

/** Marks an export as finished. Returns false when another process has finished it or it was deleted. */
export async function finishExport(
  db: Db,
  id: number,
  { filename, objectKey, bytes, sha256, waitingFindings, projectIds }: FinishedFile,
  { now, expiresAt }: { now: string; expiresAt: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    update vulnerability_exports set status = 'finished', filename = ${filename}, object_key = ${objectKey},
      bytes = ${bytes}, sha256 = ${sha256}, waiting_findings = ${waitingFindings},
      exported_project_ids = ${projectIds}, finished_at = ${now}, expires_at = ${expiresAt}
    where id = ${id} and status = 'running'`)
  return changed === 1
}

export async function failExport(
  db: Db,
  id: number,
  { error, now, expiresAt }: { error: string; now: string; expiresAt: string },
): Promise<void> {
  await db.run(sql`
    update vulnerability_exports set status = 'failed', error = ${error}, finished_at = ${now}, expires_at = ${expiresAt}
    where id = ${id} and status in ('created', 'running')`)
}

/** Fails all unfinished exports of a user. */
export async function failOpenExports(
  db: Db,
  authorId: number,
  { error, now, expiresAt }: { error: string; now: string; expiresAt: string },
): Promise<void> {
  await db.run(sql`
    update vulnerability_exports set status = 'failed', error = ${error}, finished_at = ${now}, expires_at = ${expiresAt}
    where author_id = ${authorId} and status in ('created', 'running')`)
}

/** Fails the unfinished exports of scheduled reports. They expire at once. */
export async function endScheduledExports(db: Db, { error, now }: { error: string; now: string }): Promise<void> {
  await db.run(sql`
    update vulnerability_exports set status = 'failed', error = ${error}, finished_at = ${now}, expires_at = ${now}
    where schedule_id is not null and status in ('created', 'running')`)
}

/** Returns the query of the exports that have expired. */
export const expiredExports = (now: string): Sql => sql`
  select id, expires_at as at from vulnerability_exports where expires_at <= ${now} order by expires_at, id`

/** Deletes a batch of expired exports. Returns their number and the object keys that are no longer used. */
export async function takeExpiredExports(
  db: Db,
  now: string,
  limit: number,
): Promise<{ taken: number; keys: string[] }> {
  const rows = await db.all<{ objectKey: string | null }>(sql`
    delete from vulnerability_exports where id in (
      select e.id from (${expiredExports(now)} limit ${limit}) as e)
    returning object_key`)
  return { taken: rows.length, keys: rows.flatMap(({ objectKey }) => objectKey ?? []) }
}

/** Deletes the exports of these projects, groups or users. Returns the object keys that are no longer used. */
export async function takeExportsOf(
  db: Db,
  { projectIds, namespaceIds, userIds }: Record<'projectIds' | 'namespaceIds' | 'userIds', readonly number[]>,
): Promise<string[]> {
  const rows = await db.all<{ objectKey: string | null }>(sql`
    delete from vulnerability_exports
    where project_id in ${db.dialect.integers(projectIds)} or namespace_id in ${db.dialect.integers(namespaceIds)}
      or author_id in ${db.dialect.integers(userIds)}
    returning object_key`)
  return rows.flatMap(({ objectKey }) => objectKey ?? [])
}

export async function deleteExports(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`delete from vulnerability_exports where id in ${db.dialect.integers(ids)}`)
}

const columns: Sql = sql`id, author_id, as_admin, exported_project_ids, project_id, namespace_id as group_id,
  format, filters as filter,
  sends_email, schedule_id, status, error, waiting_findings, filename, object_key, bytes, sha256, created_at, started_at, finished_at, expires_at`
