import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { openDiskStore } from '../../platform/object-store/disk.ts'
import type { ObjectStore } from '../../platform/object-store/objects.ts'
import { formWithFile } from '../../testing/client.ts'
import { startServer } from '../../testing/server.ts'
import { removeOrphanedObjects } from './orphan-cleanup.ts'

const hourMs = 60 * 60 * 1000
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString()

test('orphaned objects are deleted when they are a day old, others are kept', async () => {
  const clock = { now: inHours(0) }
  const { server, keys } = await startSwept(clock)
  const project = await server.project('acme/swept')
  const upload = await server.admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'kept'))
  expect(upload.status).toBe(201)
  const [kept] = await keys()
  for (const key of ['files/orphan', 'elsewhere/orphan'])
    await server.deps.objects.put(key, Readable.from([Buffer.from('x')]))

  clock.now = inHours(23)
  await removeOrphanedObjects(server.deps)
  expect(await keys()).toEqual(['elsewhere/orphan', 'files/orphan', kept].sort())

  clock.now = inHours(25)
  await removeOrphanedObjects(server.deps)
  expect(await keys()).toEqual(['elsewhere/orphan', kept].sort())
})

test('unfinished temporary files are deleted when they are a day old', async () => {
  const clock = { now: inHours(0) }
  const { server, folder } = await startSwept(clock)
  const half = join(folder, 'tmp', 'half')
  await writeFile(half, 'half of a file')
  await utimes(half, new Date(Date.now() - 23 * hourMs), new Date(Date.now() - 23 * hourMs))

  await removeOrphanedObjects(server.deps)
  expect(await readdir(join(folder, 'tmp'))).toEqual(['half'])
  clock.now = inHours(2)
  await removeOrphanedObjects(server.deps)
  expect(await readdir(join(folder, 'tmp'))).toEqual([])
})

async function startSwept(clock: { now: string }) {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-sweep-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const objects: ObjectStore = await openDiskStore(folder)
  const server = await startServer({ clock, objects })
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of objects.list('')) found.push(key)
    return found.sort()
  }
  return { server, folder, keys }
}
