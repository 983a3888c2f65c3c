import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../db/db.ts'
import { beginAttempt, endAttemptsOfEarlierProcess, removeOldKeys } from '../../domain/idempotency/idempotency.ts'
import { Failure } from '../../platform/failure.ts'
import { openMemoryStore } from '../../platform/object-store/memory.ts'
import { type Client, formWithFile } from '../../testing/client.ts'
import { sastReport } from '../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../testing/server.ts'
import { faultyStore } from '../../testing/stand-ins/faulty-store.ts'

const clock = { now: '2026-03-01T12:00:00.000Z' }
const objects = faultyStore(openMemoryStore())
let server: TestServer
let admin: Client
beforeAll(async () => {
  server = await startServer({ clock, objects })
  admin = server.admin
})

const caller = { user: { id: 1 }, isAdmin: true }
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
/** Fails the first transaction after the one that takes a new key, before or after its commit. */
async function failFirstAfterKey(moment: 'before' | 'after'): Promise<() => void> {
  const db = server.deps.db as { transaction: Database['transaction'] } // made to be replaced here
  const { transaction } = db
  const restore = () => {
    db.transaction = transaction
  }
  const keys = async () =>
    (await server.deps.db.all<{ id: number }>(sql`select id from idempotency_keys`)).map(({ id }) => id)
  const known = new Set(await keys())
  let hasFailed = false
  db.transaction = async (work, options) => {
    // Earlier tests may still be releasing their keys in the background.
    const isAfterKey = (await keys()).some((id) => !known.has(id))
    if (hasFailed || !isAfterKey) return transaction(work, options)
    hasFailed = true
    if (moment === 'after') await transaction(work, options)
    throw new Failure({ kind: 'unavailable', what: 'the database', isOutcomeUnknown: moment === 'after' })
  }
  onTestFinished(restore)
  return restore
}

/** Fails all transactions after the one that takes a key, until the database is restored. */
async function failAfterKey(): Promise<() => void> {
  const db = server.deps.db as { transaction: Database['transaction'] } // made to be replaced here
  const { transaction } = db
  const restore = () => {
    db.transaction = transaction
  }
  const countKeys = async () => (await server.deps.db.all(sql`select id from idempotency_keys`)).length
  const before = await countKeys()
  db.transaction = async (work, options) => {
    if ((await countKeys()) === before) return transaction(work, options)
    throw new Failure({ kind: 'unavailable', what: 'the database' })
  }
  onTestFinished(restore)
  return restore
}

const countNamed = async (name: string) =>
  (await server.deps.db.all(sql`select id from projects where name = ${name}`)).length
const later = (ms: number) => {
  clock.now = new Date(Date.parse(clock.now) + ms).toISOString()
}

describe('a POST with an Idempotency-Key', () => {
  test('is executed once, and returns the first response again', async () => {
    const key = randomUUID()
    const first = await admin.post('/projects', { name: 'once' }, keyed(key))
    const again = await admin.post('/projects', { name: 'once' }, keyed(`"${key}"`))
    expect(first).toMatchObject({ status: 201, body: { name: 'once' } })
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotency-replayed': 'true' } })
    expect(await countNamed('once')).toBe(1)
    expect(await admin.post('/projects', { name: 'once' })).toMatchObject({ status: 400 })
  })

  test('returns 422 when the key was used for another request', async () => {
    const key = randomUUID()
    await admin.post('/projects', { name: 'one-request' }, keyed(key))
    const other = { status: 422, body: { message: expect.stringContaining('another request') } }
    expect(await admin.post('/projects', { name: 'other-request' }, keyed(key))).toMatchObject(other)
    expect(await admin.post('/groups', { name: 'one-request', path: 'one-request' }, keyed(key))).toMatchObject(other)
    expect(await countNamed('other-request')).toBe(0)
  })

  test('is executed once when sent concurrently', async () => {
    const key = randomUUID()
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => admin.post('/projects', { name: 'at-once' }, keyed(key))),
    )
    const statuses = replies.map(({ status }) => status)
    expect(statuses).toContain(201)
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([])
    expect(await countNamed('at-once')).toBe(1)
  })

  test('returns 409 while the first one is in progress', async () => {
    const project = await server.project('keys/slow')
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    // The import opens its file several times.
    objects.at('open before', () => released)
    onTestFinished(() => {
      objects.heal()
      release()
    })
    const key = randomUUID()
    const report = JSON.stringify(sastReport([]))
    const send = () =>
      admin.post(`/projects/${project.id}/security_reports`, formWithFile('file', 'r.json', report), keyed(key))
    const first = send()
    const imports = () => admin.get(`/projects/${project.id}/security_reports`)
    await expect.poll(async () => (await imports()).body[0]?.status).toBe('running')
    expect(await send()).toMatchObject({ status: 409, headers: { 'retry-after': '2' } })
    release()
    const { status, text } = await first
    expect(await send()).toMatchObject({ status, text, headers: { 'idempotency-replayed': 'true' } })
    expect((await imports()).body).toHaveLength(1)
  })

  test('belongs to its caller', async () => {
    const key = randomUUID()
    const [one, other] = [await server.user('key-one'), await server.user('key-other')]
    const first = await one.post('/projects', { name: 'mine' }, keyed(key))
    const second = await other.post('/projects', { name: 'mine' }, keyed(key))
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body.id).not.toBe(first.body.id)
  })

  test('repeats a rejection', async () => {
    const key = randomUUID()
    await admin.post('/projects', { name: 'taken' })
    const refused = await admin.post('/projects', { name: 'taken' }, keyed(key))
    expect(refused.status).toBe(400)
    await server.deps.db.run(sql`delete from projects where name = 'taken'`)
    expect(await admin.post('/projects', { name: 'taken' }, keyed(key))).toMatchObject({
      status: 400,
      text: refused.text,
      headers: { 'idempotency-replayed': 'true' },
    })
  })

  test('is executed again after an outage that changed nothing, but not after an unknown outcome', async () => {
    const create = (name: string, key: string) => admin.post('/projects', { name }, keyed(key))
    const [before, after] = [randomUUID(), randomUUID()]
    const restore = await failFirstAfterKey('before')
    expect(await create('outage-before', before)).toMatchObject({
      status: 503,
      headers: { 'x-alcove-outcome': 'unchanged' },
    })
    restore()
    expect((await create('outage-before', before)).status).toBe(201)

    const restoreAgain = await failFirstAfterKey('after')
    expect(await create('outage-after', after)).toMatchObject({
      status: 503,
      headers: { 'x-alcove-outcome': 'unknown' },
    })
    restoreAgain()
    expect(await create('outage-after', after)).toMatchObject({ status: 409 })
    expect(await countNamed('outage-after')).toBe(1)
  })

  test('compares files by content, and keeps one of them', async () => {
    const project = await server.project('keys/compared')
    const key = randomUUID()
    const upload = (content: string) =>
      admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', content), keyed(key))
    const first = await upload('the same')
    expect(await upload('the same')).toMatchObject({ status: 201, text: first.text })
    expect(await upload('another')).toMatchObject({ status: 422 })
    expect((await admin.get(`/projects/${project.id}/uploads`)).body).toHaveLength(1)
    expect((await admin.get(`/projects/${project.id}/uploads/${first.body.id}`)).text).toBe('the same')
  })

  test('returns a new token again, and stores no token in plain text', async () => {
    const key = randomUUID()
    const issue = () =>
      admin.post(
        `/users/${admin.user?.id ?? 1}/personal_access_tokens`,
        { name: 'again', scopes: ['api'], expires_at: '2026-04-01' },
        keyed(key),
      )
    const first = await issue()
    expect(first).toMatchObject({ status: 201, body: { token: expect.stringMatching(/^\S{20,}$/) } })
    expect((await issue()).body.token).toBe(first.body.token)
    const rows = JSON.stringify(await server.deps.db.all(sql`select * from idempotency_keys`))
    expect(rows).not.toContain(first.body.token)
    expect(rows).not.toContain(key)
    expect(rows).not.toContain(Buffer.from(first.body.token).toString('base64').slice(2, -4))
  })

  test('is rejected for a caller who lost access', async () => {
    const project = await server.project('keys/lost')
    const member = await server.as('maintainer', project)
    const key = randomUUID()
    const upload = () =>
      member.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'secret'), keyed(key))
    expect((await upload()).status).toBe(201)
    await admin.delete(`/projects/${project.id}/members/${member.user?.id}`)
    expect(await upload()).toMatchObject({ status: 404 })

    const group = (await admin.get('/groups/keys')).body
    const owner = await server.user('key-owner')
    await admin.post(`/groups/${group.id}/members`, { user_id: owner.user?.id, access_level: 40 })
    const created = { name: 'created', namespace_id: group.id, visibility: 'private' }
    const createdKey = randomUUID()
    expect((await owner.post('/projects', created, keyed(createdKey))).status).toBe(201)
    const { body } = await admin.get('/projects/keys%2Fcreated')
    await server.deps.db.run(sql`delete from members where user_id = ${owner.user?.id}`)
    expect(await owner.get(`/projects/${body.id}`)).toMatchObject({ status: 404 })
    const replayed = await owner.post('/projects', created, keyed(createdKey))
    expect(replayed.status).toBeGreaterThanOrEqual(400)
    expect(replayed.text).not.toContain('keys/created')
  })

  test('has no effect without a user', async () => {
    const preview = () => server.anonymous.post('/markdown/preview', { text: '*a*' }, keyed(randomUUID()))
    expect((await preview()).status).toBe(200)
    const rows = await server.deps.db.all(sql`select id from idempotency_keys`)
    await preview()
    expect(await server.deps.db.all(sql`select id from idempotency_keys`)).toHaveLength(rows.length)
  })

  test('has no effect where a password is checked: each sign-in starts its own session', async () => {
    const rows = () => server.deps.db.all(sql`select id from idempotency_keys`)
    const user = await server.user('key-signs-in')
    const key = randomUUID()
    const before = await rows()
    const signIn = () => user.post('//-/sessions', { token: user.token }, keyed(key))
    const [first, second] = [await signIn(), await signIn()]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.headers['idempotency-replayed']).toBeUndefined()
    expect(second.cookies[0]).not.toBe(first.cookies[0])

    const headers = { cookie: first.cookies[0]?.split(';')[0] ?? '', origin: 'http://localhost' }
    const confirm = (token: string) =>
      server.anonymous.post('//-/sessions/confirm', { token }, { headers: { ...headers, ...keyed(key).headers } })
    expect((await confirm(user.token ?? '')).status).toBe(204)
    expect((await confirm('glpat-wrong')).status).toBe(401)
    expect(await rows()).toHaveLength(before.length)
  })

  test('requires a key of 16 to 255 characters without spaces', async () => {
    for (const key of ['short', 'with spaces in between it', 'x'.repeat(256)]) {
      expect(await admin.post('/projects', { name: 'unkeyed' }, keyed(key))).toMatchObject({ status: 400 })
    }
    expect(await countNamed('unkeyed')).toBe(0)
  })

  test('stores no response of more than 256 KiB, and a request without changes runs again', async () => {
    const key = randomUUID()
    const text = `\`\`\`\n${'x'.repeat(300_000)}\n\`\`\`\n`
    for (let n = 0; n < 2; n++) {
      const { status, headers } = await admin.post('/markdown', { text }, keyed(key))
      expect(status).toBe(201)
      expect(headers['idempotency-replayed']).toBeUndefined()
    }
  })

  test('expires after 24 hours', async () => {
    const key = randomUUID()
    const star = await server.project('keys/day')
    const send = () => admin.post(`/projects/${star.id}/uploads`, formWithFile('file', 'a.txt', 'a'), keyed(key))
    const first = await send()
    later(24 * 3_600_000 - 1)
    expect((await send()).body.id).toBe(first.body.id)
    later(2)
    const second = await send()
    expect(second.status).toBe(201)
    expect(second.body.id).not.toBe(first.body.id)
    later(24 * 3_600_000 + 1)
    await removeOldKeys(server.deps)
    expect(await server.deps.db.all(sql`select id from idempotency_keys`)).toEqual([])
  })

  test('returns 429 when its caller has used too many keys within a day', async () => {
    const many = await server.user('key-many')
    await server.deps.db.run(sql`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 10000)
      insert into idempotency_keys (user_id, key_hash, fingerprint, is_admin, attempt, lease_until, is_applied, created_at)
      select users.id, cast(n as text), '', ${false}, '', ${clock.now}, ${false}, ${clock.now}
      from numbers, users where users.id = ${many.user?.id}`)
    const { status, body } = await many.post('/projects', { name: 'too-many' }, keyed(randomUUID()))
    expect({ status, body }).toMatchObject({ status: 429, body: { message: expect.stringContaining('10000') } })
    expect(await countNamed('too-many')).toBe(0)
  })

  test('is executed after an outage that outlasted its response, without waiting for its lease', async () => {
    const key = randomUUID()
    const post = () => admin.post('/projects', { name: 'long-outage' }, keyed(key))
    const restore = await failAfterKey()
    expect((await post()).status).toBe(503)
    restore()
    await expect.poll(async () => (await post()).status).toBe(201)
    expect(await countNamed('long-outage')).toBe(1)
  })
})

describe('a process that is killed', () => {
  const died = (isApplied: boolean, name: string) =>
    server.deps.db.run(sql`
    update idempotency_keys set response = null, is_applied = ${isApplied}, lease_until = ${clock.now}
    where id = (select max(id) from idempotency_keys) and ${name} = ${name}`)

  test('after the change prevents a second change by a repeated request', async () => {
    const key = randomUUID()
    const create = () => admin.post('/projects', { name: 'died-after' }, keyed(key))
    await create()
    expect(await server.deps.db.one(sql`select is_applied from idempotency_keys order by id desc limit 1`)).toEqual({
      isApplied: true,
    })
    await died(true, 'after')
    expect(await create()).toMatchObject({ status: 409, body: { message: expect.stringContaining('made its change') } })
    expect(await countNamed('died-after')).toBe(1)
  })

  test('before the change lets a repeated request make it', async () => {
    const key = randomUUID()
    const create = () => admin.post('/projects', { name: 'died-before' }, keyed(key))
    await create()
    await server.deps.db.run(sql`delete from projects where name = 'died-before'`)
    await died(false, 'before')
    expect(await create()).toMatchObject({ status: 201 })
    expect(await countNamed('died-before')).toBe(1)
  })

  test('only seemingly, and resumes, changes nothing once another attempt has begun', async () => {
    const keyedRequest = { key: randomUUID(), caller, content: 'request' }
    const stalled = await beginAttempt(server.deps, keyedRequest)
    await expect(beginAttempt(server.deps, keyedRequest)).rejects.toMatchObject({ cause: { kind: 'conflict' } })
    later(61_000)
    const next = await beginAttempt(server.deps, keyedRequest)
    if (!('attempt' in stalled) || !('attempt' in next)) throw new Error('both are attempts')
    await expect(server.deps.db.transaction((tx) => stalled.attempt.mark(tx))).rejects.toMatchObject({
      cause: { kind: 'conflict' },
    })
    await server.deps.db.transaction((tx) => next.attempt.mark(tx))
    await Promise.all([stalled.attempt.abandon(), next.attempt.abandon()])
    await expect(beginAttempt(server.deps, keyedRequest)).rejects.toMatchObject({ cause: { kind: 'conflict' } })
  })

  test('on SQLite lets its requests be repeated at the next start', async () => {
    const keyedRequest = { key: randomUUID(), caller, content: 'request' }
    const begun = await beginAttempt(server.deps, keyedRequest)
    await endAttemptsOfEarlierProcess(server.deps)
    const again = await beginAttempt(server.deps, keyedRequest).catch(() => undefined)
    expect(again !== undefined).toBe(server.deps.db.dialect.engine === 'sqlite')
    for (const one of [begun, again]) if (one && 'attempt' in one) await one.attempt.abandon()
  })
})
