import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import type { DatabaseOptions } from '../../db/engine.ts'
import { migrations } from '../../db/migrations/all.ts'
import { openDatabase } from '../../db/open.ts'
import { addressOf, type Route } from '../../http/route.ts'
import { routes } from '../../routes.ts'
import { spareDatabase, startFilledServer, upload } from '../../testing/backups.ts'
import type { FreshDatabase } from '../../testing/databases/database.ts'
import { fillEveryRoute } from '../../testing/every-route.ts'
import { startServer, type TestServer } from '../../testing/server.ts'
import { sealAuditEvents } from '../audit/seal.ts'
import { verifyAuditEvents } from '../audit/verify.ts'
import { transferRows } from './transfer.ts'

test('every GET route responds the same after a transfer to SQLite and back', { timeout: 240_000 }, async () => {
  const clock = { now: '2026-11-23T03:00:00.000Z' }
  const { server, objects, database, project } = await startFilledServer({ clock })
  const values = await fillEveryRoute(server, project)
  await sealAuditEvents(server.deps)
  const chain = await verifyAuditEvents(server.deps.db)
  expect(chain.verified).toBeGreaterThan(0)
  const sqlite = await emptySqlite()
  expect(await transferRows(database.options, { db: sqlite.db, migrations })).toMatchObject({ differing: [] })
  const back = await spareDatabase()
  expect(await transferRows(sqlite.options, { db: back.db, migrations })).toMatchObject({ differing: [] })

  const expected = await responses(server, values)
  for (const { db } of [sqlite, back]) {
    expect(await verifyAuditEvents(db)).toEqual(chain)
    const copy = await startServer({ database: { db, drop: async () => {} }, objects, clock })
    const found = await responses(copy, values)
    const differing = Object.keys(expected).filter((path) => found[path] !== expected[path])
    expect(differing.map((path) => [path, found[path], expected[path]])).toEqual([])
    expect(Object.keys(found)).toEqual(Object.keys(expected))
    // Ids continue where those of the source ended.
    expect(await upload(copy, project, { name: 'next.txt', content: 'next' })).toBe(8)
  }
  // The few routes without a success need what only another server has.
  const isShown = (route: Route) => pathsOf(route, values).some((path) => expected[path]?.startsWith('200'))
  const hidden = requested.filter((route) => !isShown(route)).map(({ path }) => path)
  expect(hidden.length, hidden.join('\n')).toBeLessThan(10)
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

/** Queries of routes that have no response without one. */
const searches: Readonly<Record<string, string>> = { '/uploads': '?search=first' }

const requested = routes.filter(({ method, path }) => method === 'GET' && !ofProcess.includes(path))

type Values = Awaited<ReturnType<typeof fillEveryRoute>>

/** Requests every GET route with several ids, and returns status and body by path. */
async function responses(server: TestServer, values: Values): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const route of requested) {
    for (const path of pathsOf(route, values)) {
      // A second slash makes it relative to the root.
      const { status, text } = await server.admin.get(`/${path}`)
      found[path] = `${status} ${text.replace(engine, '')}`
    }
  }
  return found
}

function pathsOf(route: Route, values: Values): string[] {
  const path = addressOf(route)
  if (!path.includes(':')) return [path + (searches[route.path] ?? '')]
  const numbered = ['1', '2', '3'].map((id) => path.replace(':filename', 'first.txt').replaceAll(/:[a-z_]+/g, id))
  const own = [...(values[route.path] ?? [])]
  return own.length === 0 ? numbered : [...numbered, path.replaceAll(/:[a-z_]+/g, () => `${own.shift()}`)]
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
