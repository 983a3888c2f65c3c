import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { depsFrom } from '../../app.ts'
import { openLifecycle } from '../../platform/lifecycle.ts'
import { openMemoryStore } from '../../platform/object-store/memory.ts'
import { readSettings } from '../../platform/settings/settings.ts'
import { freshDatabase } from '../../testing/databases/database.ts'
import { waitFor } from './wait.ts'

async function open() {
  const { db, drop } = await freshDatabase()
  onTestFinished(async () => {
    await db.close()
    await drop()
  })
  const lifecycle = openLifecycle()
  const settings = readSettings({ ALCOVE_LOG_LEVEL: 'silent' })
  return { deps: depsFrom(settings, db, openMemoryStore(), lifecycle), lifecycle }
}

const never = { isOver: () => false, ms: 3_600_000 }

test('a wait returns the last loaded value when the process stops', async () => {
  const { deps, lifecycle } = await open()
  let loads = 0
  const waited = waitFor(deps, 'imports', async () => ++loads, never)
  await expect.poll(() => loads).toBe(1)
  lifecycle.stop()
  expect(await waited).toBe(loads)
})

test('a wait that begins while the process stops loads once', async () => {
  const { deps, lifecycle } = await open()
  lifecycle.stop()
  expect(await waitFor(deps, 'imports', async () => 'state', never)).toBe('state')
})

test('a wait that is interrupted while loading returns the loaded value', async () => {
  const { deps, lifecycle } = await open()
  const load = async () => {
    lifecycle.stop()
    return 'state'
  }
  expect(await waitFor(deps, 'imports', load, never)).toBe('state')
})

test('50 requests can wait concurrently without a warning', async () => {
  const { deps, lifecycle } = await open()
  const warnings: Error[] = []
  const keep = (warning: Error) => warnings.push(warning)
  process.on('warning', keep)
  onTestFinished(() => void process.off('warning', keep))
  const waits = Array.from({ length: 50 }, () => waitFor(deps, 'imports', async () => 'state', never))
  lifecycle.stop()
  expect(new Set(await Promise.all(waits))).toEqual(new Set(['state']))
  await nextTurn() // warnings are emitted late
  expect(warnings).toEqual([])
})
