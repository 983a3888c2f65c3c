import { createHash } from 'node:crypto'
import { finished, pipeline, type Readable, Transform } from 'node:stream'
import { tooLarge } from '../failure.ts'
import type { ObjectStore, ReceivedFile } from './objects.ts'

export interface ReceiveOptions {
  /** As the client sent it. */
  filename: string
  /** A file of exactly this size is still accepted. */
  maxBytes: number
  newKey(): string
  /**
   * What is stored instead of what arrives, chosen by its first bytes (all 4,100, if there are as many). It fails with
   * the body it is given, and destroys it when it is destroyed. The limit counts what arrives, the rest what is stored.
   */
  transform?(head: Uint8Array, body: Readable): Readable
}

const headBytes = 4100

/** Room for a few of the chunks that a socket gives: with less, every one of them stops the flow. */
const inOneGo = { highWaterMark: 128 * 1024 }

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
  const arriving = limited(options.maxBytes)
  const meter = openMeter()
  for (const stream of [body, arriving, meter.stream]) {
    stream.on('error', () => {}) // the store throws it; unheard by anybody it would end the process
  }
  // `pipe` passes on bytes and the end, but not a failure.
  const stopWatching = finished(body, { writable: false }, (error) => {
    if (error) arriving.destroy(error)
  })
  body.pipe(arriving)
  connect(arriving, meter.stream, options.transform)
  try {
    await objects.put(key, meter.stream)
  } finally {
    stopWatching()
    body.unpipe(arriving)
    arriving.destroy()
    meter.stream.destroy()
  }
  return { key, filename: options.filename, ...meter.read(), kept: false }
}

function limited(maxBytes: number): Transform {
  let left = maxBytes
  return new Transform({
    ...inOneGo,
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      if (left < 0) done(tooLarge())
      else done(null, chunk)
    },
  })
}

/** Tells in the end what went through. */
function openMeter(): { stream: Transform; read(): Pick<ReceivedFile, 'bytes' | 'sha256' | 'head'> } {
  const hash = createHash('sha256')
  const head = Buffer.alloc(headBytes)
  let bytes = 0
  const stream = new Transform({
    ...inOneGo,
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      if (bytes < headBytes) chunk.copy(head, bytes)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  return {
    stream,
    read: () => ({ bytes, sha256: hash.digest('hex'), head: head.subarray(0, Math.min(bytes, headBytes)) }),
  }
}

/** Everything from here on fails together, whoever fails first. */
function connect(arriving: Readable, meter: Transform, transform: ReceiveOptions['transform']): void {
  arriving.once('error', (error) => meter.destroy(error))
  if (!transform) {
    pipeline(arriving, meter, () => {})
    return
  }
  const look = () => {
    const head: Buffer | null = arriving.read(headBytes) // fewer only at the end
    if (!head) return
    arriving.off('readable', look).off('end', endEmpty)
    arriving.unshift(head)
    pipeline(transform(head, arriving), meter, () => {})
  }
  const endEmpty = () => void meter.end()
  arriving.on('readable', look).once('end', endEmpty)
}
