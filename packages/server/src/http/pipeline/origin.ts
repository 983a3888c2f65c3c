import type { FastifyRequest } from 'fastify'
import type { RootDeps } from '../../domain/deps.ts'
import { badRequest } from '../../platform/failure.ts'

/** What links begin with: the configured address, or the one the client asked. */
export function originOf(deps: RootDeps, request: FastifyRequest): string {
  const { externalUrl } = deps.settings
  if (externalUrl !== undefined) return externalUrl
  const { localAddress, localPort } = request.socket
  // HTTP/1.0 has clients that do not say whom they ask.
  const origin = `${request.protocol}://${request.host || `${localAddress}:${localPort}`}`
  if (!isOrigin(origin)) throw badRequest('the Host header names no host')
  return origin
}

const known = new Set<string>()
const maxKnown = 1000

/** Clients ask one address over and over, and parsing it takes longer than remembering it. */
function isOrigin(text: string): boolean {
  if (known.has(text)) return true
  if (!/^https?:\/\/[\w.:[\]-]+$/.test(text) || !URL.canParse(text)) return false
  if (known.size >= maxKnown) known.clear()
  known.add(text)
  return true
}
