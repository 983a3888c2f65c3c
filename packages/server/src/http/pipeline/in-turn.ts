import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

interface QueuedRequest {
  response: ServerResponse
  begin(): void
}

interface Connection {
  /** Whether a request is being executed. */
  isBusy: boolean
  waiting: QueuedRequest[]
}

/** Maximum number of pipelined requests; more than clients send before they read a response. */
const maxWaiting = 100

/**
 * Executes the requests of one connection one at a time. Node parses all pipelined requests and would start them at once,
 * so one connection with thousands of them would delay all others. Other connections are served between two requests.
 *
 * Beyond `maxWaiting` the connection closes after its last response. Clients then retry requests without a response
 * (RFC 9112, 9.3.2).
 *
 * Requests of different connections that are received in the same iteration of the event loop start together. Each step of
 * the pipeline then runs for all of them before the next step, so its code stays in the CPU caches: with 32 connections, a
 * request takes half the CPU time (decision 164).
 */
export function executeInTurn(app: FastifyInstance): void {
  const connections = new WeakMap<Socket, Connection>()
  const beginTogether = openBatcher()

  function start(socket: Socket, connection: Connection, { response, begin }: QueuedRequest): void {
    connection.isBusy = true
    response.on('close', () => {
      const next = connection.waiting.shift()
      connection.isBusy = next !== undefined
      if (!next) return
      // The body of the last request may not have been read yet.
      if (connection.waiting.length === 0) socket.resume()
      start(socket, connection, next)
    })
    beginTogether(() => {
      // A request is executed only if its response can still be sent.
      if (socket.writable) begin()
    })
  }

  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    if (!(socket instanceof Socket)) return done() // a request in process
    const { raw: response } = reply
    let connection = connections.get(socket)
    if (!connection) {
      connection = { isBusy: false, waiting: [] }
      connections.set(socket, connection)
    }
    if (!connection.isBusy) {
      start(socket, connection, { response, begin: done })
      return
    }
    // Pausing the socket limits the memory of waiting requests to what one read returned.
    socket.pause()
    const { waiting } = connection
    if (waiting.length >= maxWaiting) {
      reply.hijack() // never executed and never answered
      return
    }
    if (waiting.length === maxWaiting - 1) response.shouldKeepAlive = false
    waiting.push({ response, begin: done })
  })
}

/** Returns a function that collects callbacks. All callbacks of one iteration of the event loop run together in its check phase. */
function openBatcher(): (callback: () => void) => void {
  let callbacks: (() => void)[] = []
  const callAll = () => {
    const batch = callbacks
    callbacks = []
    for (const callback of batch) callback()
  }
  return (callback) => {
    if (callbacks.push(callback) === 1) setImmediate(callAll)
  }
}
