import type { FastifyRequest } from 'fastify'

const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip']

/** True for a client on this machine. A proxy on it acts for clients elsewhere, which its headers show. */
export function isLocalClient({ headers, raw }: FastifyRequest): boolean {
  const peer = (raw.socket.remoteAddress ?? '').replace(/^::ffff:/i, '')
  return (peer === '::1' || peer.startsWith('127.')) && !forwardingHeaders.some((name) => name in headers)
}
