import { expect, test } from 'vitest'
import { unavailable } from '../../platform/failure.ts'
import { openMemoryStore } from '../../platform/object-store/memory.ts'
import { startServer } from '../../testing/server.ts'
import { faultyStore } from '../../testing/stand-ins/faulty-store.ts'

const now = '2026-05-01T10:00:00.000Z'

test('an export waits while the object store is unavailable, for any number of attempts', async () => {
  const clock = { now }
  const objects = faultyStore(openMemoryStore())
  const server = await startServer({ clock, objects })
  const project = await server.project('acme/site')
  objects.at('put before', () => {
    throw unavailable('the object store')
  })
  const { body } = await server.admin.post(`/security/projects/${project.id}/vulnerability_exports`)
  const status = async () => (await server.admin.get(`/security/vulnerability_exports/${body.id}`)).body.status
  for (let tries = 0; tries < 6; tries++) {
    await server.runJobs()
    expect(await status()).toBe('running')
    clock.now = new Date(Date.parse(clock.now) + 120_000).toISOString()
  }
  objects.heal()
  await server.runJobs()
  expect(await status()).toBe('finished')
})
