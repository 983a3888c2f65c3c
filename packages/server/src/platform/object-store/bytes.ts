import { Readable } from 'node:stream'

/** What is stored: a stream, or whatever gives buffers one after the other, which costs a fraction of it. */
export type Bytes = Readable | AsyncIterable<Buffer>

/** The error of a stream, which it may have before anybody reads it, is heard by whoever reads it then. */
export function heardLater(body: Bytes): void {
  if (body instanceof Readable) body.on('error', () => {})
}

/** Nobody reads it any more. */
export function letGo(body: Bytes): void {
  if (body instanceof Readable) body.destroy()
}

export function streamOf(body: Bytes): Readable {
  return body instanceof Readable ? body : Readable.from(body, { objectMode: false })
}
