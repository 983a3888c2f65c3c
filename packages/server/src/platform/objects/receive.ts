import { createHash } from 'node:crypto'
import { finished, type Readable, Transform } from 'node:stream'
import { tooLarge } from '../failure.ts'
import type { ObjectStore, ReceivedFile } from './objects.ts'

export interface ReceiveOptions {
  /** As the client sent it. */
  filename: string
  /** A file of exactly this size is still accepted. */
  maxBytes: number
  newKey(): string
}

const headBytes = 4100

/**
 * Stores a file under a new key while it arrives: the one way in for every door. Throws `tooLarge` as soon as the limit
 * is passed, the body's own error when it fails, the store's when it cannot store; then nothing is left in the store.
 *
 * On failure the body is let go, neither drained nor destroyed: whoever opened it does that.
 */
export async function receiveFile(
  objects: ObjectStore,
  body: Readable,
  options: ReceiveOptions,
): Promise<ReceivedFile> {
  const key = options.newKey()
  const hash = createHash('sha256')
  const head = Buffer.alloc(headBytes)
  let bytes = 0

  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (bytes + chunk.length > options.maxBytes) return done(tooLarge())
      hash.update(chunk)
      if (bytes < headBytes) chunk.copy(head, bytes)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  meter.on('error', () => {}) // the store throws it; unheard by anybody it would end the process
  body.on('error', () => {}) // the same, after it has been let go
  // `pipe` passes on bytes and the end, but not a failure.
  const stopWatching = finished(body, { writable: false }, (error) => {
    if (error) meter.destroy(error)
  })
  body.pipe(meter)
  try {
    await objects.put(key, meter)
  } finally {
    stopWatching()
    body.unpipe(meter)
    meter.destroy()
  }

  return {
    key,
    filename: options.filename,
    bytes,
    sha256: hash.digest('hex'),
    head: head.subarray(0, Math.min(bytes, headBytes)),
    kept: false,
  }
}
