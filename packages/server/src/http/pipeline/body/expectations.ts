import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

interface Waiting {
  response: ServerResponse
  keepsAlive: boolean
}

const waiting = new WeakMap<Readable, Waiting>()

/**
 * Delays `100 Continue` until the body is read (`sendContinue`), so that a rejected request never gets it. In that case
 * the connection closes, because the next bytes could be the body or another request.
 */
export function delayContinue({ server }: FastifyInstance): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, { response, keepsAlive: response.shouldKeepAlive })
    response.shouldKeepAlive = false
    server.emit('request', request, response)
  })
}

/** Sends a delayed `100 Continue`. Must be called before a body is read. */
export function sendContinue(request: Readable): void {
  const delayed = waiting.get(request)
  if (!delayed) return
  waiting.delete(request)
  delayed.response.shouldKeepAlive = delayed.keepsAlive
  delayed.response.writeContinue()
}
