import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import type { DatabaseOptions } from '../../db/engine.ts'
import { migrations } from '../../db/migrations/all.ts'
import { openDatabase } from '../../db/open.ts'
import { addressOf } from '../../http/route.ts'
import { routes } from '../../routes.ts'
import { spareDatabase, startFilledServer, upload } from '../../testing/backups.ts'
import type { FreshDatabase } from '../../testing/database.ts'
import { startServer, type TestServer } from '../../testing/server.ts'
import { sealAuditEvents } from '../audit/seal.ts'
import { verifyAuditEvents } from '../audit/verify.ts'
import { transferRows } from './transfer.ts'

test('every GET route responds the same after a transfer to SQLite and back', { timeout: 240_000 }, async () => {
  const clock = { now: '2026-11-23T03:00:00.000Z' }
  const { server, objects, database, project } = await startFilledServer({ clock })
  await sealAuditEvents(server.deps)
  const chain = await verifyAuditEvents(server.deps.db)
  expect(chain.verified).toBeGreaterThan(0)
  const sqlite = await emptySqlite()
  expect(await transferRows(database.options, { db: sqlite.db, migrations })).toMatchObject({ differing: [] })
  const back = await spareDatabase()
  expect(await transferRows(sqlite.options, { db: back.db, migrations })).toMatchObject({ differing: [] })

  const expected = await responses(server)
  for (const { db } of [sqlite, back]) {
    expect(await verifyAuditEvents(db)).toEqual(chain)
    const copy = await startServer({ database: { db, drop: async () => {} }, objects, clock })
    const found = await responses(copy)
    const differing = Object.keys(expected).filter((path) => found[path] !== expected[path])
    expect(differing.map((path) => [path, found[path], expected[path]])).toEqual([])
    expect(Object.keys(found)).toEqual(Object.keys(expected))
    // Ids continue where those of the source ended.
    expect(await upload(copy, project, { name: 'next.txt', content: 'next' })).toBe(4)
  }
  const successful = Object.values(expected).filter((response) => response.startsWith('200'))
  expect(successful.length).toBeGreaterThan(40)
})

test('a transfer into a database with other tables is refused', async () => {
  const { database } = await startFilledServer()
  const { db } = await spareDatabase()
  await db.run(sql`create table left_over (id bigint primary key, name text)`)
  await expect(transferRows(database.options, { db, migrations })).rejects.toThrow(
    'the schemas differ (left_over.id, left_over.name); use an empty database',
  )
})

/** Routes whose response depends on the process or the request. */
const ofProcess = ['/-/metrics']

/** Name of the engine, which administrators see. */
const engine = /"database":"(sqlite|postgres)",/

/** Requests every GET route with several ids, and returns status and body by path. */
async function responses(server: TestServer): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const route of routes) {
    if (route.method !== 'GET' || ofProcess.includes(route.path)) continue
    for (const path of pathsOf(addressOf(route))) {
      // A second slash makes it relative to the root.
      const { status, text } = await server.admin.get(`/${path}`)
      found[path] = `${status} ${text.replace(engine, '')}`
    }
  }
  return found
}

function pathsOf(path: string): string[] {
  if (!path.includes(':')) return [path]
  return ['1', '2', '3'].map((id) => path.replace(':filename', 'first.txt').replaceAll(/:[a-z_]+/g, id))
}

async function emptySqlite(): Promise<Pick<FreshDatabase, 'db' | 'options'>> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-transfer-'))
  const options: DatabaseOptions = { kind: 'sqlite', file: join(folder, 'alcove.sqlite3') }
  const db = await openDatabase(options)
  onTestFinished(async () => {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { db, options }
}
