import { type AddressInfo, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import sql, { raw } from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  createTestDatabase,
  type PostgresServer,
  startPostgres,
  type TestDatabase,
} from '../../testing/databases/postgres.ts'
import type { Database } from '../db.ts'
import { migrate } from '../migrate.ts'
import { openDatabase } from '../open.ts'
import { runTogether } from './commit-log.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

let place: TestDatabase
let here: Database
let there: Database
beforeEach(async () => {
  place = await createTestDatabase(server)
  here = await open()
  there = await open()
  await here.run(sql`create table a (id bigint primary key, n bigint)`)
  await here.run(sql`create table b (a_id bigint references a(id) on delete cascade)`)
})
afterEach(async () => {
  await Promise.all([here.close(), there.close()])
  await place.drop()
})

const open = () => openDatabase({ kind: 'postgres', url: place.url })
test('a write in one process changes the table version in the other', async () => {
  await migrate(here, [])
  const stamps = () => [there.changes.version(['a']), there.changes.version(['b'])]
  const start = stamps()
  await here.run(sql`insert into a values (1, 0)`)
  await expect.poll(stamps).toEqual([(start[0] ?? 0) + 1, start[1]])

  const afterInsert = stamps()
  await expect(
    here.transaction(async (tx) => {
      await tx.run(sql`insert into b values (1)`)
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  await here.transaction((tx) => tx.run(sql`update a set n = 1`))
  await expect.poll(stamps).toEqual([(afterInsert[0] ?? 0) + 1, afterInsert[1]])
})

test('synchronize counts commits of other processes in any order of transaction ids', async () => {
  await here.run(sql`insert into a values (1, 0)`)
  await there.changes.synchronize()
  let last = there.changes.version(['a']) ?? 0
  const counted = async () => {
    await there.changes.synchronize() // a notification may have done so already
    const before = last
    last = there.changes.version(['a']) ?? 0
    return last > before
  }
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const early = here.transaction(async (tx) => {
    await tx.run(sql`insert into a values (2, 0)`)
    begin()
    await finished
  })
  await begun
  await here.run(sql`insert into a values (3, 0)`)
  expect(await counted()).toBe(true)
  finish()
  await early
  expect(await counted()).toBe(true)
  expect(await counted()).toBe(false)
})

test('commits restored from another server are counted once', async () => {
  await here.run(sql`
    insert into recent_commits (xid, process, tables, committed_at) values ('999999999', 'other', 'a', now())`)
  await there.changes.synchronize()
  const before = there.changes.version(['a'])
  await there.changes.synchronize()
  expect(there.changes.version(['a'])).toBe(before)
})

test('callers share a run that begins after their call', async () => {
  let runs = 0
  let end = () => {}
  const work = runTogether(() => {
    runs++
    return new Promise<void>((resolve) => {
      end = resolve
    })
  })
  const first = work()
  const second = new Promise(setImmediate).then(work)
  await expect.poll(() => runs).toBe(1)
  const [third, fourth] = [work(), work()]
  await setTimeout(10)
  expect(runs).toBe(1)
  end()
  await Promise.all([first, second])
  await expect.poll(() => runs).toBe(2)
  end()
  await Promise.all([third, fourth])
  expect(runs).toBe(2)
})

test('a run that fails is followed by others', async () => {
  let runs = 0
  const work = runTogether(async () => {
    if (++runs === 1) throw new Error('no connection')
  })
  await expect(work()).rejects.toThrow('no connection')
  await work()
  expect(runs).toBe(2)
})

test('a migration in another process updates foreign keys, and prepared statements still work', async () => {
  const columns = () => there.all(sql`select * from a`)
  await here.run(sql`insert into a values (1, 0)`)
  const change = sql`update a set n = n + 1 returning *`
  for (let n = 0; n < 8; n++) await Promise.all([columns(), there.one(change)])
  const up = () => 'alter table a add column more text; create table c (a_id bigint references a(id) on delete cascade)'
  await migrate(here, [{ name: '0001_c', up }])
  const reads = await Promise.all(Array.from({ length: 8 }, columns))
  for (const rows of reads) expect(rows).toEqual([{ id: 1, n: 8, more: null }])
  const writes = await Promise.all(Array.from({ length: 8 }, () => there.one<{ n: number }>(change)))
  expect(writes.map((row) => row?.n).sort((x = 0, y = 0) => x - y)).toEqual([9, 10, 11, 12, 13, 14, 15, 16])

  const before = there.changes.version(['c'])
  await there.run(sql`delete from a`)
  await expect.poll(() => there.changes.version(['c'])).not.toBe(before)
})

test('lost connections are replaced, and table versions are unknown until nothing can have been missed', async () => {
  const admin = await openDatabase({ kind: 'postgres', url: server.url })
  const allow = (allowed: boolean) =>
    admin.run(sql`alter database ${raw(place.name)} allow_connections ${raw(`${allowed}`)}`)
  const active = sql`
    select pid from pg_stat_activity
    where datname = ${place.name} and query like 'select pg_sleep%' and state = 'active'`
  const before = there.changes.version(['a'])
  const held = there.transaction(async (tx) => {
    await tx.run(sql`insert into a values (1, 0)`)
    await tx.one(sql`select pg_sleep(20)`)
  })
  const running = Promise.allSettled([there.one(sql`select pg_sleep(20)`), there.one(sql`select pg_sleep(20)`), held])
  await expect.poll(() => admin.all(active)).toHaveLength(3)

  await allow(false)
  await admin.all(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${place.name}`)
  const lost = { status: 'rejected', reason: { cause: { kind: 'unavailable', what: 'the database' } } }
  expect(await running).toMatchObject([lost, lost, lost])
  await expect.poll(() => there.changes.version(['a'])).toBeUndefined()
  // Either the server rejects new connections, or the client first notices one that was ended.
  await expect(there.ready()).rejects.toThrow(/not currently accepting connections|unavailable/)

  await allow(true)
  await there.ready()
  await there.run(sql`insert into a values (2, 0)`)
  expect(await there.all(sql`select id from a`)).toEqual([{ id: 2 }])
  await expect.poll(() => there.changes.version(['a'])).toBeGreaterThan((before ?? 0) + 1)
  await admin.close()
})

test('deadlocked transactions are retried', async () => {
  await here.run(sql`insert into a values (1, 0), (2, 0)`)
  let runs = 0
  let locked = 0
  const addBoth = (first: number, second: number) =>
    here.transaction(async (tx) => {
      runs++
      await tx.run(sql`update a set n = n + 1 where id = ${first}`)
      locked++
      // Both transactions lock their first row before either requests its second.
      await expect.poll(() => locked).toBeGreaterThanOrEqual(2)
      await tx.run(sql`update a set n = n + 1 where id = ${second}`)
    })
  await Promise.all([addBoth(1, 2), addBoth(2, 1)])
  expect(runs).toBeGreaterThanOrEqual(3)
  expect(await here.all(sql`select n from a`)).toEqual([{ n: 2 }, { n: 2 }])
})

test('a write that waits for a lock does not block reads', async () => {
  await here.run(sql`insert into a values (1, 0)`)
  await here.transaction(async (tx) => {
    await tx.run(sql`update a set n = 1`)
    const waiting = Array.from({ length: 5 }, () => there.run(sql`update a set n = n + 1`))
    for (let n = 0; n < 8; n++) expect(await there.one(sql`select n from a`)).toEqual({ n: 0 })
    void Promise.all(waiting)
  })
  await expect.poll(() => there.one(sql`select n from a`)).toEqual({ n: 6 })
})

test('large values are compressed with LZ4 where the server has it, unless its configuration names a method', async () => {
  const method = async (db: Database) => {
    const [row] = await db.all<{ used: string; hasLz4: boolean }>(sql`
      select setting as used, 'lz4' = any(enumvals) as has_lz4 from pg_settings where name = 'default_toast_compression'`)
    return row
  }
  const { used, hasLz4 } = (await method(here)) ?? {}
  expect(used).toBe(hasLz4 ? 'lz4' : 'pglz')

  const database = raw(new URL(place.url).pathname.slice(1))
  await here.run(sql`alter database ${database} set default_toast_compression = 'pglz'`)
  const configured = await open()
  expect(await method(configured)).toMatchObject({ used: 'pglz' })
  await configured.close()
})

test('opening fails without a server', async () => {
  const url = 'postgres://postgres@localhost/postgres?host=/nowhere'
  await expect(openDatabase({ kind: 'postgres', url })).rejects.toThrow(/unavailable .*ENOENT/)
})

test('a test database can be a copy of another one', async () => {
  await here.run(sql`insert into a values (1, 0)`)
  await Promise.all([here.close(), there.close()])
  const copy = await createTestDatabase(server, { template: place.name })
  const db = await openDatabase({ kind: 'postgres', url: copy.url })
  expect(await db.one(sql`select id from a`)).toEqual({ id: 1 })
  await db.close()
  await copy.drop()
})

test('a process can start while others write continuously', async () => {
  await here.run(sql`insert into a values (1, 0)`)
  let isOver = false
  const writing = (async () => {
    while (!isOver) await here.run(sql`update a set n = n + 1`)
  })()
  for (let n = 0; n < 10; n++) {
    const another = await open()
    expect(await another.one(sql`select id from a`)).toEqual({ id: 1 })
    await another.close()
  }
  isOver = true
  await writing
})

test('a server that ends a session in the packet with which it accepts it does not end the process', async () => {
  const message = (type: string, ...parts: readonly Buffer[]) => {
    const body = Buffer.concat(parts)
    const head = Buffer.from(`${type}0000`)
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, body])
  }
  const accepted = message('R', Buffer.alloc(4))
  const ready = message('Z', Buffer.from('I'))
  const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'))
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(Buffer.concat([accepted, ready, ended])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  await expect(
    openDatabase({ kind: 'postgres', url: `postgres://alcove@127.0.0.1:${port}/alcove` }),
  ).rejects.toMatchObject({ cause: { kind: 'unavailable' } })
  await new Promise((resolve) => server.close(resolve))
})
