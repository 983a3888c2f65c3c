import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { EventKind, Hook, HookOwner } from './hook.ts'
import type { StoredEvent } from './hook-event-body.ts'
import { isSubscribed, selectListeningHooks } from './listening-sql.ts'

export type ListeningHook = Pick<
  Hook,
  | 'id'
  | 'projectId'
  | 'namespaceId'
  | 'slowUntil'
  | 'format'
  | 'minSeverity'
  | 'states'
  | 'refs'
  | 'projectIds'
  | 'savedViewId'
>

/**
 * Returns the hooks of a project or group, of the groups above it and of the instance that are subscribed to events of
 * this kind, and locks them against deletion until the transaction ends.
 */
export async function listListeningHooks(db: Db, owner: HookOwner, kind: EventKind): Promise<ListeningHook[]> {
  const hooks = selectListeningHooks(columns, owner, kind)
  return db.all(sql`${hooks} order by id ${db.dialect.forKeyShare}`)
}

/** Returns whether a hook of any owner is subscribed to events of this kind. */
export async function isHookListening(db: Db, kind: EventKind): Promise<boolean> {
  return (await db.one(sql`select 1 as found from hooks where ${isSubscribed(kind)} limit 1`)) !== undefined
}

const columns = sql`id, project_id, namespace_id, slow_until, format, min_severity, states, refs, project_ids,
  saved_view_id`

export interface EventDraft {
  hookId: number
  uuid: string
  payload: StoredEvent
}

/** Inserts events in order. */
export async function insertEvents(db: Db, events: readonly EventDraft[], now: string): Promise<void> {
  const columns = { hookId: 'integer', uuid: 'text', payload: 'json' } as const
  await db.run(sql`
    insert into hook_events (hook_id, uuid, payload, created_at)
    select r.hook_id, r.uuid, r.payload, ${now} from ${db.dialect.records(events, columns)} as r`)
}

export interface HookEvent {
  id: number
  hookId: number
  /** Shared by all hooks that receive the event. */
  uuid: string
  payload: StoredEvent
  attempts: number
}

/** Returns the hook's oldest waiting event. */
export async function findNextEvent(db: Db, hookId: number): Promise<HookEvent | undefined> {
  return db.one(sql`
    select id, hook_id, uuid, payload, attempts from hook_events
    where hook_id = ${hookId} and is_waiting = true order by id limit 1`)
}

/** Inserts an event that is sent immediately and so does not wait in the queue. */
export async function insertTestEvent(db: Db, draft: EventDraft, now: string): Promise<HookEvent> {
  const row = await db.one<HookEvent>(sql`
    insert into hook_events (hook_id, uuid, payload, is_waiting, created_at)
    values (${draft.hookId}, ${draft.uuid}, ${draft.payload}, false, ${now})
    returning id, hook_id, uuid, payload, attempts`)
  if (!row) throw new Error('an inserted event returned no row')
  return row
}

/** Counts an attempt and sets whether the event waits for another one. */
export async function updateEvent(db: Db, id: number, isWaiting: boolean): Promise<void> {
  await db.run(sql`update hook_events set attempts = attempts + 1, is_waiting = ${isWaiting} where id = ${id}`)
}

/** Removes the messages to chats from the queue. Returns the number of messages. */
export async function endChatEvents(db: Db): Promise<number> {
  return db.run(sql`
    update hook_events set is_waiting = false
    where is_waiting = true and hook_id in (select id from hooks where format not in ('gitlab', 'json'))`)
}

/** Returns the query of the events until a time. */
export const oldEvents = (before: string): Sql => sql`
  select id, created_at as at from hook_events where created_at <= ${before} order by created_at, id`

/** Deletes old events and their deliveries. Returns the number of events deleted. */
export async function deleteOldEvents(db: Db, before: string, limit: number): Promise<number> {
  return db.run(sql`
    delete from hook_events where id in (
      select e.id from (${oldEvents(before)} limit ${limit}) as e)`)
}
