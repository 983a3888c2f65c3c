import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

interface Waiting {
  response: ServerResponse
  begin(): void
}

interface Connection {
  /** Whether a request is being executed. */
  isBusy: boolean
  waiting: Waiting[]
}

/** Maximum number of pipelined requests; more than clients send before they read a response. */
const maxWaiting = 100

/**
 * Executes the requests of one connection one at a time. Node parses all pipelined requests and would start them at once,
 * so one connection with thousands of them would delay all others. Other connections are served between two requests.
 *
 * Requests of different connections that have arrived together begin together. Each step of the pipeline then runs for all
 * of them before the next step does, so its code is in the caches of the CPU: with 32 connections, a request takes half the
 * CPU time (decision 164).
 *
 * Beyond `maxWaiting` the connection closes after its last response. Clients then retry requests without a response
 * (RFC 9112, 9.3.2).
 */
export function executeInTurn(app: FastifyInstance): void {
  const connections = new WeakMap<Socket, Connection>()
  const beginTogether = openBatch()

  function start(socket: Socket, connection: Connection, { response, begin }: Waiting): void {
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

/** Returns a function that calls the functions that it gets in one turn of the event loop together, in the next phase. */
function openBatch(): (begin: () => void) => void {
  let batch: (() => void)[] = []
  const beginAll = () => {
    const begins = batch
    batch = []
    for (const begin of begins) begin()
  }
  return (begin) => {
    if (batch.push(begin) === 1) setImmediate(beginAll)
  }
}
