import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { receiveAll, receiveOne, SenderDisconnected, sendAll } from './port-stream.ts'

async function* countTo(last: number, made: number[] = []): AsyncGenerator<number> {
  for (let number = 1; number <= last; number++) {
    made.push(number)
    yield number
  }
}

const turns = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('items arrive in order, to the end', async () => {
  const { port1, port2 } = new MessageChannel()
  const sending = sendAll(port1, countTo(1000), { ahead: 3 })
  const received: number[] = []
  for await (const number of receiveAll<number>(port2)) received.push(number)
  await sending
  expect(received).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1))
})

test('the sender produces at most the configured number of items ahead', async () => {
  const { port1, port2 } = new MessageChannel()
  const made: number[] = []
  const sending = sendAll(port1, countTo(10, made), { ahead: 3 })
  const received = receiveAll<number>(port2)
  await received.next()
  await turns(20)
  expect(made).toEqual([1, 2, 3])
  await received.next()
  await turns(20)
  expect(made).toEqual([1, 2, 3, 4])
  for await (const number of received) expect(number).toBeGreaterThan(2)
  await sending
  expect(made).toHaveLength(10)
})

test('a receiver that stops ends the sender and closes its source', async () => {
  const { port1, port2 } = new MessageChannel()
  let isClosed = false
  async function* source() {
    try {
      yield* countTo(1_000_000)
    } finally {
      isClosed = true
    }
  }
  const sending = sendAll(port1, source(), { ahead: 1 })
  for await (const number of receiveAll<number>(port2)) if (number === 5) break
  await sending
  expect(isClosed).toBe(true)
})

test('an error of the source rejects on both sides, after the items before it', async () => {
  const { port1, port2 } = new MessageChannel()
  async function* source() {
    yield* countTo(2)
    // Not every value can be cloned.
    throw Object.assign(new RangeError('no more'), { why: () => {} })
  }
  const sending = expect(sendAll(port1, source(), { ahead: 5 })).rejects.toThrow('no more')
  const received: number[] = []
  const receiving = (async () => {
    for await (const number of receiveAll<number>(port2)) received.push(number)
  })()
  await expect(receiving).rejects.toThrow('no more')
  await sending
  expect(received).toEqual([1, 2])
})

test('a sender that disconnects rejects the receiver', async () => {
  const { port1, port2 } = new MessageChannel()
  port1.postMessage({ item: 1 })
  port1.close()
  const received = receiveAll<number>(port2)
  expect(await received.next()).toEqual({ done: false, value: 1 })
  await expect(received.next()).rejects.toThrow(SenderDisconnected)
})

test('receiveOne returns one message, and rejects without one', async () => {
  const answered = new MessageChannel()
  answered.port1.postMessage(false)
  expect(await receiveOne<boolean>(answered.port2)).toBe(false)
  const silent = new MessageChannel()
  const waiting = receiveOne<boolean>(silent.port2)
  silent.port1.close()
  await expect(waiting).rejects.toThrow(SenderDisconnected)
})

test('transferred buffers are detached at the sender', async () => {
  const { port1, port2 } = new MessageChannel()
  const chunk = new Uint8Array([1, 2, 3])
  async function* source() {
    yield chunk
  }
  await sendAll(port1, source(), { ahead: 2, transfer: ({ buffer }) => [buffer] })
  for await (const bytes of receiveAll<Uint8Array>(port2)) expect([...bytes]).toEqual([1, 2, 3])
  expect(chunk).toHaveLength(0)
})
