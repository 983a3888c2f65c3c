import type { FastifyRequest } from 'fastify'
import { Failure } from '../../../platform/failure.ts'
import { maxSmallTextBytes, readBytes } from '../../params/body.ts'

/**
 * Maximum number of large bodies that one route reads at a time in this process. Their senders are not known yet, so that
 * the memory for them must not depend on the number of connections.
 */
const maxLargeBodies = 32

/** Reads the bytes of a body. Bodies that anonymous senders may send everywhere are not counted. */
export type ReadRawBody = (request: FastifyRequest, limits: { maxTextBytes: number }) => Promise<Buffer>

export function openRawBodies(): ReadRawBody {
  let large = 0
  return async (request, limits) => {
    if (Number(request.headers['content-length']) <= maxSmallTextBytes) return readBytes(request, limits)
    if (large >= maxLargeBodies) throw new Failure({ kind: 'too-many-requests' })
    large++
    try {
      return await readBytes(request, limits)
    } finally {
      large--
    }
  }
}
