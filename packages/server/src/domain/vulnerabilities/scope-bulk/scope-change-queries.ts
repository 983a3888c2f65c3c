import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { PageRequest } from '../../page.ts'
import type { Change } from '../triage/change.ts'
import type { StoredScopeChange } from './scope-change.ts'

const columns: Sql = sql`id, namespace_id, user_id, as_admin, change, state, total, error, created_at, undone_at,
  undone_by_id`

interface ScopeChangeDraft extends Pick<StoredScopeChange, 'namespaceId' | 'asAdmin' | 'state' | 'total'> {
  userId: number
  change: Change
  now: string
}

export async function insertScopeChange(db: Db, draft: ScopeChangeDraft): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into scope_bulk_changes (namespace_id, user_id, as_admin, change, state, total, created_at)
    values (${draft.namespaceId}, ${draft.userId}, ${draft.asAdmin}, ${JSON.stringify(draft.change)}, ${draft.state},
      ${draft.total}, ${draft.now}) returning id`)
  if (!row) throw new Error('an inserted change of many projects returned no id')
  return row.id
}

export async function findScopeChange(db: Db, id: number): Promise<StoredScopeChange | undefined> {
  return db.one(sql`select ${columns} from scope_bulk_changes where id = ${id}`)
}

/** Locks a change until the transaction ends; returns `undefined` if it is in another state. */
export async function lockScopeChange(
  db: Db,
  id: number,
  state: StoredScopeChange['state'],
): Promise<StoredScopeChange | undefined> {
  return db.one(sql`
    select ${columns} from scope_bulk_changes where id = ${id} and state = ${state} ${db.dialect.forUpdate}`)
}

/** Returns the changes of a user, newest first, one row more than the page holds. */
export async function listScopeChanges(
  db: Db,
  userId: number,
  { perPage, offset }: PageRequest,
): Promise<StoredScopeChange[]> {
  return db.all(sql`
    select ${columns} from scope_bulk_changes where user_id = ${userId}
    order by id desc limit ${perPage + 1} offset ${offset}`)
}

/** Moves a change to another state unless it has left the expected one. */
export async function updateScopeState(
  db: Db,
  id: number,
  {
    from,
    to,
    error = null,
  }: { from: StoredScopeChange['state']; to: StoredScopeChange['state']; error?: string | null },
): Promise<void> {
  await db.run(sql`
    update scope_bulk_changes set state = ${to}, error = ${error} where id = ${id} and state = ${from}`)
}

/** Begins an undo. Returns false if the change is running or has been undone. */
export async function markScopeUndone(
  db: Db,
  id: number,
  { userId, asAdmin, now }: { userId: number; asAdmin: boolean; now: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    update scope_bulk_changes set state = 'undoing', error = null, undone_at = ${now}, undone_by_id = ${userId},
      as_admin = ${asAdmin}
    where id = ${id} and state in ('done', 'failed')`)
  return changed === 1
}

/** Vulnerabilities of one project that a transaction changes. */
export interface ChangeBatch {
  position: number
  projectId: number
  vulnerabilityIds: readonly number[]
}

export async function insertChangeBatches(db: Db, id: number, batches: readonly ChangeBatch[]): Promise<void> {
  const types = { position: 'integer', projectId: 'integer', vulnerabilityIds: 'json' } as const
  await db.run(sql`
    insert into scope_bulk_change_batches (scope_change_id, position, project_id, vulnerability_ids)
    select ${id}, r.position, r.project_id, r.vulnerability_ids from ${db.dialect.records(batches, types)} as r`)
}

/** Returns the position and project of the next batch. */
export async function findNextBatch(
  db: Db,
  id: number,
): Promise<Pick<ChangeBatch, 'position' | 'projectId'> | undefined> {
  return db.one(sql`
    select position, project_id from scope_bulk_change_batches where scope_change_id = ${id} order by position limit 1`)
}

/** Removes and returns a batch; `undefined` if another run has taken it. */
export async function takeChangeBatch(db: Db, id: number, position: number): Promise<readonly number[] | undefined> {
  const row = await db.one<{ vulnerabilityIds: readonly number[] }>(sql`
    delete from scope_bulk_change_batches where scope_change_id = ${id} and position = ${position}
    returning vulnerability_ids`)
  return row?.vulnerabilityIds
}

/** Returns true if a batch of the project is left. */
export async function hasBatchOf(db: Db, id: number, projectId: number): Promise<boolean> {
  const row = await db.one(sql`
    select 1 as found from scope_bulk_change_batches where scope_change_id = ${id} and project_id = ${projectId} limit 1`)
  return row !== undefined
}

/** Removes all batches and returns the projects that they belonged to. */
export async function deleteChangeBatches(db: Db, id: number): Promise<Set<number>> {
  const rows = await db.all<{ projectId: number }>(sql`
    delete from scope_bulk_change_batches where scope_change_id = ${id} returning project_id`)
  return new Set(rows.map(({ projectId }) => projectId))
}

/** Adds vulnerabilities of a project that are not changed, because the user may not triage them. */
export async function addSkipped(db: Db, id: number, projectId: number, total: number): Promise<void> {
  await db.run(sql`
    insert into scope_bulk_change_skips (scope_change_id, project_id, total) values (${id}, ${projectId}, ${total})
    on conflict (scope_change_id, project_id)
    do update set total = scope_bulk_change_skips.total + excluded.total`)
}

export async function listSkipped(db: Db, id: number): Promise<{ projectId: number; total: number }[]> {
  return db.all(sql`
    select project_id, total from scope_bulk_change_skips where scope_change_id = ${id} order by project_id`)
}

/** The bulk change of one project, as part of a change of many. */
export interface ProjectPart {
  id: number
  projectId: number
  changed: number
  requested: number
  unchanged: number
  undoneAt: string | null
  restored: number | null
  withdrawn: number | null
}

export async function listParts(db: Db, scopeChangeId: number): Promise<ProjectPart[]> {
  return db.all(sql`
    select id, project_id, changed, requested, unchanged, undone_at, restored, withdrawn from vulnerability_bulk_changes
    where scope_change_id = ${scopeChangeId} order by project_id, id`)
}

export async function findPart(db: Db, scopeChangeId: number, projectId: number): Promise<ProjectPart | undefined> {
  return db.one(sql`
    select id, project_id, changed, requested, unchanged, undone_at, restored, withdrawn from vulnerability_bulk_changes
    where scope_change_id = ${scopeChangeId} and project_id = ${projectId}`)
}

/** Returns the first bulk change after this one in the order of projects that has not been undone. */
export async function findPartToUndo(
  db: Db,
  scopeChangeId: number,
  afterProjectId: number,
): Promise<ProjectPart | undefined> {
  return db.one(sql`
    select id, project_id, changed, requested, unchanged, undone_at, restored, withdrawn from vulnerability_bulk_changes
    where scope_change_id = ${scopeChangeId} and project_id > ${afterProjectId} and undone_at is null
    order by project_id limit 1`)
}

/** Returns the project of each vulnerability, in the order of ids. */
export async function listProjectsOf(db: Db, ids: readonly number[]): Promise<{ id: number; projectId: number }[]> {
  return db.all(sql`
    select id, project_id from vulnerabilities where id in ${db.dialect.integers(ids)} order by id`)
}

/** Returns the ids of the user's changes that have not ended. */
export async function listOpenScopeChanges(db: Db, userId: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from scope_bulk_changes where user_id = ${userId} and state in ('running', 'undoing') order by id`)
  return rows.map(({ id }) => id)
}
