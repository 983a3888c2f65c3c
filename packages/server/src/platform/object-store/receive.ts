import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { tooLarge } from '../failure.ts'
import { type Bytes, heardLater } from './bytes.ts'
import type { ObjectStore, ReceivedFile } from './objects.ts'

export interface ReceiveOptions {
  /** As the client sent it. */
  filename: string
  /** A file of exactly this size is still accepted. */
  maxBytes: number
  newKey(): string
  /**
   * What is stored instead of what arrives, chosen by its first bytes (all 4,100, if there are as many). It fails with
   * the body it is given, and lets go of it when it is let go itself. The limit counts what arrives, the rest what is
   * stored.
   */
  transform?(head: Uint8Array, body: AsyncIterable<Buffer>): Bytes
}

const headBytes = 4100

/**
 * Stores a file under a new key while it arrives: the one way in for every door. Throws `tooLarge` as soon as the limit
 * is passed, the body's own error when it fails, the store's when it cannot store; then nothing is left in the store.
 *
 * On failure the body is let go, neither drained nor destroyed: whoever opened it does that. There is no stream on the
 * way, because each would cost as much as hashing what goes through it.
 */
export async function receiveFile(objects: ObjectStore, body: Bytes, options: ReceiveOptions): Promise<ReceivedFile> {
  heardLater(body)
  const key = options.newKey()
  const arriving = limited(borrowed(body), options.maxBytes)
  const meter = openMeter()
  const stored = meter.measured(options.transform ? transformed(arriving, options.transform) : arriving)
  try {
    await objects.put(key, stored)
  } finally {
    // The store may have left in the middle. What is awaited from the body then ends when the body does.
    stored.return().catch(() => {})
  }
  return { key, filename: options.filename, ...meter.read(), kept: false }
}

/** Leaving early does not destroy it. */
function borrowed(body: Bytes): AsyncIterable<Buffer> {
  return body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : body
}

async function* limited(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let left = maxBytes
  for await (const chunk of body) {
    left -= chunk.length
    if (left < 0) throw tooLarge()
    yield chunk
  }
}

/** Tells in the end what went through. */
function openMeter() {
  const hash = createHash('sha256')
  const head = Buffer.alloc(headBytes)
  let bytes = 0
  return {
    async *measured(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
      for await (const chunk of body) {
        hash.update(chunk)
        if (bytes < headBytes) chunk.copy(head, bytes)
        bytes += chunk.length
        yield chunk
      }
    },
    read: (): Pick<ReceivedFile, 'bytes' | 'sha256' | 'head'> => ({
      bytes,
      sha256: hash.digest('hex'),
      head: head.subarray(0, Math.min(bytes, headBytes)),
    }),
  }
}

type Transform = NonNullable<ReceiveOptions['transform']>

/** Of a file without bytes nothing is chosen. */
async function* transformed(body: AsyncGenerator<Buffer, void>, transform: Transform): AsyncGenerator<Buffer, void> {
  const first: Buffer[] = []
  let bytes = 0
  while (bytes < headBytes) {
    const { value: chunk } = await body.next()
    if (!chunk) break
    first.push(chunk)
    bytes += chunk.length
  }
  if (bytes === 0) return
  const head = first.length === 1 && first[0] ? first[0] : Buffer.concat(first)
  yield* transform(head.subarray(0, headBytes), startingWith(head, body))
}

async function* startingWith(first: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield first
  yield* rest
}
