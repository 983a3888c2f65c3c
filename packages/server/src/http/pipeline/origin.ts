import type { FastifyRequest } from 'fastify'
import type { RootDeps } from '../../domain/deps.ts'
import { badRequest } from '../../platform/failure.ts'

/** Returns the origin for links: the configured external URL, or the host of the request. */
export function originOf(deps: RootDeps, request: FastifyRequest): string {
  const { externalUrl } = deps.settings
  if (externalUrl !== undefined) return externalUrl
  const origin = `${request.protocol}://${request.host || localHost(request)}`
  if (!isOrigin(origin)) throw badRequest('the Host header names no host')
  return origin
}

/** Returns the host of a request without one, which HTTP/1.0 clients may send. */
function localHost({ socket }: FastifyRequest): string {
  return `${socket.localAddress}:${socket.localPort}`
}

const known = new Set<string>()
const maxKnown = 1000

/** Caches valid origins, because clients send the same Host header repeatedly and parsing is slower. */
function isOrigin(text: string): boolean {
  if (known.has(text)) return true
  if (!/^https?:\/\/[\w.:[\]-]+$/.test(text) || !URL.canParse(text)) return false
  if (known.size >= maxKnown) known.clear()
  known.add(text)
  return true
}
