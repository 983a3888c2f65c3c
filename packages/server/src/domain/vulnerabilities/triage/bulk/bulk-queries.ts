import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import { maxCountedRows, type PageRequest } from '../../../page.ts'
import type { Former } from '../change.ts'
import type { Bulk } from './bulk-change.ts'

const bulkColumns: Sql = sql`id, project_id, user_id, action, changed, requested, unchanged, created_at, undone_at, undone_by_id,
  restored, withdrawn, scope_change_id`

export async function insertBulk(
  db: Db,
  bulk: { projectId: number; userId: number; action: string; now: string; scopeChangeId?: number | undefined },
): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into vulnerability_bulk_changes 
      (project_id, user_id, action, changed, unchanged, created_at, scope_change_id)
    values (${bulk.projectId}, ${bulk.userId}, ${bulk.action}, 0, 0, ${bulk.now}, ${bulk.scopeChangeId}) returning id`)
  if (!row) throw new Error('an inserted bulk change returned no id')
  return row.id
}

export async function finishBulk(
  db: Db,
  id: number,
  counts: { changed: number; requested: number; unchanged: number } | { restored: number; withdrawn: number },
): Promise<void> {
  const set =
    'restored' in counts
      ? sql`restored = ${counts.restored}, withdrawn = ${counts.withdrawn}`
      : sql`changed = ${counts.changed}, requested = ${counts.requested}, unchanged = ${counts.unchanged}`
  await db.run(sql`update vulnerability_bulk_changes set ${set} where id = ${id}`)
}

/** Returns the position from which the undo continues; `undefined` if the bulk change was undone before. */
export async function markUndone(db: Db, id: number, userId: number, now: string): Promise<UndoPosition | undefined> {
  return db.one(sql`
    update vulnerability_bulk_changes set undone_at = ${now}, undone_by_id = ${userId}
    where id = ${id} and undone_at is null
    returning coalesce(undo_position, 0) as after, coalesce(restored, 0) as restored,
      coalesce(withdrawn, 0) as withdrawn`)
}

/** Progress of an undo. */
export interface UndoPosition {
  /** Id of the last restored history entry. */
  after: number
  restored: number
  withdrawn: number
}

/** Locks a bulk change that has not been undone until the transaction ends. */
export async function lockForUndo(db: Db, id: number): Promise<UndoPosition | undefined> {
  return db.one(sql`
    select coalesce(undo_position, 0) as after, coalesce(restored, 0) as restored,
      coalesce(withdrawn, 0) as withdrawn from vulnerability_bulk_changes
    where id = ${id} and undone_at is null ${db.dialect.forUpdate}`)
}

export async function saveUndoPosition(
  db: Db,
  id: number,
  { after, restored, withdrawn }: UndoPosition,
): Promise<void> {
  await db.run(sql`
    update vulnerability_bulk_changes set undo_position = ${after}, restored = ${restored}, withdrawn = ${withdrawn}
    where id = ${id}`)
}

/** Returns true while the bulk change is a part of a change of many projects that has not ended. */
export async function isStillChanging(db: Db, id: number): Promise<boolean> {
  const row = await db.one(sql`
    select 1 as found from vulnerability_bulk_changes b join scope_bulk_changes s on s.id = b.scope_change_id
    where b.id = ${id} and s.state = 'running'`)
  return row !== undefined
}

export async function findBulk(db: Db, projectId: number, id: number): Promise<Bulk | undefined> {
  return db.one(sql`
    select ${bulkColumns} from vulnerability_bulk_changes where id = ${id} and project_id = ${projectId}`)
}

/** Returns one row more than the page holds. */
export async function listBulks(db: Db, projectId: number, { perPage, offset }: PageRequest): Promise<Bulk[]> {
  return db.all(sql`
    select ${bulkColumns} from vulnerability_bulk_changes where project_id = ${projectId}
    order by id desc limit ${perPage + 1} offset ${offset}`)
}

export async function countBulks(db: Db, projectId: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from vulnerability_bulk_changes where project_id = ${projectId} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

/** Returns those of the ids that are vulnerabilities of the project. */
export async function listMembersOf(db: Db, projectId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from vulnerabilities
    where id in ${db.dialect.integers(ids)} and +project_id = ${projectId} order by id -- + as in lockVulnerabilities`)
  return rows.map(({ id }) => id)
}

/** The effect of a bulk change on one vulnerability. */
export interface BulkEntry {
  id: number
  vulnerabilityId: number
  before: Former
  /** The rule of a group that dismisses the same flaw, and whether the bulk change has created it. */
  groupRule?: { id: number; isNew: boolean } | undefined
}

interface EntryDetails {
  before: Former
  group_rule_id?: number
  is_new_rule?: boolean
}

/** Returns entries after an id, in id order. */
export async function listEntriesOf(db: Db, bulkId: number, after: number, limit: number): Promise<BulkEntry[]> {
  const rows = await db.all<{ id: number; vulnerabilityId: number; details: EntryDetails }>(sql`
    select id, vulnerability_id, details from vulnerability_history
    where bulk_id = ${bulkId} and id > ${after} order by id limit ${limit}`)
  return rows.map(({ id, vulnerabilityId, details }) => ({
    id,
    vulnerabilityId,
    before: details.before,
    groupRule:
      details.group_rule_id === undefined
        ? undefined
        : { id: details.group_rule_id, isNew: details.is_new_rule === true },
  }))
}

/**
 * Returns those of the vulnerabilities of which the bulk change's subject was changed again: the assignee, or state,
 * severity and due date. Changes that have been undone do not count. The undo of tags keeps later changes of them.
 */
export async function listChangedSince(db: Db, bulkId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ vulnerabilityId: number; details: { undoes_bulk_id?: number } | null }>(sql`
    select later.vulnerability_id, later.details from vulnerability_history h
    join vulnerability_history later on later.vulnerability_id = h.vulnerability_id and later.id > h.id
    left join vulnerability_bulk_changes b on b.id = later.bulk_id
    where h.vulnerability_id in ${db.dialect.integers(ids)} and +h.bulk_id = ${bulkId} -- + keeps SQLite from scanning the bulk
      and (h.kind not in ('tags', 'ref_state') and later.kind in ('state', 'severity', 'due_date', 'assignee')
          and (later.kind = 'assignee') = (h.kind = 'assignee')
        or h.kind = 'ref_state' and later.kind = 'ref_state' and later.ref = h.ref)
      and b.undone_at is null
    order by later.vulnerability_id, later.id`)
  return rows.flatMap(({ vulnerabilityId, details }) => (details?.undoes_bulk_id ? [] : vulnerabilityId))
}

/** Returns those of the ids whose users still exist. */
export async function listExistingUsers(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from users where id in ${db.dialect.integers(ids)} order by id`)
  return rows.map(({ id }) => id)
}
