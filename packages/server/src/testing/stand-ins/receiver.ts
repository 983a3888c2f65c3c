import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface Received {
  path: string
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: requests have any shape
  body: any
  /** The body as it was sent. */
  text: string
}

export interface Receiver {
  url: string
  port: number
  received: Received[]
  /** Handles a request after reading its body. By default returns 200. */
  answer: (response: ServerResponse, request: Received) => void
}

/** Starts an HTTP server on loopback that records requests. It stops with the test. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received: [],
    answer: (response) => response.end('thanks'),
  }
  return receiver

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const received = {
      path: request.url ?? '',
      headers: request.headers,
      body: bodyOf(text, request.headers['content-type']),
      text,
    }
    receiver.received.push(received)
    receiver.answer(response, received)
  }
}

function bodyOf(text: string, type: string | undefined): unknown {
  if (text === '') return undefined
  if (type !== 'application/x-ndjson') return JSON.parse(text)
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}
