import { Readable } from 'node:stream'

/** Content of an object: a stream, or any iterable of buffers, which is much cheaper. */
export type Bytes = Readable | AsyncIterable<Buffer>

/** Prevents an unhandled error event of a stream that is not being read yet. Later readers still receive the error. */
export function suppressUnhandledError(body: Bytes): void {
  if (body instanceof Readable) body.on('error', () => {})
}

/** Destroys a stream that will not be read any further. */
export function discard(body: Bytes): void {
  if (body instanceof Readable) body.destroy()
}

export function streamOf(body: Bytes): Readable {
  return body instanceof Readable ? body : Readable.from(body, { objectMode: false })
}

/** Iterator over chunks. Releasing it does not destroy a stream that it reads. */
export interface ChunkIterator extends AsyncIterableIterator<Buffer, undefined> {
  return(): Promise<IteratorReturnResult<undefined>>
}

type NextChunk = () => Promise<IteratorResult<Buffer, undefined>>

/**
 * Returns an iterator over chunks. Calls `release` when the consumer stops early. Costs less than an async generator, which
 * awaits each chunk twice and, when it is nested, is set up again on each call of its enclosing function. Unlike a
 * generator it does not queue concurrent calls, and `next` may be called after `return`.
 */
export function iterateChunks(next: NextChunk, release: () => Promise<unknown> = async () => {}): ChunkIterator {
  return new Chunks(next, release)
}

/** Returns an iterator over `first`, followed by the chunks of `rest`. */
export function startingWith(first: Buffer, rest: ChunkIterator): ChunkIterator {
  let isFirst = true
  const next: NextChunk = () => {
    if (!isFirst) return rest.next()
    isFirst = false
    return Promise.resolve({ value: first, done: false })
  }
  return iterateChunks(next, () => rest.return())
}

class Chunks implements ChunkIterator {
  readonly next: NextChunk
  private readonly release: () => Promise<unknown>

  constructor(next: NextChunk, release: () => Promise<unknown>) {
    this.next = next
    this.release = release
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.release()
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
