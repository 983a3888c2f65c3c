import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { expect, onTestFinished, test } from 'vitest'
import { cacheBeside, loadCached } from './code-cache.ts'

interface Program {
  add(a: number, b: number): number
}

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-code-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'program.cjs')
  const cache = join(folder, 'cache/program.v8')
  await writeFile(file, '(function (exports) { exports.add = (a, b) => a + b })')
  return { folder, file, cache }
}

test('a program is compiled once and loaded from the cache afterwards', async () => {
  const { folder, file, cache } = await openFolder()
  const first = loadCached<Program>(file, folder)
  first.saveCache(folder)
  const { mtimeNs, size } = await stat(cache, { bigint: true })
  expect(size).toBeGreaterThan(32n)
  expect(await readdir(join(folder, 'cache'))).toEqual(['program.v8'])

  const second = loadCached<Program>(file, folder)
  expect(second.exports.add(2, 3)).toBe(5)
  second.saveCache(folder)
  expect((await stat(cache, { bigint: true })).mtimeNs).toBe(mtimeNs)
})

test('a cache beside the program is used, and none is written to the folder', async () => {
  const { folder, file, cache } = await openFolder()
  loadCached<Program>(file, folder).saveCache(folder)
  await rename(cache, cacheBeside(file))

  const program = loadCached<Program>(file, folder)
  program.saveCache(folder)
  expect(program.exports.add(2, 3)).toBe(5)
  expect(await readdir(join(folder, 'cache'))).toEqual([])
})

test('the cache in the folder is used when the one beside the program is of another program', async () => {
  const { folder, file, cache } = await openFolder()
  await writeFile(cacheBeside(file), 'damaged')
  loadCached<Program>(file, folder).saveCache(folder)
  const { mtimeNs } = await stat(cache, { bigint: true })

  loadCached<Program>(file, folder).saveCache(folder)
  expect((await stat(cache, { bigint: true })).mtimeNs).toBe(mtimeNs)
})

test('the cache in the folder is used when V8 has other flags than for the one beside the program', async () => {
  const { folder, file, cache } = await openFolder()
  setFlagsFromString('--no-opt')
  loadCached<Program>(file, folder).saveCache(folder)
  setFlagsFromString('--opt')
  await rename(cache, cacheBeside(file))

  loadCached<Program>(file, folder).saveCache(folder)
  const { mtimeNs } = await stat(cache, { bigint: true })
  loadCached<Program>(file, folder).saveCache(folder)
  expect((await stat(cache, { bigint: true })).mtimeNs).toBe(mtimeNs)
})

test('a changed program of the same length is compiled again', async () => {
  const { folder, file } = await openFolder()
  loadCached<Program>(file, folder).saveCache(folder)
  await writeFile(file, '(function (exports) { exports.add = (a, b) => a - b })')
  expect(loadCached<Program>(file, folder).exports.add(5, 3)).toBe(2)
})

test.each([
  ['shortened', (bytes: Buffer) => bytes.subarray(0, -8)],
  ['changed', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(8, 1)])],
  ['empty', () => Buffer.alloc(0)],
])('a cache that is %s is ignored and replaced', async (_name, damage) => {
  const { folder, file, cache } = await openFolder()
  loadCached<Program>(file, folder).saveCache(folder)
  const damaged = damage(await readFile(cache))
  await writeFile(cache, damaged)

  const program = loadCached<Program>(file, folder)
  expect(program.exports.add(2, 3)).toBe(5)
  program.saveCache(folder)
  expect((await readFile(cache)).equals(damaged)).toBe(false)
})

test('a folder that is missing or cannot be written does not stop the program and is not created', async () => {
  const { folder, file } = await openFolder()
  const program = loadCached<Program>(file, folder)
  program.saveCache(file)
  program.saveCache(join(folder, 'missing'))
  expect(await readdir(folder)).toEqual(['program.cjs'])
  expect(program.exports.add(2, 3)).toBe(5)
})
