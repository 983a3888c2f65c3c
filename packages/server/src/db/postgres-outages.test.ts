import type { AddressInfo } from 'node:net'
import { createServer, connect as dial, type Socket } from 'node:net'
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, type TestContext, test } from 'vitest'
import {
  createTestDatabase,
  type PostgresServer,
  startPostgres,
  type TestDatabase,
} from '../testing/databases/postgres.ts'
import type { Database } from './db.ts'
import { openDatabase } from './open.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

/** Opens a database with an empty table for the duration of the test. */
async function openPlace({ onTestFinished }: TestContext): Promise<{ place: TestDatabase; direct: Database }> {
  const place = await createTestDatabase(server)
  onTestFinished(() => place.drop())
  const direct = await openDatabase({ kind: 'postgres', url: place.url })
  onTestFinished(() => direct.close())
  await direct.run(sql`create table a (id bigint primary key, n bigint)`)
  return { place, direct }
}

const unavailable = { cause: { kind: 'unavailable', what: 'the database' } }
const readOnly = { cause: { kind: 'unavailable', reason: 'the database is read-only' } }

/** Proxy to the server that can go silent: it keeps and accepts connections but forwards nothing. */
async function openTunnel(url: string, { onTestFinished }: TestContext) {
  const { pathname, searchParams, username } = new URL(url)
  const host = searchParams.get('host') ?? ''
  const sockets = new Set<Socket>()
  let isSilent = false
  const tunnel = createServer((near) => {
    const far = dial(`${host}/.s.PGSQL.5432`)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => isSilent || to.write(bytes))
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => tunnel.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    tunnel.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = tunnel.address() as AddressInfo // it listens on a port
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    silence(value: boolean) {
      isSilent = value
    },
  }
}

async function openThroughTunnel(context: TestContext) {
  const { onTestFinished } = context
  const { place } = await openPlace(context)
  const tunnel = await openTunnel(place.url, context)
  const db = await openDatabase({ kind: 'postgres', url: tunnel.url })
  onTestFinished(() => db.close())
  return { tunnel, db }
}

test.concurrent('a silent server fails waiting statements, then all, and is used again when it responds', async (context) => {
  const { expect } = context
  const { tunnel, db } = await openThroughTunnel(context)
  await db.run(sql`insert into a values (1, 0)`)
  await db.ready()
  tunnel.silence(true)
  const waiting = [
    db.all(sql`select * from a`),
    db.run(sql`insert into a values (2, 0)`),
    db.transaction((tx) => tx.run(sql`update a set n = 1`)),
    db.ready(),
  ]
  for (const one of await Promise.allSettled(waiting)) {
    expect(one).toMatchObject({ status: 'rejected', reason: unavailable })
  }
  await expect(db.one(sql`select * from a`)).rejects.toMatchObject({
    cause: { ...unavailable.cause, why: expect.stringMatching(/did not answer/) },
  })

  tunnel.silence(false)
  await expect.poll(() => db.all(sql`select * from a`).catch(() => [])).toEqual([{ id: 1, n: 0 }])
  await db.ready()
  await db.run(sql`insert into a values (3, 0)`)
})

test.concurrent('a commit without a response has an unknown outcome, and a statement before it has a known one', async (context) => {
  const { expect } = context
  const { tunnel, db } = await openThroughTunnel(context)
  const before = db.transaction(async (tx) => {
    await tx.run(sql`insert into a values (1, 0)`)
    tunnel.silence(true)
    await tx.run(sql`insert into a values (2, 0)`)
  })
  const error = await before.catch((error: unknown) => error)
  expect(error).toMatchObject(unavailable)
  expect(error).not.toMatchObject({ cause: { isOutcomeUnknown: true } })
  tunnel.silence(false)
  await expect
    .poll(() =>
      db.ready().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)

  const commit = db.transaction(async (tx) => {
    await tx.run(sql`insert into a values (1, 0)`)
    tunnel.silence(true)
  })
  await expect(commit).rejects.toMatchObject({ cause: { ...unavailable.cause, isOutcomeUnknown: true } })
})

test.concurrent('a standby or read-only server is an outage for connecting, writing and readiness', async (context) => {
  const { expect, onTestFinished } = context
  const { place, direct } = await openPlace(context)
  const settings = (value: string) =>
    direct.run(sql`alter database ${raw(place.name)} set default_transaction_read_only = ${raw(value)}`)
  const writing = direct.transaction(async (tx) => {
    await tx.run(sql`set transaction read only`)
    await tx.run(sql`insert into a values (1, 0)`)
  })
  await expect(writing).rejects.toMatchObject(readOnly)
  await direct.ready()

  const there = await openDatabase({ kind: 'postgres', url: place.url })
  onTestFinished(() => there.close())
  await settings('on')
  await expect(there.ready()).rejects.toMatchObject(readOnly)
  await expect(openDatabase({ kind: 'postgres', url: place.url })).rejects.toMatchObject(readOnly)

  const admin = await openDatabase({ kind: 'postgres', url: server.url })
  await admin.run(sql`alter database ${raw(place.name)} reset default_transaction_read_only`)
  await admin.close()
  await expect
    .poll(() =>
      there.ready().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  await there.run(sql`insert into a values (1, 0)`)
})

test.concurrent('a cancelled query is an outage', async (context) => {
  const { expect } = context
  const { place, direct } = await openPlace(context)
  const asked = direct.one(sql`select pg_sleep(60)`)
  const cancel = sql`
    select pg_cancel_backend(pid) from pg_stat_activity
    where datname = ${place.name} and query like 'select pg_sleep%' and state = 'active'`
  const refused = expect(asked).rejects.toMatchObject(unavailable)
  const admin = await openDatabase({ kind: 'postgres', url: server.url })
  await expect.poll(() => admin.all(cancel)).toHaveLength(1)
  await refused
  await admin.close()
})

test.concurrent('a query queued after one that failed while being prepared is sent again', async (context) => {
  const { expect } = context
  const { place, direct } = await openPlace(context)
  const admin = await openDatabase({ kind: 'postgres', url: place.url })
  let queries: Promise<PromiseSettledResult<unknown>[]> | undefined
  await admin.transaction(async (tx) => {
    await tx.run(sql`lock table a in access exclusive mode`)
    queries = Promise.allSettled(
      Array.from({ length: 16 }, (_, id) => direct.all(sql`select n from a where id = ${id}`)),
    )
    const cancel = sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = ${place.name} and wait_event_type = 'Lock' and query like 'select n from a%'`
    await expect.poll(async () => (await admin.all(cancel)).length).toBeGreaterThan(0)
  })
  const outcomes = (await queries) ?? []
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason)
  for (const failure of failures) expect(failure).toMatchObject(unavailable)
  expect(failures.length).toBeLessThan(16)
  await admin.close()
})

test.concurrent('transactions that wait for one lock give up before they block other writes for too long', async (context) => {
  const { expect, onTestFinished } = context
  const { place, direct } = await openPlace(context)
  await direct.run(sql`insert into a values (1, 0), (2, 0)`)
  const holder = await openDatabase({ kind: 'postgres', url: place.url })
  onTestFinished(() => holder.close())
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let locked = () => {}
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve
  })
  const held = holder.transaction(async (tx) => {
    await tx.run(sql`update a set n = 1 where id = 1`)
    locked()
    await released
  })
  await isLocked
  const blocked = Array.from({ length: 8 }, () => direct.run(sql`update a set n = n + 1 where id = 1`))
  const outcomes = Promise.allSettled(blocked)
  await direct.run(sql`update a set n = 5 where id = 2`)
  for (const one of await outcomes) expect(one).toMatchObject({ status: 'rejected', reason: unavailable })
  release()
  await held
  expect(await direct.all(sql`select n from a order by id`)).toEqual([{ n: 1 }, { n: 5 }])
})
