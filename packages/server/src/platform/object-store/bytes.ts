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
