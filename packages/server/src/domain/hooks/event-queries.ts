import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { EventKind, Hook, HookOwner } from './hook.ts'
import { selectListeningHooks } from './listening-sql.ts'

export type ListeningHook = Pick<Hook, 'id' | 'projectId' | 'namespaceId' | 'slowUntil'>

/**
 * Returns the hooks of a project or group and of the groups above it that are subscribed to events of this kind, and
 * locks them against deletion until the transaction ends.
 */
export async function listListeningHooks(db: Db, owner: HookOwner, kind: EventKind): Promise<ListeningHook[]> {
  const hooks = selectListeningHooks(sql`id, project_id, namespace_id, slow_until`, owner, kind)
  return db.all(sql`${hooks} order by id ${db.dialect.forKeyShare}`)
}

export interface EventDraft {
  uuid: string
  payload: object
}

/** Inserts one row per hook and event, in the order of the events. */
export async function insertEvents(
  db: Db,
  hookIds: readonly number[],
  events: readonly EventDraft[],
  now: string,
): Promise<void> {
  const rows = hookIds.flatMap((hookId) => events.map((event) => ({ hookId, ...event })))
  const columns = { hookId: 'integer', uuid: 'text', payload: 'json' } as const
  await db.run(sql`
    insert into hook_events (hook_id, uuid, payload, created_at)
    select r.hook_id, r.uuid, r.payload, ${now} from ${db.dialect.records(rows, columns)} as r`)
}

export interface HookEvent {
  id: number
  hookId: number
  /** Shared by all hooks that receive the event. */
  uuid: string
  payload: object
  attempts: number
}

/** Returns the hook's oldest waiting event. */
export async function findNextEvent(db: Db, hookId: number): Promise<HookEvent | undefined> {
  return db.one(sql`
    select id, hook_id, uuid, payload, attempts from hook_events
    where hook_id = ${hookId} and is_waiting = true order by id limit 1`)
}

/** Inserts an event that is sent immediately and so does not wait in the queue. */
export async function insertTestEvent(db: Db, hookId: number, draft: EventDraft, now: string): Promise<HookEvent> {
  const row = await db.one<HookEvent>(sql`
    insert into hook_events (hook_id, uuid, payload, is_waiting, created_at)
    values (${hookId}, ${draft.uuid}, ${draft.payload}, false, ${now})
    returning id, hook_id, uuid, payload, attempts`)
  if (!row) throw new Error('an inserted event returned no row')
  return row
}

/** Counts an attempt and sets whether the event waits for another one. */
export async function updateEvent(db: Db, id: number, isWaiting: boolean): Promise<void> {
  await db.run(sql`update hook_events set attempts = attempts + 1, is_waiting = ${isWaiting} where id = ${id}`)
}

/** Deletes old events and their deliveries. Returns the number of events deleted. */
export async function deleteOldEvents(db: Db, before: string, limit: number): Promise<number> {
  return db.run(sql`
    delete from hook_events where id in (
      select id from hook_events where created_at <= ${before} order by created_at limit ${limit})`)
}
