import { EventEmitter, once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openPageBuffers } from './page-buffers.ts'

const kibibyte = 1024

/** Only the events of a response matter to the pool. */
const response = () => new EventEmitter() as ServerResponse

test('a buffer is used again after its response has been sent, and not before', () => {
  const { acquireUntilSent } = openPageBuffers()
  const [first, second, third] = [response(), response(), response()]
  const buffer = acquireUntilSent(first, 75 * kibibyte)
  expect(buffer).toHaveLength(75 * kibibyte)
  expect(acquireUntilSent(second, 75 * kibibyte).buffer).not.toBe(buffer.buffer)
  first.emit('finish')
  const again = acquireUntilSent(third, 100 * kibibyte)
  expect([again.length, again.buffer === buffer.buffer]).toEqual([100 * kibibyte, true])
})

test('the buffer of an aborted response is not used again', () => {
  const { acquireUntilSent } = openPageBuffers()
  const aborted = response()
  const buffer = acquireUntilSent(aborted, 75 * kibibyte)
  aborted.emit('close')
  expect(acquireUntilSent(response(), 75 * kibibyte).buffer).not.toBe(buffer.buffer)
})

test('idle buffers have a maximum size in total', () => {
  const { acquireUntilSent } = openPageBuffers()
  const sent = Array.from({ length: 10 }, response)
  const buffers = new Set(sent.map((one) => acquireUntilSent(one, 1024 * kibibyte).buffer))
  for (const one of sent) one.emit('finish')
  const reused = sent.map((one) => acquireUntilSent(one, 1024 * kibibyte).buffer).filter((one) => buffers.has(one))
  expect(reused).toHaveLength(4)
})

test('a client that reads slowly receives its responses unchanged', async () => {
  const { acquireUntilSent } = openPageBuffers()
  const bytes = 1024 * kibibyte
  const requests = 16
  let handled = 0
  const server = createServer((request, response) => {
    const letter = request.url?.at(-1) ?? ''
    handled++
    response.setHeader('content-length', bytes)
    response.end(acquireUntilSent(response, bytes).fill(letter))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // listens on a port
  const open = (letter: string) => {
    const socket = connect(port, '127.0.0.1')
    for (let n = 0; n < requests; n++) socket.write(`GET /${letter} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    return socket
  }
  const [slow, fast] = ['~', '^']
  const slowSocket = open(slow)
  try {
    await expect.poll(() => handled).toBe(requests)
    expect(await countBytes(open(fast), { of: fast, total: requests * bytes })).toBe(requests * bytes)
    expect(await countBytes(slowSocket, { of: slow, total: requests * bytes })).toBe(requests * bytes)
  } finally {
    slowSocket.destroy()
    server.close()
  }
})

/** Reads responses whose bodies have a total size, and counts a letter that no head contains. */
async function countBytes(socket: Socket, { of, total }: { of: string; total: number }): Promise<number> {
  const code = of.charCodeAt(0)
  let found = 0
  let read = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    for (const byte of chunk) if (byte === code) found++
    read += chunk.length
    if (found >= total || read >= total + 64 * kibibyte) break
  }
  return found
}
