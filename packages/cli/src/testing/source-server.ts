import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A response of a server in a test; `cut` ends the connection in the middle of the body. */
export interface SourceReply {
  status?: number
  body?: unknown
  headers?: Record<string, string>
  cut?: boolean
}

export interface SourceServer {
  url: string
  /** Paths with queries, in the order of the requests. */
  requests: string[]
  /** Replies that come before those of the handler, each once. */
  faults: SourceReply[]
}

/** Starts the API of another product on loopback. It ends with the test. */
export async function startSource(
  handle: (url: URL, request: IncomingMessage) => SourceReply | undefined,
): Promise<SourceServer> {
  const source: SourceServer = { url: '', requests: [], faults: [] }
  const server = createServer((request, response) => {
    source.requests.push(request.url ?? '')
    const url = new URL(request.url ?? '/', source.url)
    const reply = source.faults.shift() ?? handle(url, request) ?? { status: 404, body: {} }
    const text = JSON.stringify(reply.body ?? {})
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    if (!reply.cut) return void response.end(text)
    response.write(text.slice(0, 1))
    response.flushHeaders()
    setImmediate(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has this address.
  const { port } = server.address() as AddressInfo
  source.url = `http://127.0.0.1:${port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return source
}
