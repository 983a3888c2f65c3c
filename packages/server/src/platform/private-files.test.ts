import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { closeDataFolder } from './private-files.ts'

test('permissions of the data folder, database and objects are restricted to the owner', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-modes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await chmod(folder, 0o755)
  await mkdir(join(folder, 'objects'))
  await chmod(join(folder, 'objects'), 0o755)
  await writeFile(join(folder, 'alcove.sqlite3'), '')
  await chmod(join(folder, 'alcove.sqlite3'), 0o644)

  await closeDataFolder(folder, pino({ level: 'silent' }))

  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
  expect(await modeOf(folder)).toBe('700')
  expect(await modeOf(join(folder, 'objects'))).toBe('700')
  expect(await modeOf(join(folder, 'alcove.sqlite3'))).toBe('600')
})
