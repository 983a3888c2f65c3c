import { fstatSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFileWriter } from './file-writer.ts'
import { openBufferPool } from './pieces.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-file-writer-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const bufferBytes = 512 * 1024
const sizes = [0, 1, bufferBytes - 1, bufferBytes, bufferBytes + 1, 2 * bufferBytes, 3 * bufferBytes + 7]

/** Writes a byte pattern from one chunk, which is overwritten after every write. Returns the path and the content. */
async function writeNumbered(name: string, bytes: number, chunkBytes: number, pool = openBufferPool()) {
  const path = join(folder, name)
  const content = Buffer.from(Array.from({ length: bytes }, (_, index) => index % 251))
  const chunk = Buffer.alloc(chunkBytes)
  const writer = openFileWriter(openSync(path, 'w'), pool)
  for (let at = 0; at < bytes; at += chunkBytes) {
    const length = content.copy(chunk, 0, at)
    await writer.write(chunk.subarray(0, length))
    chunk.fill(0xff)
  }
  await writer.finish()
  await writer.close()
  return { path, content }
}

test('a file has the bytes that were written, at sizes around that of a buffer', async () => {
  const pool = openBufferPool()
  const cases = fc.tuple(
    fc.constantFrom(...sizes),
    fc.oneof(fc.constantFrom(bufferBytes, 2 * bufferBytes), fc.integer({ min: 999, max: 99_999 })),
  )
  await fc.assert(
    fc.asyncProperty(cases, async ([bytes, chunkBytes]) => {
      const { path, content } = await writeNumbered('one', bytes, chunkBytes, pool)
      expect(await readFile(path)).toEqual(content)
    }),
    { numRuns: 30 },
  )
})

test('more files than the pool has buffers can be written at the same time', async () => {
  const pool = openBufferPool()
  const written = await Promise.all(
    Array.from({ length: 20 }, (_, number) => writeNumbered(`many-${number}`, 3 * bufferBytes + number, 60_000, pool)),
  )
  for (const { path, content } of written) expect(await readFile(path)).toEqual(content)
})

test('a failed write rejects; closing releases the descriptor and both buffers', async () => {
  const path = join(folder, 'read-only')
  await writeFile(path, 'unchanged')
  const file = openSync(path, 'r')
  const released: Buffer[] = []
  const pool = openBufferPool()
  const writer = openFileWriter(file, { ...pool, release: (buffer) => released.push(buffer) })

  await writer.write(Buffer.alloc(bufferBytes))
  await expect(writer.finish()).rejects.toThrow('EBADF')
  await writer.close()
  expect(released).toHaveLength(2)
  expect(() => fstatSync(file)).toThrow('EBADF')
  expect(await readFile(path, 'utf8')).toBe('unchanged')
})
