import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ClamdAddress } from '../../platform/outgoing/clamd.ts'

/** How the stand-in treats a stream: answers, answers in pieces, or misbehaves. */
type ClamdReaction = 'answer' | 'answer in pieces' | 'cut' | 'hang' | 'reset' | 'error'

export interface FakeClamd {
  address: ClamdAddress & { port: number }
  reaction: ClamdReaction
  /** Maximum size of a stream, as `StreamMaxLength`. */
  maxBytes: number
  /** Text that is found in streams, and the answer then. */
  threat: string
  found: string
  /** Complete streams, in the order of their arrival. */
  scanned: string[]
  /** Refuses connections until `start` is called. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** Starts a server on loopback that reads the commands PING and INSTREAM as clamd does. It stops with the test. */
export async function startClamd(): Promise<FakeClamd> {
  const sockets = new Set<Socket>()
  let server = createServer()
  const clamd: FakeClamd = {
    address: { host: '127.0.0.1', port: 0 },
    reaction: 'answer',
    maxBytes: Number.POSITIVE_INFINITY,
    threat: 'virus',
    found: 'stream: Test.Virus-1 FOUND',
    scanned: [],
    async start() {
      server = createServer(receive)
      await new Promise<void>((resolve) => server.listen(clamd.address.port, '127.0.0.1', resolve))
      clamd.address.port = (server.address() as AddressInfo).port // it listens on a port
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  await clamd.start()
  onTestFinished(() => clamd.stop())
  return clamd

  function receive(socket: Socket): void {
    let held: Buffer = Buffer.alloc(0)
    let hasAnswered = false
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      held = Buffer.concat([held, chunk])
      if (hasAnswered) return
      const answer = read(held)
      if (answer === undefined) return
      hasAnswered = true
      void react(socket, answer)
    })
  }

  function read(held: Buffer): string | undefined {
    if (held.equals(Buffer.from('zPING\0'))) return 'PONG'
    const command = 'zINSTREAM\0'
    if (held.length < command.length) return undefined
    if (held.subarray(0, command.length).toString() !== command) return 'UNKNOWN COMMAND'
    const stream: Buffer[] = []
    for (let at = command.length; at + 4 <= held.length; ) {
      const length = held.readUInt32BE(at)
      at += 4
      if (length === 0) return verdictOf(Buffer.concat(stream).toString('latin1'))
      stream.push(held.subarray(at, at + length))
      if (Buffer.concat(stream).length > clamd.maxBytes) return 'INSTREAM size limit exceeded. ERROR'
      at += length
    }
    return undefined
  }

  function verdictOf(text: string): string {
    clamd.scanned.push(text)
    return text.includes(clamd.threat) ? clamd.found : 'stream: OK'
  }

  async function react(socket: Socket, answer: string): Promise<void> {
    switch (clamd.reaction) {
      case 'answer':
        return void socket.end(`${answer}\0`)
      case 'answer in pieces':
        for (const character of `${answer}\0`) await new Promise<void>((sent) => socket.write(character, () => sent()))
        return void socket.end()
      case 'cut':
        return void socket.end(answer)
      case 'reset':
        return void socket.resetAndDestroy()
      case 'error':
        return void socket.end("INSTREAM: Can't allocate memory ERROR\0")
      case 'hang':
        return undefined
    }
  }
}
