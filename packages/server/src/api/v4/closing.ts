import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Lets running requests end when the server closes, and their connections with them. Fastify ends those that wait
 * between two requests; the rest would hold up a stop until they time out.
 */
export function endConnectionsOnClose(app: FastifyInstance): void {
  let isClosing = false
  const connections = new Set<Socket>()
  app.server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  app.addHook('preClose', (done) => {
    isClosing = true
    // Opened in advance and never used, as browsers do: for Node they are busy.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    const { socket } = request.raw
    // It would be kept open for another request. A request in process has no real one.
    if (isClosing && socket instanceof Socket) socket.end()
    done()
  })
}
