import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

interface Waiting {
  response: ServerResponse
  begin(): void
}

/** More pipelined requests than clients send before they read a response. */
const maxWaiting = 100

/**
 * Executes the requests of one connection one at a time. Node parses all that have arrived and would begin them at
 * once, so one connection with thousands of pipelined requests would keep the others waiting. Between two requests of a
 * connection every other connection gets its turn.
 *
 * Beyond `maxWaiting` the connection ends after its last response; a client repeats what got none (RFC 9112, 9.3.2).
 */
export function answerInTurn(app: FastifyInstance): void {
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
    // Nothing is read meanwhile, so waiting requests take no more memory than one read brings.
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
    // The body of the last one may still have to be read.
    if (queue.length === 0) socket.resume()
    begin(socket, next)
  }
}
