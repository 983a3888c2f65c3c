import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

interface Connection {
  /** The response to the newest request of this connection; absent before the first one. */
  newest?: ServerResponse
  isEnded?: boolean
}

/**
 * Closes connections gracefully when the server drains or closes. From then on the newest response of each connection has
 * `Connection: close`. A request that arrives after such a response has started is not executed, because its response
 * could not be sent. When the server closes, connections without an open response are closed immediately.
 */
export function endConnectionsOnClose(app: FastifyInstance, draining: AbortSignal): void {
  let isDraining = draining.aborted
  let isClosing = false
  const connections = new Map<Socket, Connection>()
  app.server.on('connection', (socket) => {
    connections.set(socket, {})
    socket.once('close', () => connections.delete(socket))
  })

  const drain = () => {
    isDraining = true
    for (const { newest } of connections.values()) if (newest) announceEnd(newest)
  }
  draining.addEventListener('abort', drain, { once: true })
  app.addHook('onClose', async () => draining.removeEventListener('abort', drain))

  app.addHook('preClose', (done) => {
    drain()
    isClosing = true
    // Browsers open connections in advance, and Node counts an unused connection as busy.
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    const connection = connections.get(request.raw.socket)
    if (!connection) return done() // a request without a socket
    const { newest: previous, isEnded } = connection
    if (isEnded || (previous && hasAnnouncedEnd(previous))) {
      reply.hijack() // never executed and never answered
      return
    }
    connection.newest = reply.raw
    if (isDraining) {
      // The responses of pipelined requests are sent in order: only the last one may end the connection.
      if (previous) withdrawEnd(previous)
      announceEnd(reply.raw)
    }
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { socket } = request.raw
    const connection = socket instanceof Socket ? connections.get(socket) : undefined
    // The headers were sent before the server began to drain, so they did not contain `Connection: close`.
    if (isClosing && connection?.newest === reply.raw) {
      connection.isEnded = true
      socket.destroySoon()
    }
    done()
  })
}

function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

function withdrawEnd(response: ServerResponse): void {
  if (!response.headersSent) response.removeHeader('connection')
}

function hasAnnouncedEnd(response: ServerResponse): boolean {
  return response.headersSent && (response.getHeader('connection') === 'close' || !response.shouldKeepAlive)
}
