import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../open.ts'

test.runIf(process.platform === 'linux')('work without the memory map has no pages of the file in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-mapped-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'alcove.db')
  const written = await openDatabase({ kind: 'sqlite', file })
  await written.run(sql`create table things (n integer primary key, name text)`)
  await written.run(sql`
    with recursive number (n) as (select 1 union all select n + 1 from number where n < 20000)
    insert into things select n, hex(zeroblob(200)) from number`)
  await written.close()

  const db = await openDatabase({ kind: 'sqlite', file })
  const read = () => db.one(sql`select sum(length(name)) as total from things`)
  await read()
  expect(await mappedKib(file)).toBeGreaterThan(4_000)
  await db.withoutMemoryMap(async () => {
    expect(await read()).toEqual({ total: 8_000_000 })
    expect(await mappedKib(file)).toBe(0)
  })
  await read()
  expect(await mappedKib(file)).toBeGreaterThan(4_000)
  await db.close()
})

/** Returns the resident memory of a mapped file. */
async function mappedKib(file: string): Promise<number> {
  const maps = (await readFile('/proc/self/smaps', 'utf8')).split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
  return maps
    .filter((map) => map.split('\n', 1)[0]?.endsWith(` ${file}`))
    .reduce((sum, map) => sum + Number(/^Rss:\s+(\d+) kB/m.exec(map)?.[1]), 0)
}
