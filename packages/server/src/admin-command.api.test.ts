import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runAdminCommand } from './admin-command.ts'
import { openDatabaseFor } from './app.ts'
import { migrate } from './db/migrate.ts'
import { migrations } from './db/migrations/all.ts'
import { readSettings } from './platform/settings/settings.ts'
import { addPasskey, browserOf, signIn } from './testing/second-factors.ts'
import { startServer } from './testing/server.ts'

test('the command removes the second factors of an administrator, once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-admin-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const settings = readSettings({ ALCOVE_DATA: folder, ALCOVE_LOG_LEVEL: 'silent' })
  const open = async () => {
    const db = await openDatabaseFor(settings)
    await migrate(db, migrations)
    return startServer({ database: { db, drop: () => db.close() }, keepOpen: true })
  }
  const first = await open()
  await first.user('chief', { admin: true })
  await addPasskey(browserOf(first, await signIn(first, 'chief')))
  expect((await signIn(first, 'chief')).status).toBe(202)
  await first.close()

  const said = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => said.mockRestore())
  const run = (user: string) => runAdminCommand(settings, { action: 'disable-two-factor', user })
  expect(await run('chief')).toBe(true)
  expect(await run('chief')).toBe(false)
  expect(said.mock.calls).toEqual([
    ['The second factors of chief are removed. The password alone signs in.'],
    ['chief has no second factor.'],
  ])
  await expect(run('nadia')).rejects.toThrow('there is no user nadia')

  const second = await open()
  expect((await signIn(second, 'chief')).status).toBe(201)
  await second.close()
})
