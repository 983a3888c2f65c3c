import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import type { Db } from '../../db/db.ts'
import { startServer, type TestServer } from '../../testing/server.ts'
import { transaction } from '../deps.ts'
import { instanceEntity } from './audit-event.ts'
import { recordAuditEvent } from './record.ts'
import { removeOldAuditEvents } from './remove-old.ts'
import { sealAuditEvents, startSealing } from './seal.ts'
import { verifyAuditEvents } from './verify.ts'

describe('the hash chain of the audit log', () => {
  test('contains every event once, in the order in which events were sealed', async () => {
    const { deps } = await logWith(3)
    await record(deps, 'later')
    await sealAuditEvents(deps)

    expect(await positionsIn(deps.db)).toEqual([1, 2, 3, 4])
    expect(await verifyAuditEvents(deps.db)).toMatchObject({ verified: 4, end: { position: 4 } })
    expect(await problemIn(deps.db)).toBeUndefined()
  })

  test('includes an event whose transaction committed after later events were sealed', async () => {
    const { deps } = await startServer()
    // The id of an event that will be committed late.
    const [{ id = 0 } = {}] = await deps.db.all<{ id: number }>(sql`select 1000 as id`)
    await insertWithId(deps.db, id + 1)
    await sealAuditEvents(deps)
    await insertWithId(deps.db, id)
    await sealAuditEvents(deps)

    const order = await deps.db.all<{ id: number }>(sql`select id from audit_events where id >= 1000 order by position`)
    expect(order.map((event) => event.id)).toEqual([1001, 1000])
    expect(await problemIn(deps.db)).toBeUndefined()
  })

  test('gives no event of a transaction that is rolled back a place', async () => {
    const { deps } = await logWith(1)
    const failing = transaction(deps, async (deps) => {
      await recordAuditEvent(deps, 'user_created', { entity: instanceEntity, message: 'rolled back' })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await sealAuditEvents(deps)
    expect(await positionsIn(deps.db)).toEqual([1])
  })

  test('stays intact when several processes seal at once', async () => {
    const { deps } = await startServer()
    for (let number = 0; number < 20; number++) await record(deps, `event ${number}`)
    await Promise.all([1, 2, 3, 4].map(() => sealAuditEvents(deps)))
    expect((await positionsIn(deps.db)).length).toBe(20)
    expect(await verifyAuditEvents(deps.db)).toMatchObject({ verified: 20 })
    expect(await problemIn(deps.db)).toBeUndefined()
  })

  test('names the first event whose contents were modified', async () => {
    const { deps, ids } = await logWith(4)
    await withoutGuards(deps.db)
    await deps.db.run(sql`update audit_events set author_id = 42 where id in (${ids[1]}, ${ids[2]})`)
    expect(await problemIn(deps.db)).toMatch(new RegExp(`^event ${ids[1]} \\(position 2, .*was modified`))
  })

  test('names an event whose details differ by one character', async () => {
    const { deps, ids } = await logWith(3)
    await withoutGuards(deps.db)
    const details = JSON.stringify({ event_name: 'user_created', custom_message: 'event X' })
    await deps.db.run(sql`update audit_events set details = ${details} where id = ${ids[2]}`)
    expect(await problemIn(deps.db)).toContain(`event ${ids[2]} (position 3`)
  })

  test('names the position of an event that was removed, in the middle and at the end', async () => {
    const middle = await logWith(3)
    await withoutGuards(middle.deps.db)
    await middle.deps.db.run(sql`delete from audit_events where position = 2`)
    expect(await problemIn(middle.deps.db)).toBe('the event at position 2 was removed')

    const end = await logWith(3)
    await withoutGuards(end.deps.db)
    await end.deps.db.run(sql`delete from audit_events where position = 3`)
    expect(await problemIn(end.deps.db)).toBe('the event at position 3 was removed')
  })

  test('names an event that was inserted in place of a removed one', async () => {
    const { deps, ids } = await logWith(3)
    await withoutGuards(deps.db)
    await deps.db.run(sql`update audit_events set id = 5000 where id = ${ids[0]}`)
    expect(await problemIn(deps.db)).toContain('event 5000 (position 1')
  })

  test('is guarded by the database against changes and removal', async () => {
    const { deps, ids } = await logWith(1)
    await expect(deps.db.run(sql`update audit_events set author_id = 7 where id = ${ids[0]}`)).rejects.toThrow(
      'audit events cannot be changed',
    )
    await expect(deps.db.run(sql`delete from audit_events where id = ${ids[0]}`)).rejects.toThrow(
      'audit events cannot be deleted before the checkpoint',
    )
    await record(deps, 'not sealed')
    await expect(deps.db.run(sql`delete from audit_events where position is null`)).rejects.toThrow('cannot be deleted')
    await expect(deps.db.run(sql`update audit_events set name = 'other' where position is null`)).rejects.toThrow(
      'cannot be changed',
    )
  })

  test('can be verified from a checkpoint after its oldest events were removed', async () => {
    const clock = { now: '2026-01-01T00:00:00.000Z' }
    const { deps } = await logWith(2, clock)
    clock.now = '2026-01-03T00:00:00.000Z'
    await record(deps, 'young')
    await sealAuditEvents(deps)
    const createdBefore = '2026-01-02T00:00:00.000Z'

    expect(await removeOldAuditEvents(deps, { createdBefore, limit: 1 })).toBe(1)
    expect(await removeOldAuditEvents(deps, { createdBefore, limit: 10 })).toBe(1)
    expect(await removeOldAuditEvents(deps, { createdBefore, limit: 10 })).toBe(0)
    await sealAuditEvents(deps)

    // The young event, and one for each removal.
    expect(await positionsIn(deps.db)).toEqual([3, 4, 5])
    expect(await problemIn(deps.db)).toBeUndefined()
    const [removal] = await deps.db.all<{ details: { checkpoint: { position: number } } }>(
      sql`select details from audit_events where name = 'audit_events_removed' order by id desc limit 1`,
    )
    expect(removal?.details.checkpoint.position).toBe(2)
  })

  test('grows by itself while a server runs', async () => {
    const { deps } = await startServer()
    const sealing = startSealing(deps)
    await record(deps, 'first')
    await expect.poll(() => positionsIn(deps.db)).toEqual([1])
    await record(deps, 'second')
    await expect.poll(() => positionsIn(deps.db)).toEqual([1, 2])
    await sealing.stop()
  })
})

type Deps = TestServer['deps']

async function record(deps: Deps, message: string): Promise<void> {
  await recordAuditEvent(deps, 'user_created', { entity: instanceEntity, message })
}

/** Starts a server whose log has this number of sealed events. */
async function logWith(count: number, clock?: { now: string }): Promise<TestServer & { ids: number[] }> {
  const server = await startServer({ ...(clock && { clock }) })
  for (let number = 0; number < count; number++) await record(server.deps, `event ${number}`)
  await sealAuditEvents(server.deps)
  const rows = await server.deps.db.all<{ id: number }>(sql`select id from audit_events order by position`)
  return { ...server, ids: rows.map(({ id }) => id) }
}

const insertWithId = (db: Db, id: number) =>
  db.run(sql`
    insert into audit_events (id, name, entity_type, entity_id, details, created_at)
    values (${id}, 'user_created', 'User', 1, '{}', '2026-01-01T00:00:00.000Z')`)

async function positionsIn(db: Db): Promise<(number | null)[]> {
  const rows = await db.all<{ position: number | null }>(
    sql`select position from audit_events where position is not null order by position`,
  )
  return rows.map(({ position }) => position)
}

const problemIn = async (db: Db) => (await verifyAuditEvents(db)).problem

/** Removes the triggers, as an intruder with access to the database would. */
async function withoutGuards(db: Db): Promise<void> {
  if (db.dialect.engine === 'postgres') {
    await db.run(sql`alter table audit_events disable trigger user`)
    return
  }
  await db.run(sql`drop trigger audit_events_update`)
  await db.run(sql`drop trigger audit_events_delete`)
}
