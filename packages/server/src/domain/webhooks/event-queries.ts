import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Hook } from './hook.ts'

export type ListeningHook = Pick<Hook, 'id' | 'projectId' | 'slowUntil'>

/** The hooks that want to hear of vulnerabilities; none of them can be deleted before the transaction ends. */
export async function listListeningHooks(db: Db, projectId: number): Promise<ListeningHook[]> {
  const rows = await db.all<{ id: number; slow_until: string | null }>(sql`
    select id, slow_until from hooks
    where project_id = ${projectId} and has_vulnerability_events = true and disabled_at is null
    order by id ${db.dialect.forKeyShare}`)
  return rows.map(({ id, slow_until: slowUntil }) => ({ id, projectId, slowUntil }))
}

export interface EventDraft {
  uuid: string
  payload: object
}

/** One row for each hook and event, in the order of the events. */
export async function insertEvents(
  db: Db,
  hookIds: readonly number[],
  events: readonly EventDraft[],
  now: string,
): Promise<void> {
  const rows = hookIds.flatMap((hook_id) => events.map((event) => ({ hook_id, ...event })))
  const columns = { hook_id: 'integer', uuid: 'text', payload: 'json' } as const
  await db.run(sql`
    insert into hook_events (hook_id, uuid, payload, created_at)
    select r.hook_id, r.uuid, r.payload, ${now} from ${db.dialect.records(rows, columns)} as r`)
}

export interface HookEvent {
  id: number
  hookId: number
  /** The same for every hook that is told of it. */
  uuid: string
  payload: object
  attempts: number
}

/** The one that has been waiting for longest. */
export async function findNextEvent(db: Db, hookId: number): Promise<HookEvent | undefined> {
  const row = await db.one<EventRow>(sql`
    select id, hook_id, uuid, payload, attempts from hook_events
    where hook_id = ${hookId} and is_waiting = true order by id limit 1`)
  return row && eventFrom(row)
}

/** An event that nobody has to wait for: it is being sent already. */
export async function insertTestEvent(db: Db, hookId: number, draft: EventDraft, now: string): Promise<HookEvent> {
  const row = await db.one<EventRow>(sql`
    insert into hook_events (hook_id, uuid, payload, is_waiting, created_at)
    values (${hookId}, ${draft.uuid}, ${draft.payload}, false, ${now})
    returning id, hook_id, uuid, payload, attempts`)
  if (!row) throw new Error('an inserted event returned no row')
  return eventFrom(row)
}

/** Counts an attempt; afterwards it waits for the next one, or not any more. */
export async function updateEvent(db: Db, id: number, isWaiting: boolean): Promise<void> {
  await db.run(sql`update hook_events set attempts = attempts + 1, is_waiting = ${isWaiting} where id = ${id}`)
}

/** With what was tried to tell them. How many went. */
export async function deleteOldEvents(db: Db, before: string, limit: number): Promise<number> {
  return db.run(sql`
    delete from hook_events where id in (
      select id from hook_events where created_at <= ${before} order by created_at limit ${limit})`)
}

interface EventRow {
  id: number
  hook_id: number
  uuid: string
  payload: object
  attempts: number
}

function eventFrom({ hook_id, ...row }: EventRow): HookEvent {
  return { ...row, hookId: hook_id }
}
