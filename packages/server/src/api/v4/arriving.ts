import type { IncomingMessage } from 'node:http'
import type { Failure } from '../../platform/failure.ts'
import { tellToGoOn } from './expectations.ts'

/** The bytes of a request, one reader at a time. */
export interface Arriving {
  /** `undefined` after the last. */
  next(): Promise<Buffer | undefined>
  /** Whoever still waits hears that nothing comes any more. The socket stays: the answer has to go through it. */
  stop(): void
}

/** So much is held for a reader that is slower than the line. */
const mostHeldBytes = 256 * 1024

/** By events: the iterator of a stream copies what it gives whenever two chunks have come, and takes a while for each. */
export function openArriving(raw: IncomingMessage, endedTooEarly: () => Failure): Arriving {
  const held: Buffer[] = []
  let heldBytes = 0
  let hasEnded = raw.readableEnded
  let isBroken = raw.destroyed && !hasEnded
  let wake = () => {}

  const onData = (chunk: Buffer) => {
    held.push(chunk)
    heldBytes += chunk.length
    if (heldBytes >= mostHeldBytes) raw.pause()
    wake()
  }
  const onEnd = () => {
    hasEnded = true
    wake()
  }
  const onBroken = () => {
    isBroken = !hasEnded
    wake()
  }
  raw.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
  tellToGoOn(raw)

  return {
    async next() {
      while (held.length === 0) {
        if (isBroken) throw endedTooEarly()
        if (hasEnded) return undefined
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const chunk = held.shift()
      heldBytes -= chunk?.length ?? 0
      if (raw.isPaused() && heldBytes < mostHeldBytes / 2) raw.resume()
      return chunk
    },

    stop() {
      raw.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
      held.length = 0
      isBroken = !hasEnded
      wake()
    },
  }
}
