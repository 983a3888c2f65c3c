import { appendFile, cp, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { connectSqlite } from '../src/db/sqlite/drivers.ts'
import { runProcess, startProcess, temporaryFolder } from './process.ts'
import { startWriters, topicsOf } from './requests.ts'

const token = 'token-of-the-log-copies'

test('copies of the log recover the database as of any moment, and only later changes are lost', {
  timeout: 180_000,
}, async () => {
  const folder = await temporaryFolder()
  const env = { ALCOVE_DATA: join(folder, 'data'), ALCOVE_BOOTSTRAP_TOKEN: token }
  await mkdir(env.ALCOVE_DATA)
  let server = await startProcess({ env })
  const copies = await startCopies(join(env.ALCOVE_DATA, 'alcove.sqlite3'), join(folder, 'copies'))
  const before = startWriters(server, 4, 100)
  await expect.poll(() => before.acknowledged.length).toBeGreaterThan(100)
  const early = [...before.acknowledged]
  const moment = await copies.now()
  await expect.poll(() => before.acknowledged.length).toBeGreaterThan(200)
  await before.stop()

  // Neither a kill nor a stop of the server is disturbed by the program that copies the log.
  await server.kill()
  server = await startProcess({ env })
  const all = [...before.acknowledged]
  expect(missing(all, await topicsOf(server))).toEqual([])
  const backup = await runProcess({ env, command: `backup ${join(folder, 'backups')} --verify` })
  expect(backup).toMatchObject({ code: 0 })
  await server.stop()
  server = await startProcess({ env })
  const last = startWriters(server, 2, 100, 'last')
  await expect.poll(() => last.acknowledged.length).toBeGreaterThan(30)
  const covered = [...all, ...last.acknowledged]
  const end = await copies.now()
  await expect.poll(() => last.acknowledged.length).toBeGreaterThan(50)
  await server.kill()
  await last.stop()
  await copies.stop()
  await rm(env.ALCOVE_DATA, { recursive: true })
  expect(copies.restarts()).toBeGreaterThan(2)

  for (const [point, expected] of [
    [moment, early],
    [end, covered],
  ] as const) {
    const recovered = { ...env, ALCOVE_DATA: join(folder, `recovered-${expected.length}`) }
    await copies.recover(point, recovered.ALCOVE_DATA)
    const { code, stdout } = await runProcess({ env: recovered, command: 'doctor' })
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('no disagreement') })
    const copy = await startProcess({ env: recovered })
    const there = await topicsOf(copy)
    expect(missing(expected, there)).toEqual([])
    // What was acknowledged after the moment is the loss.
    const lost = missing([...all, ...last.acknowledged], there)
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.length).toBeLessThanOrEqual(all.length + last.acknowledged.length - expected.length)
    await copy.stop()
  }
})

const missing = (names: readonly string[], there: ReadonlySet<string>) => names.filter((name) => !there.has(name))

const logHeaderBytes = 32
const frameHeaderBytes = 24

/** Place in the copies: a copy of the database, and the part of its log that was there. */
interface Point {
  generation: number
  logBytes: number
}

/**
 * Copies a database and its log as Litestream does: from another process, with tables of its own, a read transaction that
 * keeps others from restarting the log, and checkpoints that restart it. The test process is that other process.
 */
async function startCopies(file: string, folder: string) {
  await mkdir(folder)
  const [reader, writer] = [connectSqlite(file, { timeoutMs: 5_000 }), connectSqlite(file, { timeoutMs: 5_000 })]
  // Open until the end, because closing a file releases all locks of the process on it.
  const database = await open(file)
  onTestFinished(async () => {
    for (const connection of [reader, writer]) connection.close()
    await database.close()
  })
  writer.pragma('wal_autocheckpoint = 0')
  writer.exec('create table _litestream_seq (id integer primary key, seq integer)')
  writer.exec('create table _litestream_lock (id integer)')
  const pageBytes = Number(writer.pragma('page_size')[0])
  let generation = 0
  let copied = 0
  let isOver = false

  const copyDatabase = async () => {
    // Without a commit the log may be empty.
    writer.exec('insert into _litestream_seq values (1, 1) on conflict (id) do update set seq = seq + 1')
    reader.exec('begin')
    reader.prepare('select count(*) from _litestream_seq').first([])
    generation++
    copied = 0
    // The log has every page that a checkpoint writes meanwhile.
    const content = Buffer.alloc((await database.stat()).size)
    await database.read(content, 0, content.length, 0)
    await writeFile(join(folder, `${generation}`), content)
  }
  const copyLog = async () => {
    const log = await open(`${file}-wal`)
    // A restarted log keeps its size, and is overwritten from its beginning.
    const [, frames] = writer.prepare('pragma wal_checkpoint(noop)').first([]) ?? []
    const added = Buffer.alloc(logHeaderBytes + Number(frames) * (frameHeaderBytes + pageBytes) - copied)
    await log.read(added, 0, added.length, copied)
    await log.close()
    await appendFile(join(folder, `${generation}-wal`), added)
    copied += added.length
  }
  const restartLog = async () => {
    reader.exec('rollback')
    writer.pragma('wal_checkpoint(restart)')
    await copyDatabase()
  }

  await copyDatabase()
  let inTurn = Promise.resolve()
  const turn = (work: () => Promise<void>) => {
    inTurn = inTurn.then(work)
    return inTurn
  }
  const copying = (async () => {
    for (let round = 1; !isOver; round++) {
      await turn(round % 20 === 0 ? restartLog : copyLog)
      await setTimeout(50)
    }
  })()

  return {
    restarts: () => generation - 1,
    async now(): Promise<Point> {
      await turn(copyLog)
      return { generation, logBytes: copied }
    },
    async stop() {
      isOver = true
      await copying
      reader.exec('rollback')
    },
    async recover(point: Point, target: string) {
      await mkdir(target)
      await cp(join(folder, `${point.generation}`), join(target, 'alcove.sqlite3'))
      const log = (await readFile(join(folder, `${point.generation}-wal`))).subarray(0, point.logBytes)
      await appendFile(join(target, 'alcove.sqlite3-wal'), log)
    },
  }
}
