import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { type Severity, severityOf, severityRanks } from '../../findings/scales.ts'
import { maxCountedRows, type PageRequest } from '../../page.ts'
import { stateIn } from '../../users/user-state-sql.ts'
import type { Vulnerability } from '../vulnerability.ts'
import type { DismissalRequest } from './dismissal-request.ts'

/** A request before it is stored. */
export type NewRequest = Pick<
  DismissalRequest,
  | 'projectId'
  | 'vulnerabilityId'
  | 'requestedById'
  | 'involvedIds'
  | 'bulkId'
  | 'fromState'
  | 'dismissalReason'
  | 'comment'
  | 'statesUntil'
  | 'dismissedUntil'
  | 'dismissedUntilFixed'
  | 'createdAt'
  | 'expiresAt'
>

const newColumns = {
  projectId: 'integer',
  vulnerabilityId: 'integer',
  requestedById: 'integer',
  involvedIds: 'json',
  bulkId: 'integer',
  fromState: 'text',
  dismissalReason: 'text',
  comment: 'text',
  statesUntil: 'boolean',
  dismissedUntil: 'text',
  dismissedUntilFixed: 'boolean',
  createdAt: 'timestamp',
  expiresAt: 'timestamp',
} as const

/** Inserts pending requests. Returns their ids by vulnerability. */
export async function insertRequests(db: Db, requests: readonly NewRequest[]): Promise<Map<number, number>> {
  const rows = await db.all<{ id: number; vulnerabilityId: number }>(sql`
    insert into dismissal_requests (project_id, vulnerability_id, requested_by_id, involved_ids, bulk_id, from_state,
      dismissal_reason, comment, states_until, dismissed_until, dismissed_until_fixed, state, created_at, expires_at)
    select r.project_id, r.vulnerability_id, r.requested_by_id, r.involved_ids, r.bulk_id, r.from_state,
      r.dismissal_reason, r.comment, r.states_until, r.dismissed_until, r.dismissed_until_fixed, 'pending', r.created_at, r.expires_at
    from ${db.dialect.records(requests, newColumns)} as r where true order by r.vulnerability_id
    returning id, vulnerability_id`)
  return new Map(rows.map(({ id, vulnerabilityId }) => [vulnerabilityId, id]))
}

const columns: Sql = sql`r.id, r.project_id, r.vulnerability_id, r.requested_by_id, r.involved_ids, r.bulk_id, r.from_state,
  r.dismissal_reason, r.comment, r.states_until, r.dismissed_until, r.dismissed_until_fixed, r.state, r.created_at, r.expires_at,
  r.decided_at, r.decided_by_id, r.decision_comment, v.title, v.severity,
  q.id as "requested_by.id", q.username as "requested_by.username", q.name as "requested_by.name",
  ${stateIn('q')} as "requested_by.state", q.avatar_filename as "requested_by.avatar_filename",
  d.id as "decided_by.id", d.username as "decided_by.username", d.name as "decided_by.name",
  ${stateIn('d')} as "decided_by.state", d.avatar_filename as "decided_by.avatar_filename"`

const tables: Sql = sql`dismissal_requests r join vulnerabilities v on v.id = r.vulnerability_id
  left join users q on q.id = r.requested_by_id left join users d on d.id = r.decided_by_id`

type RequestRow = Omit<DismissalRequest, 'severity'> & { severity: number }

const requestFrom = (row: RequestRow): DismissalRequest => ({ ...row, severity: severityOf(row.severity) })

export async function findRequest(db: Db, projectId: number, id: number): Promise<DismissalRequest | undefined> {
  const row = await db.one<RequestRow>(sql`
    select ${columns} from ${tables} where r.id = ${id} and r.project_id = ${projectId}`)
  return row && requestFrom(row)
}

type RequestState = DismissalRequest['state']

const isIn = (projectId: number, state: RequestState | undefined): Sql =>
  sql`r.project_id = ${projectId} ${state === undefined ? empty : sql`and r.state = ${state}`}`

/** Returns one row more than the page holds, newest first. */
export async function listRequests(
  db: Db,
  projectId: number,
  state: RequestState | undefined,
  { perPage, offset }: PageRequest,
): Promise<DismissalRequest[]> {
  const rows = await db.all<RequestRow>(sql`
    select ${columns} from ${tables} where ${isIn(projectId, state)}
    order by r.id desc limit ${perPage + 1} offset ${offset}`)
  return rows.map(requestFrom)
}

export async function countRequests(db: Db, projectId: number, state: RequestState | undefined): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from dismissal_requests r where ${isIn(projectId, state)} limit ${maxCountedRows + 1}) as counted`)
  return row?.total ?? 0
}

/** The requests of many projects that a user sees. */
export interface QueueFilter {
  userId: number
  /** Projects whose vulnerabilities the user may read. */
  readable: readonly number[]
  /** Those of them in which the user may decide. */
  decidable: readonly number[]
  state?: RequestState | undefined
  severities?: readonly Severity[] | undefined
  side?: 'to_decide' | 'requested' | undefined
}

/** True if a user is among the persons who made a request, also with a token. Their ids are JSON such as `[1,2]`. */
const isInvolved = (userId: number): Sql =>
  sql`(',' || coalesce(trim(cast(r.involved_ids as text), '[]'), '') || ',' like ${`%,${userId},%`})`

function isInQueue(db: Db, { userId, readable, decidable, state, severities, side }: QueueFilter): Sql {
  const own = sql`(r.requested_by_id = ${userId} and r.project_id in ${db.dialect.integers(readable)})`
  const inDecidable = sql`r.project_id in ${db.dialect.integers(decidable)}`
  const shown = {
    requested: own,
    to_decide: sql`(${inDecidable} and r.requested_by_id is distinct from ${userId} and not ${isInvolved(userId)})`,
    all: sql`(${inDecidable} or ${own})`,
  }
  const conditions = [shown[side ?? 'all']]
  if (state !== undefined) conditions.push(sql`r.state = ${state}`)
  if (severities) {
    conditions.push(sql`v.severity in ${db.dialect.integers(severities.map((severity) => severityRanks[severity]))}`)
  }
  return join(conditions, ' and ')
}

/** Returns one row more than the page holds, newest first. */
export async function listQueue(
  db: Db,
  filter: QueueFilter,
  { perPage, offset, keyset }: PageRequest,
): Promise<DismissalRequest[]> {
  const after = keyset?.after ? sql`and r.id < ${keyset.after.id}` : empty
  const rows = await db.all<RequestRow>(sql`
    select ${columns} from ${tables} where ${isInQueue(db, filter)} ${after}
    order by r.id desc limit ${perPage + 1} offset ${offset}`)
  return rows.map(requestFrom)
}

export async function countQueue(db: Db, filter: QueueFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from dismissal_requests r join vulnerabilities v on v.id = r.vulnerability_id
      where ${isInQueue(db, filter)} limit ${maxCountedRows + 1}) as counted`)
  return row?.total ?? 0
}

export interface Decision {
  state: Exclude<RequestState, 'pending'>
  userId: number | null
  comment: string | null
  now: string
}

/** Returns false when the request has been decided meanwhile. */
export async function decideRequest(db: Db, id: number, { state, userId, comment, now }: Decision): Promise<boolean> {
  const changed = await db.run(sql`
    update dismissal_requests
    set state = ${state}, decided_by_id = ${userId}, decision_comment = ${comment}, decided_at = ${now}
    where id = ${id} and state = 'pending'`)
  return changed === 1
}

interface PendingOfBulk {
  id: number
  vulnerabilityId: number
  requestedById: number | null
}

/** Returns pending requests that a bulk change has made, in the order of vulnerabilities. */
export async function listPendingOfBulk(db: Db, bulkId: number, limit: number): Promise<PendingOfBulk[]> {
  return db.all(sql`
    select id, vulnerability_id, requested_by_id from dismissal_requests
    where bulk_id = ${bulkId} and state = 'pending' order by vulnerability_id limit ${limit}`)
}

/** Withdraws those of the requests that are still pending, and returns them. */
export async function withdrawRequests(
  db: Db,
  requests: readonly PendingOfBulk[],
  { userId, now }: Pick<Decision, 'userId' | 'now'>,
): Promise<PendingOfBulk[]> {
  return db.all(sql`
    update dismissal_requests set state = 'withdrawn', decided_by_id = ${userId}, decided_at = ${now}
    where id in ${db.dialect.integers(requests.map(({ id }) => id))} and state = 'pending'
    returning id, vulnerability_id, requested_by_id`)
}

/** Returns those of the dismissed vulnerabilities whose dismissal was approved. */
export async function listApproved(
  db: Db,
  dismissed: readonly Pick<Vulnerability, 'id' | 'dismissedAt'>[],
): Promise<number[]> {
  const types = { id: 'integer', dismissedAt: 'timestamp' } as const
  const rows = await db.all<{ vulnerabilityId: number }>(sql`
    select distinct r.vulnerability_id from ${db.dialect.records(dismissed, types)} as d
    join dismissal_requests r on r.vulnerability_id = d.id and r.decided_at = d.dismissed_at
    where r.state = 'approved' order by r.vulnerability_id`)
  return rows.map(({ vulnerabilityId }) => vulnerabilityId)
}

export interface ExpiredRequest {
  id: number
  projectId: number
  vulnerabilityId: number
}

/** Returns pending requests whose time is over. */
export async function listExpired(db: Db, now: string, limit: number): Promise<ExpiredRequest[]> {
  return db.all(sql`
    select id, project_id, vulnerability_id from dismissal_requests
    where state = 'pending' and expires_at <= ${now} order by expires_at, id limit ${limit}`)
}
