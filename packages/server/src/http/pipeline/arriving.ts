import type { IncomingMessage } from 'node:http'
import { Failure, parameterProblem } from '../../platform/failure.ts'
import { tellToGoOn } from './expectations.ts'

/** The bytes of a request, one reader at a time. */
export interface Arriving {
  /** The next bytes, small chunks put together; `undefined` after the last. */
  next(): Promise<Buffer | undefined>
  /** Ends the reading and rejects a pending `next`. Leaves the socket open, because the response goes through it. */
  stop(): void
}

/** The least that a client must send in each window while the server waits for it. */
export interface Pace {
  windowMs: number
  bytes: number
}

/** For bodies that are held in memory: 1 KiB a second. */
export const memoryPace: Pace = { windowMs: 30_000, bytes: 30 * 1024 }
/** For files, which are stored while they arrive: 256 bytes a second. */
export const filePace: Pace = { windowMs: 120_000, bytes: 30 * 1024 }

/** Bounds for a reader that is slower than the network. */
const maxHeldBytes = 256 * 1024
const maxHeldChunks = 1024
/** Chunks are put together up to this size, so the cost of a chunk is paid once for many small ones. */
const mergedBytes = 16 * 1024
/** A client may send this many chunks of any size; beyond that they must hold 4 bytes on average. */
const freeChunks = 4096
const minMeanChunkBytes = 4

/** Reads by events: the iterator of a stream copies what it returns whenever two chunks have arrived. */
export function openArriving(raw: IncomingMessage, pace: Pace, endedTooEarly: () => Failure): Arriving {
  const held: Buffer[] = []
  let heldBytes = 0
  let chunks = 0
  let bytes = 0
  let bytesBefore = 0
  let hasEnded = raw.readableEnded
  let failure: (() => Failure) | undefined
  let wake = () => {}

  const onData = (chunk: Buffer) => {
    chunks += 1
    bytes += chunk.length
    held.push(chunk)
    heldBytes += chunk.length
    if (chunks > freeChunks + bytes / minMeanChunkBytes) return fail(tooManyChunks)
    if (heldBytes >= maxHeldBytes || held.length >= maxHeldChunks) raw.pause()
    wake()
  }
  const onEnd = () => {
    hasEnded = true
    stopListening()
    wake()
  }
  const onBroken = () => {
    if (!hasEnded) failure ??= endedTooEarly
    stopListening()
    wake()
  }
  // A client that the server holds back is not slow.
  const watch = setInterval(() => {
    if (!raw.isPaused() && bytes - bytesBefore < pace.bytes) return fail(tooSlow)
    bytesBefore = bytes
  }, pace.windowMs).unref()

  if (raw.destroyed) onBroken()
  raw.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  if (hasEnded || failure) stopListening()
  tellToGoOn(raw)

  return {
    async next() {
      while (held.length === 0) {
        if (failure) throw failure()
        if (hasEnded) return undefined
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const piece = takeHeld()
      if (raw.isPaused() && heldBytes < maxHeldBytes / 2 && held.length < maxHeldChunks / 2) raw.resume()
      return piece
    },

    stop() {
      stopListening()
      held.length = 0
      if (!hasEnded) failure ??= endedTooEarly
      wake()
    },
  }

  function fail(why: () => Failure): void {
    failure ??= why
    stopListening()
    held.length = 0
    wake()
  }

  function stopListening(): void {
    clearInterval(watch)
    raw.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
  }

  function takeHeld(): Buffer | undefined {
    let count = 0
    let size = 0
    for (const chunk of held) {
      if (count > 0 && size + chunk.length > mergedBytes) break
      count += 1
      size += chunk.length
    }
    heldBytes -= size
    return count === 1 ? held.shift() : Buffer.concat(held.splice(0, count), size)
  }
}

const tooManyChunks = () => parameterProblem('the request body arrives in too many small chunks')
const tooSlow = () => new Failure({ kind: 'too-slow' })
