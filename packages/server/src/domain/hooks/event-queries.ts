import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Hook, HookOwner } from './hook.ts'

export type ListeningHook = Pick<Hook, 'id' | 'projectId' | 'namespaceId' | 'slowUntil'>

/** Kinds of events that a hook can subscribe to. */
export type EventKind = 'vulnerability' | 'access-token'

const subscriptions: Record<EventKind, Sql> = {
  vulnerability: sql`has_vulnerability_events = true`,
  'access-token': sql`has_access_token_events = true`,
}

/**
 * Returns the hooks of a project or group and of the groups above it that are subscribed to events of this kind, and
 * locks them against deletion until the transaction ends.
 */
export async function listListeningHooks(
  db: Db,
  { kind: ownerKind, id }: HookOwner,
  kind: EventKind,
): Promise<ListeningHook[]> {
  const isProject = ownerKind === 'project'
  const own = isProject ? sql`select namespace_id from projects where id = ${id}` : sql`${id}`
  return db.all(sql`
    with recursive above (id, parent_id) as (
      select n.id, n.parent_id from namespaces n where n.id = (${own})
      union all
      select n.id, n.parent_id from above a join namespaces n on n.id = a.parent_id
    )
    select id, project_id, namespace_id, slow_until from hooks
    where (${isProject ? sql`project_id = ${id} or` : empty} namespace_id in (select above.id from above))
      and ${subscriptions[kind]} and disabled_at is null
    order by id ${db.dialect.forKeyShare}`)
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
