import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { onTestFinished } from 'vitest'

/** How a receiver treats a connection: reads everything, resets it after the first bytes, or never closes it. */
type SyslogReaction = 'accept' | 'reset' | 'hang' | 'close at once'

export interface SyslogReceiver {
  port: number
  /** Messages without their frames, of connections that were read to the end. */
  received: string[]
  connections: number
  reaction: SyslogReaction
}

/** Starts a syslog receiver on loopback that parses octet counting strictly. It stops with the test. */
export async function startSyslog({ isEncrypted = false } = {}): Promise<SyslogReceiver> {
  const sockets = new Set<Socket>()
  const server = isEncrypted
    ? createTlsServer({ key, cert, allowHalfOpen: true })
    : createServer({ allowHalfOpen: true })
  const syslog: SyslogReceiver = { port: 0, received: [], connections: 0, reaction: 'accept' }
  server.on(isEncrypted ? 'secureConnection' : 'connection', (socket: Socket) => receive(socket))
  server.on('tlsClientError', () => {}) // clients that refuse the certificate
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  syslog.port = (server.address() as AddressInfo).port // it listens on a port
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return syslog

  function receive(socket: Socket): void {
    const { reaction } = syslog
    const chunks: Buffer[] = []
    sockets.add(socket)
    syslog.connections++
    socket.on('error', () => {})
    if (reaction === 'close at once') return void socket.end()
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (reaction === 'reset') socket.resetAndDestroy()
    })
    socket.on('end', () => {
      if (reaction === 'hang') return
      syslog.received.push(...messagesIn(Buffer.concat(chunks)))
      socket.end()
    })
  }
}

function messagesIn(bytes: Buffer): string[] {
  const messages: string[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const blank = rest.indexOf(' ')
    const count = rest.subarray(0, blank).toString()
    const end = blank + 1 + Number(count)
    if (!/^[1-9]\d*$/.test(count) || end > rest.length) throw new Error(`not a frame: ${rest.subarray(0, 40)}`)
    messages.push(rest.subarray(blank + 1, end).toString())
    rest = rest.subarray(end)
  }
  return messages
}

/** Self-signed certificate for `logs.example.test` and 127.0.0.1, and its key, which protects nothing. */
export const cert = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFsb2dzLmV4
YW1wbGUudGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRbG9ncy5leGFtcGxlLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAASfIs6EnRcZVS0WDZE39CyAomzVs7K1MgzmjUoY5iUJSfSBfvg3qtVAk4x4
rMJ+VedS1ULe0ukzNJ2FYYCqAbRuo1YwVDAPBgNVHRMBAf8EBTADAQH/MCIGA1Ud
EQQbMBmCEWxvZ3MuZXhhbXBsZS50ZXN0hwR/AAABMB0GA1UdDgQWBBR+5EhZxsCO
DBPZDDvXD37xX9RxjzAKBggqhkjOPQQDAgNIADBFAiBg0rprdtM/rSp/rhurCaqH
Jf3FOp6YbV8G412fYL/MSgIhAISSMPbv3FR0n1TTTFslIQWVwIQTw2RPkQY17/IU
8YAk
-----END CERTIFICATE-----`
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSeJhGhTc+DLlJNe6
GFa5UQYCVL2ZxvdL23lcwpJWTVqhRANCAASfIs6EnRcZVS0WDZE39CyAomzVs7K1
MgzmjUoY5iUJSfSBfvg3qtVAk4x4rMJ+VedS1ULe0ukzNJ2FYYCqAbRu
-----END PRIVATE KEY-----`
