import type { Readable } from 'node:stream'
import type { ObjectStore, ReceivedFile } from './objects.ts'

/** Reads a received file that is small enough for memory. */
export async function readWhole(objects: ObjectStore, file: ReceivedFile): Promise<Uint8Array> {
  const stream = await objects.open(file.key)
  if (!stream) throw new Error('a received file is not in the object store')
  return readBytes(stream)
}

/** Reads a stream of bytes that is small enough for memory. */
export async function readBytes(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk) // streams of bytes yield buffers
  return Buffer.concat(chunks)
}
