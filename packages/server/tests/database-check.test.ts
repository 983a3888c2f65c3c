import { execFileSync } from 'node:child_process'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectSqlite } from '../src/db/sqlite/drivers.ts'
import { runProcess, startProcess, temporaryFolder } from './process.ts'

test('a start after a clean stop does not wait for the check, and damage found later ends the process', async () => {
  const folder = await temporaryFolder()
  const env = { ALCOVE_DATA: folder }
  const file = join(folder, 'alcove.sqlite3')
  await (await startProcess({ env })).stop()
  fill(file)
  const checked = await startProcess({ env })
  expect(checked.stdout).not.toContain('is checked while the server runs')
  await checked.stop()
  await damageLastPages(file)

  const served = await runProcess({ env })
  expect(served).toMatchObject({ code: 1, stderr: '' })
  expect(served.stdout).toMatch(
    /Alcove serves .*is checked while the server runs.*the database is damaged.*the storage of the database failed/s,
  )
  const refused = await runProcess({ env })
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^alcove: the database is damaged \(.*restore a backup/),
  })
})

/** Adds 8 MB of rows at the end of the file. */
function fill(file: string): void {
  const database = connectSqlite(file, { timeoutMs: 5_000 })
  database.exec(`create table filler (n integer primary key, text text);
    with recursive number (n) as (select 1 union all select n + 1 from number where n < 8000)
    insert into filler select n, hex(zeroblob(500)) from number`)
  database.close()
}

/** Overwrites pages as a bad disk would: the modification time of the file stays the same. */
async function damageLastPages(path: string): Promise<void> {
  const { size, mtimeNs } = await stat(path, { bigint: true })
  const file = await open(path, 'r+')
  for (let page = 2; page < 10; page++) await file.write(Buffer.alloc(4096, 'x'), 0, 4096, Number(size) - page * 4096)
  await file.close()
  execFileSync('touch', ['-d', `@${mtimeNs / 1_000_000_000n}.${`${mtimeNs % 1_000_000_000n}`.padStart(9, '0')}`, path])
}
