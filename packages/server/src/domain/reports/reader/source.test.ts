import { expect, test } from 'vitest'
import { copies } from './source.ts'

test('chunks are copied and split into chunks of at most 128 KiB', async () => {
  const chunk = Buffer.alloc(300 * 1024, 'report')
  const content = Buffer.from(chunk)
  async function* chunks() {
    yield* [chunk, Buffer.from('end'), Buffer.alloc(0)]
  }
  const copied: Uint8Array[] = []
  for await (const chunk of copies(chunks())) copied.push(chunk)
  chunk.fill(0)
  expect(copied.map(({ length }) => length)).toEqual([128 * 1024, 128 * 1024, 44 * 1024, 3])
  expect(Buffer.concat(copied).equals(Buffer.concat([content, Buffer.from('end')]))).toBe(true)
})
