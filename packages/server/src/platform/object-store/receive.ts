import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { tooLarge } from '../failure.ts'
import { type Bytes, suppressUnhandledError } from './bytes.ts'
import type { ObjectStore, ReceivedFile } from './objects.ts'

export interface ReceiveOptions {
  /** Filename as sent by the client. */
  filename: string
  /** Maximum size, inclusive. */
  maxBytes: number
  newKey(): string
  /**
   * Returns the content to store instead of the received one, chosen by its first bytes (up to 4,100). The result fails
   * when its input fails, and releases its input when it is released. The size limit applies to the received content;
   * recorded size and hash to the stored one.
   */
  transform?(head: Uint8Array, body: AsyncIterable<Buffer>): Bytes
}

const headBytes = 4100

/**
 * Stores a file under a new key while it is received; all routes that receive files use this function. Throws
 * `tooLarge` as soon as the limit is exceeded, and errors of the body or store. In each case nothing remains in the
 * store.
 * On failure the body is neither read to its end nor destroyed; that is up to the caller. No streams are involved,
 * because each would cost as much as hashing.
 */
export async function receiveFile(objects: ObjectStore, body: Bytes, options: ReceiveOptions): Promise<ReceivedFile> {
  suppressUnhandledError(body)
  const key = options.newKey()
  const arriving = limited(borrowed(body), options.maxBytes)
  const meter = openMeter()
  const stored = meter.measured(options.transform ? transformed(arriving, options.transform) : arriving)
  try {
    await objects.put(key, stored)
  } finally {
    // The store may have stopped early. Then a pending read of the body ends when the body does.
    stored.return().catch(() => {})
  }
  return { key, filename: options.filename, ...meter.read(), kept: false }
}

/** Iterates over the body without destroying it on an early exit. */
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

/** Measures size, hash and first bytes of the content passed through. */
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

/** Applies the transformation. Empty files are not transformed. */
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
