import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, open as openFile, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../open.ts'
import { connectSqlite } from './drivers.ts'
import { checkInChildProcess } from './integrity.ts'

test('a child process checks a large database, and damage stops all writes', async () => {
  const file = await closedDatabase()
  await damage(file)

  const db = await open(file)
  expect(await db.check()).not.toEqual([])
  expect((await db.broken).message).toMatch(/^the database is damaged/)
  const outage = { cause: { kind: 'unavailable' } }
  await expect(db.run(sql`insert into things values (0, '')`)).rejects.toMatchObject(outage)
  await expect(db.ready()).rejects.toMatchObject(outage)
  await db.close()
  expect(await readFile(`${file}.position`, 'utf8')).not.toContain('closed')
})

test('the check of a large database can be deferred if the last process closed it without damage', async () => {
  const file = await newDatabase()
  const checked = await open(file)
  expect(checked.canDeferCheck).toBe(false)
  expect(await checked.check()).toEqual([])
  await checked.close()
  // A command that does not check the database leaves that unchanged.
  for (const _ of ['command', 'server']) {
    const db = await open(file)
    expect(db.canDeferCheck).toBe(true)
    await db.close()
  }
})

test('the check cannot be deferred after a kill, whichever commands run in between', async () => {
  const file = await closedDatabase()
  const killed = await open(file)
  const record = await readFile(`${file}.position`, 'utf8')
  expect(record).toMatch(/^alcove-position open /)
  await copyFile(`${file}.position`, `${file}.open`)
  await killed.close()
  await rename(`${file}.open`, `${file}.position`)
  for (const _ of ['command', 'server']) {
    const db = await open(file)
    expect(db.canDeferCheck).toBe(false)
    await db.close()
  }
})

test('the check cannot be deferred if another program changed or replaced the file', async () => {
  const changed = await closedDatabase()
  const other = connectSqlite(changed, { timeoutMs: 5_000 })
  other.exec('delete from things where n < 10')
  other.close()
  const replaced = await closedDatabase()
  await copyFile(replaced, `${replaced}.copy`)
  await rename(`${replaced}.copy`, replaced)
  for (const file of [changed, replaced]) {
    const db = await open(file)
    expect(db.canDeferCheck).toBe(false)
    await db.close()
  }
})

test('closing a database ends its check at once', async () => {
  const file = await endlessFile()
  const check = checkInChildProcess(file)
  await expect.poll(() => processesOf(file), processesStart).toHaveLength(1)
  await check.cancel()
  expect(processesOf(file)).toEqual([])
})

test('a check whose process is killed fails', async () => {
  const file = await endlessFile()
  const check = checkInChildProcess(file)
  await expect.poll(() => processesOf(file), processesStart).toHaveLength(1)
  for (const pid of processesOf(file)) process.kill(pid, 'SIGKILL')
  await expect(check.problems).rejects.toThrow('the process of the check ended with SIGKILL')
})

test('the next start waits for the check after one that was killed', async () => {
  const file = await closedDatabase()
  const db = await open(file)
  expect(db.canDeferCheck).toBe(true)
  const failed = expect(db.check()).rejects.toThrow('ended with SIGKILL')
  await expect.poll(() => processesOf(file), { ...processesStart, interval: 5 }).toHaveLength(1)
  for (const pid of processesOf(file)) process.kill(pid, 'SIGKILL')
  await failed
  await db.close()
  const next = await open(file)
  expect(next.canDeferCheck).toBe(false)
  await next.close()
})

test('a check with low priority does not raise the priority of a server that has a lower one', async () => {
  const file = await endlessFile()
  spawnCheck(file, '{ isLowPriority: true }', ['nice', '-n', '15'])
  await expect.poll(() => processesOf(file), processesStart).toHaveLength(1)
  const [pid = 0] = processesOf(file)
  // It becomes the first victim after it has changed its priority.
  const victim = () => readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim()
  await expect.poll(victim, processesStart).toBe('1000')
  expect(getPriority(pid)).toBe(15)
})

test('a check ends with its parent, even if that is killed', async () => {
  const file = await endlessFile()
  const parent = spawnCheck(file)
  await expect.poll(() => processesOf(file), processesStart).toHaveLength(1)
  parent.kill('SIGKILL')
  await expect.poll(() => processesOf(file), processesStart).toEqual([])
})

const processesStart = { timeout: 30_000, interval: 50 }

const open = (file: string) => openDatabase({ kind: 'sqlite', file })

async function newDatabase(): Promise<string> {
  const file = join(await folder(), 'alcove.db')
  const db = connectSqlite(file, { timeoutMs: 5_000 })
  db.exec(`create table things (n integer primary key, name text);
    with recursive number (n) as (select 1 union all select n + 1 from number where n < 5000)
    insert into things select n, hex(zeroblob(500)) from number`)
  db.close()
  return file
}

async function closedDatabase(): Promise<string> {
  const file = await newDatabase()
  const db = await open(file)
  await db.check()
  await db.close()
  return file
}

/** Overwrites a page as a bad disk would: the modification time of the file stays the same. */
async function damage(path: string): Promise<void> {
  const { size, mtimeNs } = await stat(path, { bigint: true })
  const file = await openFile(path, 'r+')
  await file.write(Buffer.alloc(4096, 'x'), 0, 4096, Number(size) / 2)
  await file.close()
  execFileSync('touch', ['-d', `@${mtimeNs / 1_000_000_000n}.${`${mtimeNs % 1_000_000_000n}`.padStart(9, '0')}`, path])
}

/** Creates a file that a check never finishes opening. */
async function endlessFile(): Promise<string> {
  const file = join(await folder(), 'endless.db')
  execFileSync('mkfifo', [file])
  return file
}

/** Starts a process that checks a file. */
function spawnCheck(file: string, options = '{}', [command = process.execPath, ...before]: readonly string[] = []) {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  const script = `import { checkInChildProcess } from '${new URL('./integrity.ts', import.meta.url)}'
    checkInChildProcess(process.env.CHECKED_FILE, ${options})`
  const own = ['--import', loader, '--input-type=module', '-e', script]
  const parent = spawn(command, [...before, ...(command === process.execPath ? [] : [process.execPath]), ...own], {
    env: { ...process.env, CHECKED_FILE: file },
    stdio: 'inherit',
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  return parent
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'alcove-integrity-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

/** Lists the processes that have the file among their arguments. */
function processesOf(file: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(file)
      } catch {
        return false
      }
    })
}
