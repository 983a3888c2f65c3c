import { expect, test } from 'vitest'
import { depsFrom } from '../app.ts'
import type { Database } from '../db/db.ts'
import { openMemoryStore } from '../platform/object-store/memory.ts'
import { readSettings } from '../platform/settings/settings.ts'
import { freshDatabase, testEngine } from '../testing/databases/database.ts'
import { startServer } from '../testing/server.ts'
import { ensureAdministrator } from './bootstrap.ts'
import { isMintedToken, tokenScopes } from './tokens/tokens.ts'

const token = 'chosen-by-the-operator'

function depsOn(db: Database, bootstrapToken?: string) {
  const settings = { ...readSettings({ ALCOVE_LOG_LEVEL: 'silent' }), ...(bootstrapToken && { bootstrapToken }) }
  return depsFrom(settings, db, openMemoryStore())
}

test('an empty database gets the administrator root with the token from the settings', async () => {
  const server = await startServer({ settings: { bootstrapToken: token } })

  const reply = await server.anonymous.get('/user', { headers: { 'private-token': token } })

  expect(reply).toMatchObject({ status: 200, body: { username: 'root', name: 'Administrator', is_admin: true } })
  const self = await server.anonymous.get('/personal_access_tokens/self', { headers: { 'private-token': token } })
  expect(self.body).toMatchObject({ scopes: [...tokenScopes], active: true, expires_at: null })
})

test('the administrator has their own namespace', async () => {
  const server = await startServer()
  expect((await server.admin.get('/user')).body.namespace_id).toBeTypeOf('number')
})

test('without a token in the settings, one is generated and returned once', async () => {
  const { db, drop } = await freshDatabase()
  const deps = depsOn(db)

  const first = await ensureAdministrator(deps)
  const second = await ensureAdministrator(deps)

  expect(isMintedToken(first?.token ?? '')).toBe(true)
  expect(second).toBeUndefined()
  await db.close()
  await drop()
})

test('a database with users is not changed, whatever the settings contain', async () => {
  const server = await startServer({ settings: { bootstrapToken: token } })
  const deps = { ...server.deps, settings: { ...server.deps.settings, bootstrapToken: 'another-one-of-20-characters' } }

  expect(await ensureAdministrator(deps)).toBeUndefined()

  const headers = { 'private-token': 'another-one-of-20-characters' }
  expect(await server.anonymous.get('/user', { headers })).toMatchObject({ status: 401 })
})

test('one of several processes that start concurrently creates the administrator', async () => {
  const fresh = await freshDatabase()
  const others = testEngine === 'postgres' ? [await fresh.openSecond(), await fresh.openSecond()] : []
  const databases = testEngine === 'postgres' ? [fresh.db, ...others] : [fresh.db, fresh.db, fresh.db]

  const created = await Promise.all(databases.map((db) => ensureAdministrator(depsOn(db))))

  expect(created.filter((one) => one !== undefined)).toHaveLength(1)
  await Promise.all([fresh.db, ...others].map((db) => db.close()))
  await fresh.drop()
})
