import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../platform/failure.ts'
import { errorResponse } from '../errors.ts'
import { noteFailure } from '../pipeline/audit.ts'
import { type CompressedForms, chooseEncoding, compress, type Encoding, minCompressedBytes } from './compression.ts'

/** A rendered response, which can be cached. */
export interface Rendered {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** Default: JSON. */
  contentType?: string
  /** Identifies the body in any encoding, so it is weak. Present for a status of 200. */
  etag: string | undefined
  /** Compressed forms of the body that clients have accepted so far. */
  compressed?: CompressedForms
}

interface Compression {
  /** False for responses that contain secrets, because their compressed size would reveal them (decision 53). */
  isAllowed: boolean
  /** Called when a compressed form has been added to the response. */
  onCompressed?(): void
}

export function render(status: number, json: string, headers: Record<string, string> = {}): Rendered {
  const body = Buffer.from(json)
  // SHA-1 is three times as fast as MD5, because processors have instructions for it.
  return renderJson(status, { json: body, digest: hash('sha1', body, 'hex') }, headers)
}

/** Builds a response from JSON whose hash is known. */
export function renderJson(
  status: number,
  { json, digest }: { json: Buffer; digest: string },
  headers: Record<string, string> = {},
): Rendered {
  // The hash is as long as MD5.
  return { status, headers, body: json, etag: status === 200 ? `W/"${digest.slice(0, 32)}"` : undefined }
}

/**
 * Sends a response with GitLab's headers. A successful GET has a weak ETag, and returns 304 when the client's copy is
 * current. Browsers that send a cookie must not store the response, because the next user of the browser could read it.
 */
export function sendRendered(
  request: FastifyRequest,
  reply: FastifyReply,
  rendered: Rendered,
  compression: Compression = { isAllowed: false },
): void | Promise<void> {
  const { status, headers, body, contentType = 'application/json', etag } = rendered
  // Sends a Buffer, because Fastify adds a charset to JSON strings and some clients compare the whole header.
  reply.code(status).headers(headers).header('content-type', contentType).header('x-runtime', runtimeOf(reply))
  const isCompressible = compression.isAllowed && body.length >= minCompressedBytes
  if (isCompressible) reply.header('vary', 'Origin, Accept-Encoding')
  if (etag === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
    reply.header('cache-control', 'no-store')
  } else {
    const isFromBrowser = request.headers.cookie !== undefined
    reply.header('etag', etag)
    if (isFromBrowser) reply.header('cache-control', 'no-store')
    else if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'max-age=0, private, must-revalidate')
    if (matches(request.headers['if-none-match'], etag)) {
      reply.code(304).removeHeader('content-type').send()
      return
    }
  }
  const encoding = isCompressible ? chooseEncoding(request.headers['accept-encoding']) : undefined
  if (encoding) return sendCompressed(reply, rendered, encoding, compression)
  reply.send(body)
}

function sendCompressed(
  reply: FastifyReply,
  rendered: Rendered,
  encoding: Encoding,
  { onCompressed }: Compression,
): void | Promise<void> {
  const known = rendered.compressed?.[encoding]
  const send = (bytes: Buffer) => void reply.header('content-encoding', encoding).send(bytes)
  if (known) return send(known)
  const keep = (bytes: Buffer) => {
    rendered.compressed = { ...rendered.compressed, [encoding]: bytes }
    onCompressed?.()
    send(bytes)
  }
  const made = compress(rendered.body, encoding)
  return made instanceof Promise ? made.then(keep) : keep(made)
}

export function sendNothing(reply: FastifyReply, status: number): void {
  reply.code(status).header('x-runtime', runtimeOf(reply)).send()
}

/** Returns the elapsed seconds in GitLab's format. */
function runtimeOf(reply: FastifyReply): string {
  return (reply.elapsedTime / 1000).toFixed(6)
}

export function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (error instanceof Failure) noteFailure(request, error)
  const { status, body, headers } = errorResponse(error)
  const isText = typeof body === 'string'
  const rendered = render(status, isText ? body : JSON.stringify(body), headers)
  if (status === 304) sendNothing(reply, status)
  else void sendRendered(request, reply, isText ? { ...rendered, contentType: 'text/plain' } : rendered)
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const bare = etag.replace(/^W\//, '')
  return header.split(',').some((candidate) => {
    const value = candidate.trim()
    return value === '*' || value.replace(/^W\//, '') === bare
  })
}
