import { expect, test } from 'vitest'
import { startServer } from '../../testing/server.ts'
import { knownBrowserDays, recordKnownBrowser, removeOldBrowsers, usersKnownTo } from './known-browsers.ts'

test('a browser is known to the users who signed in with it, until it is unused for too long', async () => {
  const clock = { now: '2026-05-01T10:00:00.000Z' }
  const server = await startServer({ clock })
  const { deps } = server
  const [one, two] = [(await server.user('one')).user?.id ?? 0, (await server.user('two')).user?.id ?? 0]

  const secret = await recordKnownBrowser(deps, one, undefined)
  expect(await recordKnownBrowser(deps, two, secret)).toBe(secret)
  const other = await recordKnownBrowser(deps, one, 'not a secret of ours')
  expect(await usersKnownTo(deps, secret)).toEqual(new Set([one, two]))
  expect(await usersKnownTo(deps, other)).toEqual(new Set([one]))
  expect(await usersKnownTo(deps, undefined)).toEqual(new Set())

  clock.now = '2026-06-01T10:00:00.000Z'
  await recordKnownBrowser(deps, two, secret)
  clock.now = new Date(Date.parse('2026-05-01T10:00:00.001Z') + knownBrowserDays * 24 * 60 * 60 * 1000).toISOString()
  await removeOldBrowsers(deps)
  expect(await usersKnownTo(deps, secret)).toEqual(new Set([two]))
  expect(await usersKnownTo(deps, other)).toEqual(new Set())
})
