import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

interface Waiting {
  response: ServerResponse
  begin(): void
}

/** Maximum number of pipelined requests; more than clients send before they read a response. */
const maxWaiting = 100

/**
 * Executes the requests of one connection one at a time. Node parses all pipelined requests and would start them at once,
 * so one connection with thousands of them would delay all others. Other connections are served between two requests.
 *
 * Beyond `maxWaiting` the connection closes after its last response. Clients then retry requests without a response
 * (RFC 9112, 9.3.2).
 */
export function executeInTurn(app: FastifyInstance): void {
  const queues = new WeakMap<Socket, Waiting[]>()

  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    if (!(socket instanceof Socket)) return done() // a request in process
    const { raw: response } = reply
    const queue = queues.get(socket)
    if (!queue) {
      queues.set(socket, [])
      begin(socket, { response, begin: done })
      return
    }
    // Pausing the socket limits the memory of waiting requests to what one read returned.
    socket.pause()
    if (queue.length >= maxWaiting) {
      reply.hijack() // never executed and never answered
      return
    }
    if (queue.length === maxWaiting - 1) response.shouldKeepAlive = false
    queue.push({ response, begin: done })
  })

  function begin(socket: Socket, { response, begin }: Waiting): void {
    response.once('close', () => setImmediate(beginNext, socket))
    begin()
  }

  function beginNext(socket: Socket): void {
    const queue = queues.get(socket)
    const next = queue?.shift()
    if (!queue || !next || !socket.writable) {
      queues.delete(socket)
      return
    }
    // The body of the last request may not have been read yet.
    if (queue.length === 0) socket.resume()
    begin(socket, next)
  }
}
