import type { FastifyRequest } from 'fastify'
import { type BodyKind, bodyKind, mediaType } from '../params/body.ts'
import type { Route } from '../route.ts'

/** Returns how the body is read. Clients announce JSON on requests without a body, so an empty body is never a file. */
export function kindOfBody({ rawFile }: Route, request: FastifyRequest): BodyKind {
  const kind = bodyKind(request)
  if (!rawFile || request.headers['content-length'] === '0') return kind
  return rawFile.includes(mediaType(request)) ? 'file' : kind
}
