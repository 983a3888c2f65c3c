import sql, { empty } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { selectListeningHooks } from '../../hooks/listening-sql.ts'
import { type Import, type ImportCounts, type ImportOutcome, type IngestOptions, noOutcome } from './import.ts'

/** Options that the import job needs after the request has ended. */
type StoredOptions = Pick<
  IngestOptions,
  | 'reportType'
  | 'promote'
  | 'strict'
  | 'isPartial'
  | 'mapping'
  | 'sameRun'
  | 'targetRef'
  | 'isIssued'
  | 'hasTriageScope'
  | 'jobUrl'
  | 'commitUrl'
> & { tokenName?: string | null }

export interface ImportDraft {
  projectId: number
  userId: number
  asAdmin: boolean
  ref: string
  category: string | null
  commitSha: string | null
  options: StoredOptions
  fileSha256: string
  fileBytes: number
  objectKey: string
  now: string
}

export async function insertImport(db: Db, draft: ImportDraft): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into imports (project_id, user_id, as_admin, ref, category, commit_sha, format, report_type, file_sha256, file_bytes,
      findings_read, findings_new, findings_known, findings_absent, findings_reappeared, findings_merged,
      findings_skipped, warnings, state, options, object_key, created_at)
    values (${draft.projectId}, ${draft.userId}, ${draft.asAdmin}, ${draft.ref}, ${draft.category}, ${draft.commitSha}, '', '', ${draft.fileSha256},
      ${draft.fileBytes}, 0, 0, 0, 0, 0, 0, 0, ${[]}, 'waiting', ${draft.options}, ${draft.objectKey}, ${draft.now})
    returning id`)
  if (!row) throw new Error('an inserted import returned no row')
  return row.id
}

/** Selection of the imports of a project. */
export interface ImportFilter {
  ref: string | undefined
  /** Only imports whose absences wait for a decision. */
  isHeld: boolean
}

// The literal lets both engines use the index of held absences.
const matches = ({ projectId, ref, isHeld }: ImportFilter & { projectId: number }) =>
  sql`project_id = ${projectId} ${ref === undefined ? empty : sql`and ref = ${ref}`} ${isHeld ? sql`and absences = 'held'` : empty}`

/** Returns imports, newest first. */
export async function listImports(
  db: Db,
  filter: ImportFilter & { projectId: number },
  { limit, offset }: { limit: number; offset: number },
): Promise<Import[]> {
  const rows = await db.all<ImportRow>(sql`
    select ${importColumns} from imports where ${matches(filter)}
    order by id desc limit ${limit} offset ${offset}`)
  return rows.map(importFrom)
}

export async function countImports(
  db: Db,
  filter: ImportFilter & { projectId: number },
  limit: number,
): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from imports where ${matches(filter)} limit ${limit}) as counted`)
  return row?.total ?? 0
}

export async function findImport(db: Db, id: number): Promise<Import | undefined> {
  const row = await db.one<ImportRow>(sql`select ${importColumns} from imports where id = ${id}`)
  return row && importFrom(row)
}

/** An import with the fields that its job needs. */
export interface RunningImport extends Import {
  id: number
  options: StoredOptions
  asAdmin: boolean
}

/** An import whose report has not been read yet. */
export interface UnreadImport extends RunningImport {
  objectKey: string
}

/** Counts unfinished imports of a project or a user, up to a limit, and sums up the sizes of their reports. */
export async function countOpenImports(
  db: Db,
  { projectId, userId }: { projectId?: number; userId?: number },
  limit: number,
): Promise<{ count: number; bytes: number }> {
  const isOwn = projectId === undefined ? sql`user_id = ${userId}` : sql`project_id = ${projectId}`
  const row = await db.one<{ count: number; bytes: number | null }>(sql`
    select count(*) as count, cast(sum(file_bytes) as bigint) as bytes from (
      select file_bytes from imports where ${isOwn} and state in ('waiting', 'running') limit ${limit}) as counted`)
  return { count: row?.count ?? 0, bytes: row?.bytes ?? 0 }
}

/** Returns an interrupted import to the state `waiting`. */
export async function interruptImport(db: Db, id: number, interruptions: number): Promise<void> {
  await db.run(sql`
    update imports set state = 'waiting', interruptions = ${interruptions} where id = ${id} and state in ('waiting', 'running')`)
}

/** Clears the object key of a failed import, which can then not be retried. */
export async function clearObjectKey(db: Db, id: number): Promise<void> {
  await db.run(sql`update imports set object_key = null where id = ${id} and state = 'failed'`)
}

/** Clears the object keys of imports that failed before a time, and returns those keys. */
export async function takeFailedFiles(db: Db, before: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ id: number; objectKey: string }>(sql`
    select id, object_key from imports where state = 'failed' and object_key is not null and finished_at <= ${before}
    order by finished_at, id limit ${limit} ${db.dialect.forUpdate}`)
  await db.run(sql`
    update imports set object_key = null where id in ${db.dialect.integers(rows.map(({ id }) => id))}`)
  return rows.map(({ objectKey }) => objectKey)
}

/** Starts an attempt, which supersedes earlier attempts. Returns `undefined` when there is nothing left to do. */
export async function beginImport(
  db: Db,
  id: number,
  attempt: string,
  now: string,
): Promise<RunningImport | undefined> {
  const row = await db.one<ImportRow & { asAdmin: boolean }>(sql`
    update imports set state = 'running', attempt = ${attempt}, started_at = coalesce(started_at, ${now}),
      outcome = case when state = 'failed' then null else outcome end, finished_at = null
    where id = ${id} and state <> 'done' and (object_key is not null or shown_at is not null)
    returning ${importColumns}, as_admin`)
  return row && { ...importFrom(row), id: row.id, options: row.options ?? {}, asAdmin: row.asAdmin }
}

/**
 * Locks the import until the transaction ends, so that no other attempt can start. Returns its sender and options, or
 * `undefined` if another attempt has superseded this one.
 */
export async function lockImport(db: Db, id: number, attempt: string): Promise<LockedImport | undefined> {
  const row = await db.one<
    Omit<LockedImport, 'options'> & { options: StoredOptions | null; hasSuppressions: boolean | number }
  >(sql`
    select user_id, as_admin, ref, options,
      exists (select 1 from source_suppressions s where s.project_id = imports.project_id) as has_suppressions
    from imports
    where id = ${id} and attempt = ${attempt} and state = 'running' ${db.dialect.forUpdate}`)
  return row && { ...row, options: row.options ?? {}, hasSuppressions: Boolean(row.hasSuppressions) }
}

/** Sender and options of a locked import, and whether earlier reports of its project had suppressions. */
export interface LockedImport extends Pick<RunningImport, 'userId' | 'asAdmin' | 'ref' | 'options'> {
  hasSuppressions: boolean
}

export async function setProgress(
  db: Db,
  id: number,
  { readBytes, readFindings }: { readBytes: number; readFindings: number },
): Promise<void> {
  await db.run(sql`
    update imports set read_bytes = ${readBytes}, findings_read = ${readFindings}
    where id = ${id} and state = 'running'`)
}

export interface ReadReportFacts {
  format: string
  version: string
  reportType: string
  scannerName: string | undefined
  /** Artifact that the report describes; undefined if the import has a category. */
  artifact: string | undefined
}

/** Records that the content of the report is visible in the project. Returns whether a webhook receives the event. */
export async function showImport(
  db: Db,
  id: number,
  {
    projectId,
    facts,
    counts,
    outcome,
  }: { projectId: number; facts: ReadReportFacts; counts: ImportCounts; outcome: ImportOutcome },
  now: string,
): Promise<boolean> {
  const listeners = selectListeningHooks(sql`1`, { kind: 'project', id: projectId }, 'import')
  const row = await db.one<{ hasListeners: boolean | number }>(sql`
    update imports set shown_at = ${now}, object_key = null, format = ${facts.format}, format_version = ${facts.version}, report_type = ${facts.reportType},
      scanner_name = ${facts.scannerName}, artifact = ${facts.artifact}, read_bytes = file_bytes, findings_read = ${counts.read},
      findings_new = ${counts.new}, findings_known = ${counts.known}, findings_absent = ${counts.gone},
      findings_reappeared = ${counts.returned}, findings_merged = ${counts.merged},
      findings_skipped = ${counts.skipped}, findings_changed = ${counts.changed}, findings_moved = ${counts.moved},
      findings_promoted = ${counts.promoted}, outcome = ${outcome}
    where id = ${id}
    returning exists (${listeners}) as has_listeners`)
  return Boolean(row?.hasListeners)
}

export async function addPromoted(db: Db, id: number, promoted: number): Promise<void> {
  await db.run(sql`update imports set findings_promoted = findings_promoted + ${promoted} where id = ${id}`)
}

export async function setOutcome(db: Db, id: number, outcome: ImportOutcome): Promise<void> {
  await db.run(sql`update imports set outcome = ${outcome} where id = ${id}`)
}

export async function finishImport(db: Db, id: number, now: string): Promise<void> {
  await db.run(sql`update imports set state = 'done', attempt = null, finished_at = ${now} where id = ${id}`)
}

export interface FailedImport {
  id: number
  /** Key of the report, kept if the import may be retried. */
  objectKey: string | null
  outcome: ImportOutcome
}

export async function failImport(db: Db, { id, objectKey, outcome }: FailedImport, now: string): Promise<void> {
  await db.run(sql`
    update imports set state = 'failed', attempt = null, object_key = ${objectKey}, finished_at = ${now},
      outcome = ${outcome} where id = ${id}`)
}

/** Deletes a failed import whose sender has already received the error in the response. */
export async function deleteImport(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from imports where id = ${id} and state = 'failed'`)
}

type ImportRow = Omit<Import, 'id' | 'outcome' | 'targetRef' | 'tokenName' | 'jobUrl' | 'commitUrl'> & {
  id: number
  outcome: ImportOutcome | null
  options: StoredOptions | null
}

const importColumns = sql`id, project_id, user_id, state, ref, category, commit_sha, format, format_version as version,
  report_type, scanner_name, file_sha256, file_bytes, object_key, read_bytes, findings_read as "counts.read",
  findings_merged as "counts.merged", findings_skipped as "counts.skipped", findings_new as "counts.new",
  findings_known as "counts.known", findings_reappeared as "counts.returned", findings_absent as "counts.gone",
  findings_changed as "counts.changed", findings_moved as "counts.moved", findings_promoted as "counts.promoted",
  absences, findings_held as held_count, interruptions, outcome, options, created_at, started_at, shown_at, finished_at`

const importFrom = ({ options, ...row }: ImportRow): Import => ({
  ...row,
  outcome: row.outcome ?? noOutcome,
  targetRef: options?.targetRef ?? null,
  tokenName: options?.tokenName ?? null,
  jobUrl: options?.jobUrl ?? null,
  commitUrl: options?.commitUrl ?? null,
})
