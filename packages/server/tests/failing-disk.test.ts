import { open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formWithFile } from '../src/testing/client.ts'
import { runProcess, startProcess, temporaryFolder } from './process.ts'

const token = 'token-of-the-failing-disk'

test('after a failed sync no write is acknowledged, the process exits, and the next start has every acknowledged write', async () => {
  const disk = await failingDisk()
  const server = await startProcess({ env: disk.env })
  expect((await post(server.url, '/topics', 'before'))[0]).toBe(201)
  await disk.fail()

  const after = await Promise.all(['a', 'b', 'c'].map((name) => post(server.url, '/topics', name)))
  expect(after.map(([status]) => status)).toEqual([503, 503, 503])
  const { code, stdout } = await server.ended
  expect(code).toBe(1)
  expect(stdout).toContain('the storage of the database failed')
  // What may not be on the disk was not copied into the database on the way out.
  expect((await stat(join(disk.folder, 'alcove.sqlite3-wal'))).size).toBeGreaterThan(0)

  await disk.repair()
  const again = await startProcess({ env: disk.env })
  expect((await post(again.url, '/topics', 'after'))[0]).toBe(201)
  const listed = await fetch(`${again.url}/api/v4/topics`, { headers: { 'private-token': token } })
  expect((await listed.json()).map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['before', 'after']),
  )
  expect(await again.stop()).toMatchObject({ code: 0 })
})

test('an upload whose file cannot be synced fails and stores nothing', async () => {
  const disk = await failingDisk()
  const server = await startProcess({ env: disk.env })
  const [, project] = await post(server.url, '/projects', 'disk')
  const upload = async () => {
    const body = formWithFile('file', 'a.bin', Buffer.alloc(100_000, 'a'))
    const headers = { 'private-token': token, connection: 'close' }
    const path = `${server.url}/api/v4/projects/${project.id}/uploads`
    return (await fetch(path, { method: 'POST', headers, body })).status
  }
  expect(await upload()).toBe(201)
  await disk.fail()
  // The object fails before the database is written to, which then has nothing to lose.
  expect([await upload(), await upload()]).toEqual([503, 503])
  await disk.repair()
  expect(await upload()).toBe(201)
  expect(await server.stop()).toMatchObject({ code: 0 })
  const doctor = await runProcess({ env: disk.env, command: 'doctor' })
  expect(doctor.stdout).toContain('2 files and 2 objects examined: no disagreement.')
})

test('the start rejects a damaged database, and the doctor reports it', async () => {
  const disk = await failingDisk()
  const server = await startProcess({ env: disk.env })
  expect((await post(server.url, '/topics', 'before'))[0]).toBe(201)
  await server.stop()
  const file = join(disk.folder, 'alcove.sqlite3')
  const pageCount = (await stat(file)).size / 4096
  for (const firstPage of [pageCount - 1, 2]) {
    const database = await open(file, 'r+')
    for (let page = firstPage; page < pageCount; page++)
      await database.write(Buffer.alloc(4096, 'x'), 0, 4096, page * 4096)
    await database.close()
    const [start, doctor] = [
      await runProcess({ env: disk.env }),
      await runProcess({ env: disk.env, command: 'doctor' }),
    ]
    for (const ended of [start, doctor])
      expect(ended).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^alcove: the database is damaged \(.*restore a backup/),
      })
  }
})

test('the start rejects a damaged WAL until the operator accepts the loss', async () => {
  const disk = await failingDisk()
  const server = await startProcess({ env: disk.env })
  for (const name of ['one', 'two', 'three']) expect((await post(server.url, '/topics', name))[0]).toBe(201)
  const log = join(disk.folder, 'alcove.sqlite3-wal')
  // The position is recorded after the response; until then the record does not cover the part that is cut off.
  await expect
    .poll(async () => ((await recordedFrames(disk.folder)) ?? 0) * frameBytes)
    .toBeGreaterThan((await stat(log)).size / 2)
  await server.kill()
  await truncate(log, Math.floor((await stat(log)).size / 2))

  const start = await runProcess({ env: disk.env })
  expect(start).toMatchObject({ code: 1, stderr: expect.stringContaining('alcove doctor --accept-loss') })
  expect(await runProcess({ env: disk.env, command: 'doctor' })).toMatchObject({ code: 1, stderr: start.stderr })
  expect(await runProcess({ env: disk.env, command: 'migrate' })).toMatchObject({ code: 1, stderr: start.stderr })

  const accepted = await runProcess({ env: disk.env, command: 'doctor --accept-loss' })
  expect(accepted.stderr).not.toContain('damaged')
  expect((await stat(`${log}.damaged`)).size).toBeGreaterThan(0)
})

/** Size of a page in the log with its header. */
const frameBytes = 24 + 4096

/** Returns the number of frames before the recorded position; `undefined` if none is recorded. */
async function recordedFrames(folder: string): Promise<number | undefined> {
  const words = (await readFile(join(folder, 'alcove.sqlite3.position'), 'utf8')).trim().split(' ')
  return words.length === 9 ? Number(words[3]) : undefined
}

/** A data folder whose syncs fail while a file says so; files are synced with `fdatasync`, folders with `fsync`. */
async function failingDisk() {
  const folder = await temporaryFolder()
  const flag = join(folder, 'failing')
  const preload = join(folder, 'failing-sync.mjs')
  await writeFile(
    preload,
    `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { fdatasync } = fs
    const failure = () => Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    fs.fdatasync = (file, done) =>
      fs.existsSync(${JSON.stringify(flag)}) ? setImmediate(done, failure()) : fdatasync(file, done)
    syncBuiltinESMExports()`,
  )
  return {
    folder,
    env: { ALCOVE_DATA: folder, ALCOVE_BOOTSTRAP_TOKEN: token, NODE_OPTIONS: `--import=${preload}` },
    fail: () => writeFile(flag, ''),
    repair: () => rm(flag),
  }
}

async function post(url: string, path: string, name: string) {
  const reply = await fetch(`${url}/api/v4${path}`, {
    method: 'POST',
    headers: { 'private-token': token, connection: 'close' },
    body: new URLSearchParams({ name, title: name }),
  })
  return [reply.status, await reply.json()] as const
}
