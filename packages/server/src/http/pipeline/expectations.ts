import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

interface Waiting {
  response: ServerResponse
  keepsAlive: boolean
}

const waiting = new WeakMap<IncomingMessage, Waiting>()

/**
 * Who sends `Expect: 100-continue` is told to go on when his body is read (`tellToGoOn`), and not at all when he is
 * refused before. Then the connection ends: nobody could say whether what comes next is the body or another request.
 */
export function holdBackContinue({ server }: FastifyInstance): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, { response, keepsAlive: response.shouldKeepAlive })
    response.shouldKeepAlive = false
    server.emit('request', request, response)
  })
}

/** To be called by whoever begins to read a body. */
export function tellToGoOn(request: IncomingMessage): void {
  const held = waiting.get(request)
  if (!held) return
  waiting.delete(request)
  held.response.shouldKeepAlive = held.keepsAlive
  held.response.writeContinue()
}
