import { EventEmitter, once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openPageBuffers } from './page-buffers.ts'

const kibibyte = 1024

/** The pool uses only the events of a response. */
const response = () => new EventEmitter() as ServerResponse

test('a buffer is used again after its response has been sent, and not before', () => {
  const { acquireUntilSent } = openPageBuffers()
  const [first, second, third] = [response(), response(), response()]
  const buffer = acquireUntilSent(first, 75 * kibibyte)
  expect(buffer).toHaveLength(75 * kibibyte)
  expect(acquireUntilSent(second, 75 * kibibyte).buffer).not.toBe(buffer.buffer)
  first.emit('finish')
  const again = acquireUntilSent(third, 79 * kibibyte)
  expect([again.length, again.buffer === buffer.buffer]).toEqual([79 * kibibyte, true])
})

test('the buffer of an aborted response is not used again', () => {
  const { acquireUntilSent } = openPageBuffers()
  const aborted = response()
  const buffer = acquireUntilSent(aborted, 75 * kibibyte)
  aborted.emit('close')
  expect(acquireUntilSent(response(), 75 * kibibyte).buffer).not.toBe(buffer.buffer)
})

test('a buffer has room for its page, and little more', () => {
  const { acquireUntilSent } = openPageBuffers()
  for (let bytes = 8 * kibibyte; bytes <= 1024 * kibibyte; bytes += 997) {
    const buffer = acquireUntilSent(response(), bytes)
    expect(buffer).toHaveLength(bytes)
    expect(buffer.buffer.byteLength).toBeLessThanOrEqual(1.25 * bytes)
  }
})

/** Sends pages one after the other, and returns the number of their different buffers. */
function countBuffers({ acquireUntilSent }: ReturnType<typeof openPageBuffers>, pages: number, bytes: number): number {
  const buffers = new Set<ArrayBufferLike>()
  for (let page = 0; page < pages; page++) {
    const sent = response()
    buffers.add(acquireUntilSent(sent, bytes).buffer)
    sent.emit('finish')
  }
  return buffers.size
}

test('idle buffers have a maximum size in total, and those of other sizes leave first', () => {
  const pool = openPageBuffers()
  const sent = Array.from({ length: 10 }, response)
  const buffers = new Set(sent.map((one) => pool.acquireUntilSent(one, 1024 * kibibyte).buffer))
  for (const one of sent) one.emit('finish')
  expect(countBuffers(pool, 100, 75 * kibibyte)).toBe(1)
  const reused = sent.map((one) => pool.acquireUntilSent(one, 1024 * kibibyte).buffer).filter((one) => buffers.has(one))
  expect(reused).toHaveLength(3)
})

test('a client that reads slowly receives its responses unchanged', async () => {
  const { acquireUntilSent } = openPageBuffers()
  const bytes = 1024 * kibibyte
  let handled = 0
  const server = createServer((request, response) => {
    const letter = request.url?.at(-1) ?? ''
    handled++
    response.setHeader('content-length', bytes)
    const body = letter === 'x' ? Buffer.allocUnsafeSlow(bytes) : acquireUntilSent(response, bytes)
    response.end(body.fill(letter))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // listens on a port
  const open = (letters: string) => {
    const socket = connect(port, '127.0.0.1')
    for (const [index, letter] of [...letters].entries()) {
      const connection = index === letters.length - 1 ? 'close' : 'keep-alive'
      socket.write(`GET /${letter} HTTP/1.1\r\nhost: localhost\r\nconnection: ${connection}\r\n\r\n`)
    }
    return socket
  }
  // The first twelve responses fill the buffers of the socket, so the others wait in the process.
  const slow = open('xxxxxxxxxxxx~~~')
  try {
    await expect.poll(() => handled).toBe(15)
    expect(await countBytes(open('^^^'), '^')).toBe(3 * bytes)
    expect(await countBytes(slow, '~')).toBe(3 * bytes)
  } finally {
    slow.destroy()
    server.close()
  }
})

/** Reads until the server closes the connection, and counts a character that does not occur in headers. */
async function countBytes(socket: Socket, character: string): Promise<number> {
  const code = character.charCodeAt(0)
  let found = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) for (const byte of chunk) if (byte === code) found++
  return found
}
