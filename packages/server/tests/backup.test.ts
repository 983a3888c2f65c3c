import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runProcess, type ServerProcess, startProcess, temporaryFolder } from './process.ts'

const token = 'token-of-the-backup-command'

test('a backup completes during writes and contains everything acknowledged before it', async () => {
  const folder = await temporaryFolder()
  const env = { ALCOVE_DATA: join(folder, 'data'), ALCOVE_BOOTSTRAP_TOKEN: token }
  await mkdir(env.ALCOVE_DATA)
  const server = await startProcess({ env })
  const writers = startWriters(server, 4, 100)
  await expect.poll(() => writers.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(100)
  const before = [...writers.acknowledged]
  const target = join(folder, 'backup.sqlite3')
  const backup = await runProcess({ env, command: `backup ${target}` })
  const during = writers.acknowledged.length - before.length
  await writers.stop()

  expect(backup).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/ MiB in \S+ s, checked/) })
  expect(during).toBeGreaterThan(0)
  expect((await readdir(folder)).filter((name) => name.startsWith('backup'))).toEqual(['backup.sqlite3'])
  expect(await server.stop()).toMatchObject({ code: 0 })
  const again = await runProcess({ env, command: `backup ${target}` })
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') })

  const restored = join(folder, 'restored')
  await mkdir(restored)
  await rename(target, join(restored, 'alcove.sqlite3'))
  const copy = { ...env, ALCOVE_DATA: restored }
  expect(await runProcess({ env: copy, command: 'doctor' })).toMatchObject({ code: 0, stderr: '' })
  const second = await startProcess({ env: copy })
  const there = await topicsOf(second)
  expect(before.filter((name) => !there.has(name))).toEqual([])
})

test('a backup of a stopped server is complete, and invalid targets are rejected', async () => {
  const folder = await temporaryFolder()
  const env = { ALCOVE_DATA: folder, ALCOVE_BOOTSTRAP_TOKEN: token }
  expect(await runProcess({ env, command: 'backup x' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no database'),
  })
  const server = await startProcess({ env })
  const writers = startWriters(server, 1)
  await expect.poll(() => writers.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(3)
  // Its commits are only in the log.
  await server.kill()
  await writers.stop()
  const target = join(folder, 'backup.sqlite3')
  expect(await runProcess({ env, command: `backup ${target}` })).toMatchObject({ code: 0, stderr: '' })
  expect(await runProcess({ env, command: 'backup' })).toMatchObject({ code: 2 })
  await writeFile(`${join(folder, 'other')}.incomplete`, '')
  expect(await runProcess({ env, command: `backup ${join(folder, 'other')}` })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('left from a backup that did not end'),
  })
  const postgres = { ...env, ALCOVE_DATABASE_URL: 'postgres://127.0.0.1:1/none' }
  expect(await runProcess({ env: postgres, command: 'backup x' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('use pg_dump'),
  })
  await rename(target, join(folder, 'copied'))
  const restored = join(folder, 'restored')
  await mkdir(restored)
  await rename(join(folder, 'copied'), join(restored, 'alcove.sqlite3'))
  const second = await startProcess({ env: { ...env, ALCOVE_DATA: restored } })
  const there = await topicsOf(second)
  expect(writers.acknowledged.filter((name) => !there.has(name))).toEqual([])
})

/** Creates topics concurrently until it is stopped. Returns the acknowledged ones. */
/** Starts clients that write as fast as the server responds, and at most at this rate together. */
function startWriters({ url }: ServerProcess, count: number, perSecond = Number.POSITIVE_INFINITY) {
  const startedAt = performance.now()
  const acknowledged: string[] = []
  let isOver = false
  let names = 0
  const work = async () => {
    while (!isOver) {
      const name = `topic-${++names}`
      const dueInMs = startedAt + (names * 1000) / perSecond - performance.now()
      if (dueInMs > 0) await setTimeout(dueInMs)
      const body = new URLSearchParams({ name, title: name })
      const headers = { 'private-token': token }
      const reply = await fetch(`${url}/api/v4/topics`, { method: 'POST', headers, body }).catch(() => undefined)
      if (!reply) return
      await reply.arrayBuffer().catch(() => {})
      if (reply.status === 201) acknowledged.push(name)
    }
  }
  const working = Array.from({ length: count }, work)
  return {
    acknowledged,
    async stop() {
      isOver = true
      await Promise.all(working)
    },
  }
}

async function topicsOf({ url }: ServerProcess): Promise<Set<string>> {
  const names = new Set<string>()
  for (let page = 1; ; page++) {
    const reply = await fetch(`${url}/api/v4/topics?per_page=100&page=${page}`, { headers: { 'private-token': token } })
    const topics = (await reply.json()) as { name: string }[]
    for (const { name } of topics) names.add(name)
    if (topics.length < 100) return names
  }
}
