import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { PageRequest } from '../page.ts'
import type { AuditEvent, EntityType, SealedEvent } from './audit-event.ts'

/** Event with its name and time, ready to be inserted. */
export type NewAuditEvent = Omit<AuditEvent, 'id'>

const columns = {
  name: 'text',
  authorId: 'integer',
  entityType: 'text',
  entityId: 'integer',
  details: 'json',
  createdAt: 'timestamp',
} as const

export async function insertAuditEvents(db: Db, events: readonly NewAuditEvent[]): Promise<void> {
  await db.run(sql`
    insert into audit_events (name, author_id, entity_type, entity_id, details, created_at)
    select r.name, r.author_id, r.entity_type, r.entity_id, r.details, r.created_at
    from ${db.dialect.records(events, columns)} as r`)
}

/** Inserts an event unless the entity has had `max` events of this name since the given time. */
export async function insertAuditEventUnlessFrequent(
  db: Db,
  event: NewAuditEvent,
  { since, max }: { since: string; max: number },
): Promise<void> {
  await db.run(sql`
    insert into audit_events (name, author_id, entity_type, entity_id, details, created_at)
    select r.name, r.author_id, r.entity_type, r.entity_id, r.details, r.created_at
    from ${db.dialect.records([event], columns)} as r
    where ${max} > (
      select count(*) from (
        select e.created_at from audit_events e
        where e.entity_type = ${event.entityType} and e.entity_id = ${event.entityId} and e.name = ${event.name}
        order by e.id desc limit ${max}) as newest
      where newest.created_at > ${since})`)
}

const eventColumns: Sql = sql`e.id, e.name, e.author_id, e.entity_type, e.entity_id, e.details, e.created_at`

export interface AuditEventFilter {
  entityType?: EntityType | undefined
  entityId?: number | undefined
  authorId?: number | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
}

/** Returns one event more than the page holds, newest first. */
export async function listAuditEvents(
  db: Db,
  filter: AuditEventFilter,
  { perPage, offset, keyset }: PageRequest,
): Promise<AuditEvent[]> {
  const after = keyset?.after === undefined ? empty : sql`and e.id < ${keyset.after.id}`
  return db.all(sql`
    select ${eventColumns} from audit_events e where ${conditionOf(filter)} ${after}
    order by e.id desc limit ${perPage + 1} offset ${keyset ? 0 : offset}`)
}

/** Counts up to `max + 1` events. */
export async function countAuditEvents(db: Db, filter: AuditEventFilter, max: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from audit_events e where ${conditionOf(filter)} limit ${max + 1}) as counted`)
  return row?.total ?? 0
}

export async function findAuditEvent(db: Db, filter: AuditEventFilter, id: number): Promise<AuditEvent | undefined> {
  return db.one(sql`select ${eventColumns} from audit_events e where e.id = ${id} and ${conditionOf(filter)}`)
}

function conditionOf({ entityType, entityId, authorId, createdAfter, createdBefore }: AuditEventFilter): Sql {
  const conditions = [
    ...(entityType === undefined ? [] : [sql`e.entity_type = ${entityType}`]),
    ...(entityId === undefined ? [] : [sql`e.entity_id = ${entityId}`]),
    ...(authorId === undefined ? [] : [sql`e.author_id = ${authorId}`]),
    ...(createdAfter === undefined ? [] : [sql`e.created_at >= ${createdAfter}`]),
    ...(createdBefore === undefined ? [] : [sql`e.created_at <= ${createdBefore}`]),
  ]
  return conditions.length === 0 ? sql`1 = 1` : join(conditions, ' and ')
}

/** End of the chain, and the checkpoint before its first event. */
export interface Chain {
  position: number
  hash: string
  basePosition: number
  baseHash: string
}

/** Returns the chain, locked until the transaction ends. */
export async function lockChain(db: Db): Promise<Chain> {
  const chain = await db.one<Chain>(sql`
    select position, hash, base_position, base_hash from audit_chain where id = 1 ${db.dialect.forUpdate}`)
  if (!chain) throw new Error('the row of audit_chain is missing')
  return chain
}

export async function findChain(db: Db): Promise<Chain | undefined> {
  return db.one(sql`select position, hash, base_position, base_hash from audit_chain where id = 1`)
}

/** Returns the oldest events that are not part of the chain. */
export async function listUnsealed(db: Db, limit: number): Promise<AuditEvent[]> {
  return db.all(sql`
    select ${eventColumns} from audit_events e where e.position is null order by e.id limit ${limit}`)
}

export async function hasUnsealed(db: Db): Promise<boolean> {
  return (await db.one(sql`select 1 as found from audit_events where position is null limit 1`)) !== undefined
}

/** Assigns positions and hashes, and moves the end of the chain to the last of them. */
export async function saveSeals(
  db: Db,
  seals: readonly Pick<SealedEvent, 'id' | 'position' | 'hash'>[],
): Promise<void> {
  const types = { id: 'integer', position: 'integer', hash: 'text' } as const
  await db.run(sql`
    update audit_events set position = r.position, hash = r.hash
    from ${db.dialect.records(seals, types)} as r where audit_events.id = r.id`)
  const last = seals.at(-1)
  if (last) await db.run(sql`update audit_chain set position = ${last.position}, hash = ${last.hash} where id = 1`)
}

/** Returns the next events of the chain, in its order. */
export async function listSealed(db: Db, afterPosition: number, limit: number): Promise<SealedEvent[]> {
  return db.all(sql`
    select ${eventColumns}, e.position, e.hash from audit_events e
    where e.position > ${afterPosition} order by e.position limit ${limit}`)
}

export async function moveCheckpoint(
  db: Db,
  { position, hash }: Pick<SealedEvent, 'position' | 'hash'>,
): Promise<void> {
  await db.run(sql`update audit_chain set base_position = ${position}, base_hash = ${hash} where id = 1`)
}

export async function deleteUpToCheckpoint(db: Db): Promise<number> {
  return db.run(sql`
    delete from audit_events where position <= (select base_position from audit_chain where id = 1)`)
}
