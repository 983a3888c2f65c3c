import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { tooLarge } from '../failure.ts'
import { type Bytes, type ChunkIterator, iterateChunks, startingWith, suppressUnhandledError } from './bytes.ts'
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
  const meter = openMeter()
  const stored = meter.measured(limited(body, options.maxBytes), options.transform)
  try {
    await objects.put(key, stored)
  } finally {
    // The store may have stopped early. Then a pending read of the body ends when the body does.
    stored.return().catch(() => {})
  }
  return { key, filename: options.filename, ...meter.read(), kept: false }
}

/** Iterates over the body and throws `tooLarge` beyond the limit. An early exit does not destroy the body. */
function limited(body: Bytes, maxBytes: number): ChunkIterator {
  const iterable: AsyncIterable<Buffer> = body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : body
  const chunks = iterable[Symbol.asyncIterator]()
  let left = maxBytes
  const release = async () => chunks.return?.()
  return iterateChunks(async () => {
    const next = await chunks.next()
    if (next.done) return next
    left -= next.value.length
    if (left >= 0) return next
    await release()
    throw tooLarge()
  }, release)
}

/** Transforms the content, and measures size, hash and first bytes of what is stored. */
function openMeter() {
  const hash = createHash('sha256')
  const first: Buffer[] = []
  let bytes = 0
  return {
    measured(body: ChunkIterator, transform?: Transform) {
      let chunks: AsyncIterator<Buffer> | undefined
      return iterateChunks(
        async () => {
          chunks ??= (transform ? await transformed(body, transform) : body)[Symbol.asyncIterator]()
          const next = await chunks.next()
          if (next.done) return next
          const chunk = next.value
          hash.update(chunk)
          // Copied, because a slice would keep its whole chunk in memory.
          if (bytes < headBytes && chunk.length > 0) first.push(Buffer.from(chunk.subarray(0, headBytes - bytes)))
          bytes += chunk.length
          return next
        },
        async () => (chunks ?? body).return?.(),
      )
    },
    read: (): Pick<ReceivedFile, 'bytes' | 'sha256' | 'head'> => ({
      bytes,
      sha256: hash.digest('hex'),
      head: joined(first),
    }),
  }
}

type Transform = NonNullable<ReceiveOptions['transform']>

/** Returns the transformed content. An empty body is returned unchanged. */
async function transformed(body: ChunkIterator, transform: Transform): Promise<Bytes> {
  const first: Buffer[] = []
  let bytes = 0
  while (bytes < headBytes) {
    const { value: chunk } = await body.next()
    if (!chunk) break
    first.push(chunk)
    bytes += chunk.length
  }
  if (bytes === 0) return body
  const head = joined(first)
  return transform(head.subarray(0, headBytes), startingWith(head, body))
}

/** Concatenates chunks. Returns a single chunk as it is. */
function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}
