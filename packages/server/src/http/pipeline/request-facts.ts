import type { FastifyRequest } from 'fastify'

export function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Returns the client's address; IPv4 in its usual form, also on a socket that takes both versions. */
export function clientAddress({ ip }: FastifyRequest): string {
  // Linear time: it is anchored, and the lookahead runs once.
  return ip.replace(/^::ffff:(?=[\d.]+$)/i, '')
}

/** Returns the path of the request target, which a proxy may have sent as an absolute URL. */
export function pathOf(request: FastifyRequest): string {
  const [path = ''] = (request.raw.url ?? '').split('?', 1)
  return path.replace(/^https?:\/\/[^/]*/i, '')
}
