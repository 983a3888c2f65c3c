import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

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
  payload: object
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
  const rows = await db.all<DeliveryRow>(sql`
    select ${columns} from hook_deliveries d join hook_events e on e.id = d.event_id
    where d.hook_id = ${hookId} ${hasStatus(statuses)} order by d.id desc limit ${perPage + 1} offset ${offset}`)
  return rows.map(deliveryFrom)
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
  const row = await db.one<DeliveryRow>(sql`
    select ${columns} from hook_deliveries d join hook_events e on e.id = d.event_id
    where d.id = ${id} and d.hook_id = ${hookId}`)
  return row && deliveryFrom(row)
}

function hasStatus(statuses: readonly StatusRange[] | undefined): Sql {
  if (!statuses) return empty
  if (statuses.length === 0) return sql`and false`
  const ranges = statuses.map(([first, last]) => sql`d.response_status between ${first} and ${last}`)
  return sql`and (${join(ranges, ' or ')})`
}

interface DeliveryRow {
  id: number
  hook_id: number
  event_id: number
  url: string
  request_headers: Record<string, string>
  payload: object
  response_status: number | null
  response_headers: Record<string, string>
  response_body: string
  error: string | null
  duration_ms: number
  created_at: string
}

const columns: Sql = sql`d.id, d.hook_id, d.event_id, d.url, d.request_headers, e.payload, d.response_status,
  d.response_headers, d.response_body, d.error, d.duration_ms, d.created_at`

function deliveryFrom(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    hookId: row.hook_id,
    eventId: row.event_id,
    url: row.url,
    requestHeaders: row.request_headers,
    payload: row.payload,
    responseStatus: row.response_status,
    responseHeaders: row.response_headers,
    responseBody: row.response_body,
    error: row.error,
    durationMs: row.duration_ms,
    createdAt: row.created_at,
  }
}
