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
 * The body must not change chunks after it has returned them, because the first bytes are not copied.
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

/**
 * Iterates over the body and throws `tooLarge` beyond the limit. An early exit does not destroy the body. Not a generator,
 * because that would await each chunk twice.
 */
function limited(body: Bytes, maxBytes: number): AsyncIterableIterator<Buffer> {
  const iterable: AsyncIterable<Buffer> = body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : body
  const chunks = iterable[Symbol.asyncIterator]()
  let left = maxBytes
  const end = async (): Promise<IteratorResult<Buffer>> => {
    await chunks.return?.()
    return { value: undefined, done: true }
  }
  return {
    async next() {
      const next = await chunks.next()
      left -= next.done ? 0 : next.value.length
      if (left >= 0) return next
      await end()
      throw tooLarge()
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Transforms the content, and measures size, hash and first bytes of what is stored. */
function openMeter() {
  const hash = createHash('sha256')
  const first: Buffer[] = []
  let bytes = 0
  return {
    async *measured(body: AsyncIterableIterator<Buffer>, transform?: Transform): AsyncGenerator<Buffer, void> {
      for await (const chunk of transform ? await transformed(body, transform) : body) {
        hash.update(chunk)
        if (bytes < headBytes && chunk.length > 0) first.push(chunk)
        bytes += chunk.length
        yield chunk
      }
    },
    read: (): Pick<ReceivedFile, 'bytes' | 'sha256' | 'head'> => ({
      bytes,
      sha256: hash.digest('hex'),
      head: joined(first).subarray(0, headBytes),
    }),
  }
}

type Transform = NonNullable<ReceiveOptions['transform']>

/** Returns the transformed content. An empty body is returned unchanged. */
async function transformed(body: AsyncIterableIterator<Buffer>, transform: Transform): Promise<Bytes> {
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

function startingWith(first: Buffer, rest: AsyncIterableIterator<Buffer>): AsyncIterableIterator<Buffer> {
  let isFirst = true
  return {
    next() {
      if (!isFirst) return rest.next()
      isFirst = false
      return Promise.resolve({ value: first, done: false })
    },
    return: () => rest.return?.() ?? Promise.resolve({ value: undefined, done: true }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
