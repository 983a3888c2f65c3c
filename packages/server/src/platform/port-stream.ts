import { once } from 'node:events'
import type { MessagePort, Transferable } from 'node:worker_threads'

/** Message between threads: an item, the end, or the sender's error. */
type Sent<T> = { item: T } | { end: true } | { error: { message: string; stack: string | undefined } }

interface SendOptions<T> {
  /** Maximum number of items sent beyond those that the receiver has taken. */
  ahead: number
  /** Returns the parts of an item to transfer instead of copying. */
  transfer?: (item: T) => readonly Transferable[]
}

/**
 * Sends all items over a port, with back pressure. Ends early when the receiver has finished or is gone. Errors are
 * also sent to the receiver, which throws them too.
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
    // Sent as text, because not every error can be cloned.
    const { message, stack } = error instanceof Error ? error : new Error(`${error}`)
    send({ error: { message, stack } })
    throw error
  } finally {
    // Messages already sent are still delivered.
    port.close()
  }
}

/** Allows one item for each that was taken, and `ahead` more. */
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
    /** Waits for room. Returns false when the receiver is gone. */
    async passed(): Promise<boolean> {
      room--
      while (room <= 0 && !isClosed) await new Promise<void>((resolve) => (wake = resolve))
      return !isClosed
    },
  }
}

/**
 * Receives the items that the other side sends with `sendAll`. Throws `SenderDisconnected` when the sender ends prematurely.
 */
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
        if (isClosed) throw new SenderDisconnected()
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

export class SenderDisconnected extends Error {
  constructor() {
    super('the other thread is gone')
    this.name = 'SenderDisconnected'
  }
}

/** Receives one message. Throws `SenderDisconnected` when the port is closed before. */
export async function receiveOne<T>(port: MessagePort): Promise<T> {
  const abort = new AbortController()
  try {
    const closed = once(port, 'close', abort).then(() => {
      throw new SenderDisconnected()
    })
    const [message] = await Promise.race([once(port, 'message', abort), closed])
    return message
  } finally {
    abort.abort()
    port.close()
  }
}
