import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { StoredEvent } from './hook-event-body.ts'

export interface DeliveryDraft {
  hookId: number
  eventId: number
  url: string
  requestHeaders: Readonly<Record<string, string>>
  /** Null without a response. */
  responseStatus: number | null
  responseHeaders: Readonly<Record<string, string>>
  responseBody: string
  error: string | null
  durationMs: number
}

/** Attempt to deliver an event to a hook. */
export interface Delivery extends DeliveryDraft {
  id: number
  payload: StoredEvent
  createdAt: string
}

export async function insertDelivery(db: Db, draft: DeliveryDraft, now: string): Promise<void> {
  await db.run(sql`
    insert into hook_deliveries (hook_id, event_id, url, request_headers, response_status, response_headers,
      response_body, error, duration_ms, created_at)
    values (${draft.hookId}, ${draft.eventId}, ${draft.url}, ${draft.requestHeaders}, ${draft.responseStatus},
      ${draft.responseHeaders}, ${draft.responseBody}, ${draft.error}, ${draft.durationMs}, ${now})`)
}

/** Range of status codes, both ends inclusive. */
export type StatusRange = readonly [first: number, last: number]

/** Returns deliveries, newest first, one more than the page holds. */
export async function newestDeliveries(
  db: Db,
  hookId: number,
  { statuses, offset, perPage }: { statuses: readonly StatusRange[] | undefined; offset: number; perPage: number },
): Promise<Delivery[]> {
  return db.all(sql`
    select ${columns} from hook_deliveries d join hook_events e on e.id = d.event_id
    where d.hook_id = ${hookId} ${hasStatus(statuses)} order by d.id desc limit ${perPage + 1} offset ${offset}`)
}

/** Counts deliveries, up to `max` + 1. */
export async function countDeliveries(
  db: Db,
  hookId: number,
  statuses: readonly StatusRange[] | undefined,
  max: number,
): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from hook_deliveries d where d.hook_id = ${hookId} ${hasStatus(statuses)} limit ${max + 1}) as counted`)
  return row?.total ?? 0
}

export async function findDelivery(db: Db, hookId: number, id: number): Promise<Delivery | undefined> {
  return db.one(sql`
    select ${columns} from hook_deliveries d join hook_events e on e.id = d.event_id
    where d.id = ${id} and d.hook_id = ${hookId}`)
}

function hasStatus(statuses: readonly StatusRange[] | undefined): Sql {
  if (!statuses) return empty
  if (statuses.length === 0) return sql`and false`
  const ranges = statuses.map(([first, last]) => sql`d.response_status between ${first} and ${last}`)
  return sql`and (${join(ranges, ' or ')})`
}

const columns: Sql = sql`d.id, d.hook_id, d.event_id, d.url, d.request_headers, e.payload, d.response_status,
  d.response_headers, d.response_body, d.error, d.duration_ms, d.created_at`
