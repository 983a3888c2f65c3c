import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { jobKinds } from '../../jobs.ts'
import { claimAndDie } from '../../testing/jobs.ts'
import { startServer } from '../../testing/server.ts'
import { slowUntilAfter } from './deliver.ts'
import { findHook } from './hook-queries.ts'
import { enqueueDeliveries, slowDeliveries } from './record.ts'

const now = '2026-05-01T10:00:00.000Z'
const soon = '2026-05-01T10:05:00.000Z'

describe('the webhooks of a project', () => {
  test('use at most the project’s places, and do not delay those of another project', async () => {
    const server = await startServer({ clock: { now } })
    const [busy, other] = [await server.project('acme/busy'), await server.project('acme/other')]
    const addHook = async (projectId: number) => {
      const { body } = await server.admin.post(`/projects/${projectId}/hooks`, { url: 'https://hooks.example.com/' })
      const hook = await findHook(server.deps.db, body.id)
      if (!hook) throw new Error('the hook was created')
      return hook
    }
    for (let count = 0; count < 40; count++) await enqueueDeliveries(server.deps, await addHook(busy.id))
    const keysOf = async () => (await claimAndDie(server.deps, jobKinds)).map(({ job }) => job.owner)
    expect(await keysOf()).toEqual(Array(4).fill(`project:${busy.id}`))
    const quick = await addHook(other.id)
    await enqueueDeliveries(server.deps, quick)
    expect(await keysOf()).toEqual([`project:${other.id}`])
  })

  test('run in a separate lane when their receivers are slow', async () => {
    const server = await startServer({ clock: { now } })
    const hook = { id: 1, projectId: 1, namespaceId: null }
    await enqueueDeliveries(server.deps, { ...hook, slowUntil: soon })
    await enqueueDeliveries(server.deps, { ...hook, slowUntil: null })
    await enqueueDeliveries(server.deps, { ...hook, slowUntil: now })
    const rows = await server.deps.db.all<{ lane: string }>(sql`select lane from jobs order by id`)
    expect(rows.map(({ lane }) => lane)).toEqual([slowDeliveries, 'webhook', 'webhook'])
  })

  test('are slow for ten minutes after each slow response', () => {
    const after = (slowUntil: string | null, durationMs: number) =>
      slowUntilAfter({ now: () => now }, { slowUntil }, { durationMs })
    expect(after(null, 100)).toBeNull()
    expect(after(null, 9_500)).toBe('2026-05-01T10:10:00.000Z')
    expect(after(soon, 100)).toBe(soon)
    expect(after(now, 100)).toBeNull()
  })
})
