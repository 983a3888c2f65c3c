import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { deleteMarkedObjects } from '../../../domain/files/pending-deletions.ts'
import { examine } from '../../../domain/removal/doctor.ts'
import { removeOrphanedObjects } from '../../../domain/removal/orphan-cleanup.ts'
import { expireUploads } from '../../../domain/uploads/expire.ts'
import { Failure, unavailable } from '../../../platform/failure.ts'
import { openDiskStore } from '../../../platform/object-store/disk.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { testEngine } from '../../../testing/databases/database.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { type FaultyStore, faultyStore, hang, type Moment } from '../../../testing/stand-ins/faulty-store.ts'

const hourMs = 60 * 60 * 1000
const clock = { now: new Date().toISOString() }
let folder: string
let store: FaultyStore
let server: TestServer
let project: TestProject
let maintainer: Client

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-failures-'))
  store = faultyStore(await openDiskStore(folder))
  server = await startServer({ objects: store, clock })
  project = await server.project('acme/failures')
  maintainer = await server.as('maintainer', project)
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(async () => {
  store.heal()
  // After every failure, each row has its object and the stored sums are correct.
  expect((await examine(server.deps, { fix: false })).findings).toEqual([])
})

const base = () => `/projects/${project.id}/uploads`
const send = (content = 'content', to = base()) => maintainer.post(to, formWithFile('file', 'a.txt', content))
const outOfService = {
  status: 503,
  body: { message: '503 Service Unavailable', detail: 'Nothing was changed.' },
  headers: { 'retry-after': '5', 'x-alcove-outcome': 'unchanged' },
}
const readOutOfService = { status: 503, text: '{"message":"503 Service Unavailable"}', headers: { 'retry-after': '5' } }
const away = () => {
  throw unavailable('the object store', 'a test')
}

/** Returns the numbers of rows and files, including partially written ones. */
async function stored() {
  const row = await server.deps.db.one<{ rows: number }>(sql`select count(*) as rows from uploads`)
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  return { rows: row?.rows ?? 0, files: names.filter((entry) => entry.isFile()).length }
}

async function removeOrphansTomorrow() {
  const { now } = clock
  clock.now = new Date(Date.now() + 25 * hourMs).toISOString()
  await removeOrphanedObjects(server.deps)
  clock.now = now
}

describe('an object store failure', () => {
  test.each<Moment>(['put before', 'put middle'])('at "%s" returns 503 and stores nothing', async (moment) => {
    const before = await stored()
    store.at(moment, away)
    expect(await send('x'.repeat(300_000))).toMatchObject(outOfService)
    expect(await stored()).toEqual(before)
    store.heal()
    expect((await send()).status).toBe(201)
  })

  test('after the object is written returns 503, and the orphan cleanup removes the object', async () => {
    const before = await stored()
    store.at('put after', away)
    expect(await send()).toMatchObject(outOfService)
    expect(await stored()).toEqual({ ...before, files: before.files + 1 })
    await removeOrphansTomorrow()
    expect(await stored()).toEqual(before)
  })

  test('at the second file of a form removes the first one', async () => {
    const before = await stored()
    let puts = 0
    store.at('put before', () => (++puts === 2 ? away() : undefined))
    const form = formWithFile('file', 'one.txt', 'one')
    form.append('file', new Blob(['two']), 'two.txt')
    expect(await maintainer.post(base(), form)).toMatchObject(outOfService)
    expect(puts).toBe(2)
    expect(await stored()).toEqual(before)
  })

  test('for one object does not prevent the removal of the others', async () => {
    const deletedProject = await server.project('acme/doomed-failures')
    const before = await stored()
    for (let index = 0; index < 3; index++) {
      const form = formWithFile('file', `${index}.txt`, 'x')
      expect((await server.admin.post(`/projects/${deletedProject.id}/uploads`, form)).status).toBe(201)
    }
    let removals = 0
    store.at('remove before', () => (++removals === 1 ? away() : undefined))
    expect((await server.admin.delete(`/projects/${deletedProject.id}`)).status).toBe(202)
    expect(await stored()).toEqual({ ...before, files: before.files + 1 })
    await deleteMarkedObjects(server.deps)
    expect(await stored()).toEqual(before)
  })
})

describe('a database failure after the object is stored', () => {
  test('at the insert returns 500 without details, and the orphan cleanup removes the object', async () => {
    await removeOrphansTomorrow()
    const before = await stored()
    const usage = (await maintainer.get(`${base()}/limits`)).body
    const accept = await refuseRows("raise exception 'secret detail'", "raise(abort, 'secret detail')")
    expect(await send()).toMatchObject({ status: 500, text: '{"message":"500 Internal Server Error"}' })
    await accept()
    expect((await stored()).rows).toBe(before.rows)
    expect((await maintainer.get(`${base()}/limits`)).body).toEqual(usage)
    await removeOrphansTomorrow()
    expect(await stored()).toEqual(before)
  })

  test.runIf(testEngine === 'postgres')(
    'that ends the connection at the commit returns 503 with an unknown outcome, and keeps the object for a while',
    async () => {
      const before = await stored()
      const accept = await refuseRows('perform pg_terminate_backend(pg_backend_pid())', '')
      expect(await send()).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5', 'x-alcove-outcome': 'unknown' },
      })
      await accept()
      expect(await stored()).toEqual({ ...before, files: before.files + 1 })
      await removeOrphansTomorrow()
      expect(await stored()).toEqual(before)
    },
  )

  test('before the commit returns 503 and stores nothing', async () => {
    const before = await stored()
    const accept = replaceTransactions(() => Promise.reject(unavailable('the database', 'a test')))
    expect(await send()).toMatchObject(outOfService)
    accept()
    expect(await stored()).toEqual(before)
  })

  test('that loses the response to the commit keeps the row and its object', async () => {
    const before = await stored()
    const accept = replaceTransactions(async (work) => {
      await work()
      throw new Failure({ kind: 'unavailable', what: 'the database', isOutcomeUnknown: true })
    })
    expect(await send('the answer was lost')).toMatchObject({ status: 503, headers: { 'x-alcove-outcome': 'unknown' } })
    accept()
    expect(await stored()).toEqual({ rows: before.rows + 1, files: before.files + 1 })
    const [newest] = (await maintainer.get(base())).body
    expect((await maintainer.get(`${base()}/${newest.id}`)).text).toBe('the answer was lost')
  })

  test('that loses the response to a commit keeps the parts and the file of a resumable upload', async () => {
    await server.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.app.server.address() as AddressInfo
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': '9', 'upload-metadata': 'filename YS50eHQ=' }
    const begun = await maintainer.post(`${base()}/resumable`, undefined, { headers: tus })
    const path = String(begun.headers['location']).replace(/^.*\/api\/v4/, '')
    const patch = async (offset: number, body: string) => {
      const headers = { ...tus, 'private-token': maintainer.token ?? '', 'upload-offset': String(offset) }
      const type = { 'content-type': 'application/offset+octet-stream' }
      const url = `http://127.0.0.1:${port}/api/v4${path}`
      return (await fetch(url, { method: 'PATCH', headers: { ...headers, ...type }, body })).status
    }
    for (const [offset, piece] of [
      [0, 'first'],
      [5, 'last'],
    ] as const) {
      const accept = replaceTransactions(async (work) => {
        await work()
        throw new Failure({ kind: 'unavailable', what: 'the database', isOutcomeUnknown: true })
      })
      expect(await patch(offset, piece)).toBe(503)
      accept()
      expect((await maintainer.get(path)).body.offset).toBe(offset + piece.length)
    }
    const { upload } = (await maintainer.get(path)).body
    expect((await maintainer.get(`${base()}/${upload.id}`)).text).toBe('firstlast')
    await removeOrphansTomorrow()
  })

  function replaceTransactions(transact: (work: () => Promise<unknown>) => Promise<never>): () => void {
    const { db } = server.deps
    const { transaction } = db
    const restore = () => {
      db.transaction = transaction
    }
    db.transaction = (work) => transact(() => transaction(work))
    onTestFinished(restore)
    return restore
  }

  /** Makes the database reject rows of uploads, on PostgreSQL at the commit. Returns a function that ends it. */
  async function refuseRows(postgres: string, sqlite: string): Promise<() => Promise<void>> {
    const run = async (text: string) => void (await server.deps.db.run(sql([text])))
    if (testEngine === 'sqlite') {
      await run(`create trigger refusal before insert on uploads begin select ${sqlite}; end`)
      onTestFinished(() => run('drop trigger if exists refusal'))
      return () => run('drop trigger refusal')
    }
    await run(`create function refuse() returns trigger language plpgsql as $$ begin ${postgres}; return null; end $$`)
    await run(`create constraint trigger refusal after insert on uploads deferrable initially deferred
      for each row execute function refuse()`)
    onTestFinished(() => run('drop function if exists refuse cascade'))
    return () => run('drop function refuse cascade')
  }
})

describe('a slow object store', () => {
  test.each<Moment>(['put before', 'put middle', 'put after'])(
    'at "%s" does not block other requests',
    async (moment) => {
      const { act, reached, release } = hang()
      onTestFinished(release)
      store.at(moment, act)
      const sending = send('slow')
      await reached
      const before = await stored()
      expect((await maintainer.get(base())).status).toBe(200)
      expect((await server.admin.post('/topics', { name: moment, title: moment })).status).toBe(201)
      const [newest] = (await maintainer.get(base())).body
      expect((await maintainer.delete(`${base()}/${newest.id}`)).status).toBe(204)
      release()
      expect((await sending).status).toBe(201)
      expect((await stored()).rows).toBe(before.rows + 1)
    },
  )

  test('at a removal does not block other requests', async () => {
    const deletedProject = await server.project('acme/slow-removal')
    await server.admin.post(`/projects/${deletedProject.id}/uploads`, formWithFile('file', 'a.txt', 'x'))
    const { act, reached, release } = hang()
    onTestFinished(release)
    store.at('remove before', act)
    const removing = server.admin.delete(`/projects/${deletedProject.id}`)
    await reached
    expect((await server.admin.get(`/projects/${deletedProject.id}`)).status).toBe(404)
    expect((await send()).status).toBe(201)
    release()
    expect((await removing).status).toBe(202)
  })

  test('returns 404 and stores nothing when the project is deleted meanwhile', async () => {
    const deletedProject = await server.project('acme/gone-meanwhile')
    const before = await stored()
    const { act, reached, release } = hang()
    onTestFinished(release)
    store.at('put after', act)
    const sending = server.admin.post(`/projects/${deletedProject.id}/uploads`, formWithFile('file', 'a.txt', 'x'))
    await reached
    expect((await server.admin.delete(`/projects/${deletedProject.id}`)).status).toBe(202)
    release()
    expect(await sending).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
    expect(await stored()).toEqual(before)
  })
})

describe('a download', () => {
  test('returns 503 while the store fails, 500 without details after another error, and works again afterwards', async () => {
    const { body } = await send('still there')
    const address = `${base()}/${body.id}`
    store.at('open before', away)
    expect(await maintainer.get(address)).toMatchObject(readOutOfService)
    expect(await maintainer.head(address)).toMatchObject({ status: 503 })
    store.at('open before', () => {
      throw new Error('secret detail')
    })
    expect(await maintainer.get(address)).toMatchObject({
      status: 500,
      text: '{"message":"500 Internal Server Error"}',
    })
    store.heal()
    expect((await maintainer.get(address)).text).toBe('still there')
  })

  test('returns 404 when the file is purged between row and object', async () => {
    const { body } = await send('too late')
    const { act, reached, release } = hang()
    onTestFinished(release)
    store.at('open before', act)
    const reading = maintainer.get(`${base()}/${body.id}`)
    await reached
    await maintainer.delete(`${base()}/${body.id}`)
    await expireAll()
    release()
    expect(await reading).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
  })
})

describe('concurrent', () => {
  test('deletions and restores of one upload keep the counters correct', async () => {
    const { body } = await send('to and fro')
    const address = `${base()}/${body.id}`
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all([
        ...[1, 2].map(() => maintainer.delete(address)),
        ...[1, 2].map(() => maintainer.post(`${address}/restore`)),
      ])
      for (const { status } of replies) expect([201, 204, 404]).toContain(status)
    }
    const { headers } = await maintainer.get(base())
    expect((await maintainer.get(`${base()}/limits`)).body.files).toBe(Number(headers['x-total']))
  })

  test('restores and purges leave each upload complete or deleted', async () => {
    const ids: number[] = []
    for (let index = 0; index < 12; index++) {
      const { body } = await send(`file ${index}`)
      await maintainer.delete(`${base()}/${body.id}`)
      ids.push(body.id)
    }
    const restore = (id: number) => maintainer.post(`${base()}/${id}/restore`)
    const [early, late] = [ids.slice(0, 6), ids.slice(6)]
    const first = early.map(restore)
    const expiring = expireAll()
    const replies = await Promise.all([...first, ...late.map(restore)])
    await expiring
    await deleteMarkedObjects(server.deps)

    for (const [index, { status }] of replies.entries()) {
      expect([201, 404]).toContain(status)
      const found = await maintainer.get(`${base()}/${ids[index]}`)
      expect(found).toMatchObject(status === 201 ? { status: 200, text: `file ${index}` } : { status: 404 })
    }
  })
})

async function expireAll() {
  const { deps } = server
  const now = () => new Date(Date.now() + deps.settings.uploadGraceMs + hourMs).toISOString()
  await expireUploads({ ...deps, now })
  await deleteMarkedObjects({ ...deps, now })
}
