import { once } from 'node:events'
import type { MessagePort, Transferable } from 'node:worker_threads'

/** What goes from one thread to another: an item, the end, or what kept the sender from getting there. */
type Sent<T> = { item: T } | { end: true } | { error: { message: string; stack: string | undefined } }

interface SendOptions<T> {
  /** So many more than the other side has taken. */
  ahead: number
  /** What moves to the other side in place of being copied. */
  transfer?: (item: T) => readonly Transferable[]
}

/**
 * Sends all there is over a port, no faster than the other side takes it. Ends early when that has enough, or is no more; what
 * it throws reached the other side as well, which throws it too.
 */
export async function sendAll<T>(
  port: MessagePort,
  source: AsyncIterable<T>,
  { ahead, transfer }: SendOptions<T>,
): Promise<void> {
  const send = (message: Sent<T>, moved: readonly Transferable[] = []) => port.postMessage(message, moved)
  const gate = openGate(port, ahead)
  try {
    for await (const item of source) {
      send({ item }, transfer?.(item))
      if (!(await gate.passed())) return
    }
    send({ end: true })
  } catch (error) {
    // As text: not every error can be sent.
    const { message, stack } = error instanceof Error ? error : new Error(`${error}`)
    send({ error: { message, stack } })
    throw error
  } finally {
    // What was sent is still delivered.
    port.close()
  }
}

/** Lets one item through for each that was taken, and some more. */
function openGate(port: MessagePort, ahead: number) {
  let room = ahead
  let isClosed = false
  let wake = () => {}
  port.on('message', () => {
    room++
    wake()
  })
  port.on('close', () => {
    isClosed = true
    wake()
  })
  return {
    /** False when nobody takes anything any more. */
    async passed(): Promise<boolean> {
      room--
      while (room <= 0 && !isClosed) await new Promise<void>((resolve) => (wake = resolve))
      return !isClosed
    },
  }
}

/** What the other side sends with `sendAll`. Throws `SenderGone` when it went away in the middle. */
export async function* receiveAll<T>(port: MessagePort): AsyncGenerator<T> {
  const waiting: Sent<T>[] = []
  let isClosed = false
  let wake = () => {}
  port.on('message', (message: Sent<T>) => {
    waiting.push(message)
    wake()
  })
  port.on('close', () => {
    isClosed = true
    wake()
  })
  try {
    for (;;) {
      const message = waiting.shift()
      if (!message) {
        if (isClosed) throw new SenderGone()
        await new Promise<void>((resolve) => (wake = resolve))
        continue
      }
      if ('error' in message) throw Object.assign(new Error(message.error.message), { stack: message.error.stack })
      if ('end' in message) return
      yield message.item
      port.postMessage('taken')
    }
  } finally {
    port.close()
  }
}

export class SenderGone extends Error {
  constructor() {
    super('the other thread is gone')
    this.name = 'SenderGone'
  }
}

/** Resolves with the one message that comes; throws `SenderGone` when the port is closed before. */
export async function receiveOne<T>(port: MessagePort): Promise<T> {
  const abort = new AbortController()
  try {
    const closed = once(port, 'close', abort).then(() => {
      throw new SenderGone()
    })
    const [message] = await Promise.race([once(port, 'message', abort), closed])
    return message
  } finally {
    abort.abort()
    port.close()
  }
}
