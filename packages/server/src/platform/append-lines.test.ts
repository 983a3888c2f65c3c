import { appendFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { appendLines } from './append-lines.ts'

test('a new file is readable by its owner only', async () => {
  const path = join(await folder(), 'audit.jsonl')
  await appendLines(path, 'one\n')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('lines are appended', async () => {
  const path = join(await folder(), 'audit.jsonl')
  await appendLines(path, 'one\ntwo\n')
  await appendLines(path, 'three\n')
  expect(await readFile(path, 'utf8')).toBe('one\ntwo\nthree\n')
})

test('a line that was cut off is kept and ended, and the next lines are complete', async () => {
  const path = join(await folder(), 'audit.jsonl')
  await appendLines(path, '{"position":1}\n')
  await appendFile(path, '{"position":2,"na')
  await appendLines(path, '{"position":2,"name":"x"}\n')
  expect((await readFile(path, 'utf8')).split('\n')).toEqual([
    '{"position":1}',
    '{"position":2,"na',
    '{"position":2,"name":"x"}',
    '',
  ])
})

test('a renamed file is replaced by a new one', async () => {
  const path = join(await folder(), 'audit.jsonl')
  await appendLines(path, 'one\n')
  await rename(path, `${path}.1`)
  await appendLines(path, 'two\n')
  expect(await readFile(`${path}.1`, 'utf8')).toBe('one\n')
  expect(await readFile(path, 'utf8')).toBe('two\n')
})

test('a truncated file is continued from its beginning', async () => {
  const path = join(await folder(), 'audit.jsonl')
  await appendLines(path, 'one\n')
  await writeFile(path, '')
  await appendLines(path, 'two\n')
  expect(await readFile(path, 'utf8')).toBe('two\n')
})

test('a missing folder, a folder and a device are refused', async () => {
  const parent = await folder()
  await expect(appendLines(join(parent, 'missing', 'audit.jsonl'), 'one\n')).rejects.toThrow('ENOENT')
  await mkdir(join(parent, 'audit.jsonl'))
  await expect(appendLines(join(parent, 'audit.jsonl'), 'one\n')).rejects.toThrow('EISDIR')
  await expect(appendLines('/dev/null', 'one\n')).rejects.toThrow('/dev/null is not a regular file')
})

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'alcove-lines-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}
