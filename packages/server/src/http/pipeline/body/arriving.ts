import type { Readable } from 'node:stream'
import { Failure, parameterProblem } from '../../../platform/failure.ts'
import { sendContinue } from './expectations.ts'

/** Reader for the body of a request. Supports one reader at a time. */
export interface Arriving {
  /** Returns the next bytes, with small chunks merged, or `undefined` at the end. */
  next(): Promise<Buffer | undefined>
  /** Stops reading and rejects a pending `next`. Keeps the socket open for the response. */
  stop(): void
}

/** Minimum number of bytes that a client must send in each time window while the server reads. */
export interface Pace {
  windowMs: number
  bytes: number
}

/** Pace for bodies that are held in memory: 1 KiB per second. */
export const memoryPace: Pace = { windowMs: 30_000, bytes: 30 * 1024 }
/** Pace for files, which are stored while they arrive: 256 bytes per second. */
export const filePace: Pace = { windowMs: 120_000, bytes: 30 * 1024 }

/** Limits of the buffer when the reader is slower than the network. */
const maxHeldBytes = 256 * 1024
const maxHeldChunks = 1024
/** Maximum size of merged chunks. Merging reduces the overhead of many small chunks. */
const mergedBytes = 16 * 1024
/** Number of chunks that may have any size. More chunks must have an average of 4 bytes. */
const freeChunks = 4096
const minMeanChunkBytes = 4

/** Opens a body for reading. Uses events, because a stream's iterator copies the data when two chunks have arrived. */
export function openArriving(raw: Readable, pace: Pace, endedTooEarly: () => Failure): Arriving {
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
  // A client is not slow while the server has paused the request.
  const watch = setInterval(() => {
    if (!raw.isPaused() && bytes - bytesBefore < pace.bytes) return fail(tooSlow)
    bytesBefore = bytes
  }, pace.windowMs).unref()

  if (raw.destroyed) onBroken()
  raw.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  if (hasEnded || failure) stopListening()
  sendContinue(raw)

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
