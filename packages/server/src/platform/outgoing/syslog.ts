import { readFile } from 'node:fs/promises'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { SyslogDestination } from '../settings/audit-stream-settings.ts'

/** Log audit (RFC 5424, section 6.2.1). */
const facility = 13
const notice = 5

export interface SyslogMessage {
  time: string
  hostname: string
  /** Printable ASCII, so that its characters are octets and no byte order mark is needed. */
  text: string
}

/** Returns a message by RFC 5424, framed by octet counting (RFC 6587, RFC 5425). */
export function frameSyslog({ time, hostname, text }: SyslogMessage): string {
  const message = `<${facility * 8 + notice}>1 ${time} ${hostname} alcove - audit - ${text}`
  return `${Buffer.byteLength(message)} ${message}`
}

/**
 * Sends frames on a connection of their own. Resolves when the receiver has closed the connection without an error after
 * it was sent everything: syslog has no acknowledgement, and a receiver that closes has read up to the end. Rejects
 * otherwise. The operator chooses the receiver, so the rules for addresses that users choose do not apply.
 */
export async function sendSyslog(
  { host, port, isEncrypted, caFile }: SyslogDestination,
  frames: readonly string[],
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const ca = caFile === undefined ? undefined : await readFile(caFile)
  signal.throwIfAborted()
  const socket = isEncrypted
    ? connectTls({
        host,
        port,
        minVersion: 'TLSv1.2',
        ...(isIP(host) === 0 && { servername: host }),
        ...(ca && { ca }),
      })
    : connectPlain({ host, port })
  const timer = setTimeout(() => {
    socket.destroy(new Error(`the receiver did not close the connection within ${timeoutMs / 1000} seconds`))
  }, timeoutMs)
  const abandon = () => void socket.destroy(new Error('the process stops'))
  signal.addEventListener('abort', abandon, { once: true })
  try {
    await transmit(socket, isEncrypted ? 'secureConnect' : 'connect', frames)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abandon)
    socket.destroy()
  }
}

function transmit(socket: Socket, connected: 'connect' | 'secureConnect', frames: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let isSent = false
    const early = () => new Error('the receiver closed the connection too early')
    socket.on('error', reject)
    socket.once(connected, () => socket.end(frames.join('')))
    socket.once('finish', () => {
      isSent = true
    })
    socket.once('end', () => (isSent ? resolve() : reject(early())))
    socket.once('close', () => reject(early()))
    // Read to the end; syslog has no replies.
    socket.resume()
  })
}
