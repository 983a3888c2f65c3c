import { connect, type Socket } from 'node:net'

/** A raw TCP connection for tests. */
export interface Wire {
  readonly socket: Socket
  /** All bytes received so far, decoded as Latin-1. */
  readonly received: string
  /** Resolves when the text has been received; rejects when the connection closes or time runs out before. */
  until(text: string | RegExp): Promise<string>
  /** Resolves with all received bytes when either side closes the connection. */
  readonly closed: Promise<string>
}

const patienceMs = 10_000

export async function openWire(port: number): Promise<Wire> {
  const socket = connect({ port, host: '127.0.0.1' })
  const chunks: string[] = []
  const listeners = new Set<() => void>()
  socket.setNoDelay(true)
  socket.on('data', (chunk) => {
    chunks.push(chunk.toString('latin1'))
    for (const listener of listeners) listener()
  })
  socket.on('error', () => {}) // `closed` reports it
  const received = () => chunks.join('')
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received())))
  await new Promise((resolve) => socket.once('connect', resolve))

  return {
    socket,
    closed,
    get received() {
      return received()
    },
    until(text) {
      return new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          listeners.delete(look)
          clearTimeout(timer)
          act()
        }
        const look = () => {
          if (received().search(text) >= 0) settle(() => resolve(received()))
        }
        const fail = (what: string) => settle(() => reject(new Error(`${what} before ${text}: ${received()}`)))
        const timer = setTimeout(() => fail('time ran out'), patienceMs)
        listeners.add(look)
        void closed.then(() => fail('the connection closed'))
        look()
      })
    },
  }
}

/** Writes everything, waits for the connection to close and returns the received bytes. */
export async function exchange(port: number, ...sent: (string | Uint8Array)[]): Promise<string> {
  const { socket, closed } = await openWire(port)
  for (const piece of sent) socket.write(piece)
  return closed
}
