import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../platform/failure.ts'
import { errorResponse, sentencesOf } from '../errors.ts'
import { noteFailure } from '../pipeline/audit.ts'
import { type CompressedForms, chooseEncoding, compress, type Encoding, minCompressedBytes } from './compression.ts'

/**
 * Body of a response, which responses with different headers can share if it is cached. The bytes of a page that is not cached
 * are overwritten after its response (`page-buffers.ts`).
 */
export interface Content {
  bytes: Buffer
  /** Hash of the bytes, or of what they are made of. */
  digest: string
  /** Compressed forms that clients have accepted so far. */
  compressed?: CompressedForms
}

/** A rendered response, which can be cached. */
export interface Rendered {
  status: number
  headers: Record<string, string>
  content: Content
  /** Default: JSON. */
  contentType?: string
}

interface Compression {
  /** False for responses that contain secrets, because their compressed size would reveal them (decision 53). */
  isAllowed: boolean
  /** Called when a compressed form has been added to the content. */
  onCompressed?(): void
}

export function contentFrom(text: string): Content {
  const bytes = Buffer.from(text)
  // SHA-1 is three times as fast as MD5, because processors have instructions for it.
  return { bytes, digest: hash('sha1', bytes, 'hex') }
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
  const { status, headers, content, contentType = 'application/json' } = rendered
  // Sends a Buffer, because Fastify adds a charset to JSON strings and some clients compare the whole header.
  reply.code(status).headers(headers).header('content-type', contentType).header('x-runtime', runtimeOf(reply))
  const isCompressible = compression.isAllowed && content.bytes.length >= minCompressedBytes
  if (isCompressible) reply.header('vary', 'Origin, Accept-Encoding')
  if (status !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) {
    reply.header('cache-control', 'no-store')
  } else {
    // Identifies the content in any encoding, so it is weak. It is as long as MD5.
    const etag = `W/"${content.digest.slice(0, 32)}"`
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
  if (encoding) return sendCompressed(reply, content, encoding, compression)
  reply.send(content.bytes)
}

function sendCompressed(
  reply: FastifyReply,
  content: Content,
  encoding: Encoding,
  { onCompressed }: Compression,
): void | Promise<void> {
  const known = content.compressed?.[encoding]
  const send = (bytes: Buffer) => void reply.header('content-encoding', encoding).send(bytes)
  if (known) return send(known)
  const keep = (bytes: Buffer) => {
    content.compressed = { ...content.compressed, [encoding]: bytes }
    onCompressed?.()
    send(bytes)
  }
  const made = compress(content.bytes, encoding)
  return made instanceof Promise ? made.then(keep) : keep(made)
}

export function sendNothing(reply: FastifyReply, status: number): void {
  reply.code(status).header('x-runtime', runtimeOf(reply)).send()
}

/** Returns the elapsed seconds in GitLab's format. */
function runtimeOf(reply: FastifyReply): string {
  const microseconds = Math.round(reply.elapsedTime * 1000)
  // Formats a number five times as fast as `toFixed`.
  return `${Math.floor(microseconds / 1e6)}.${String(microseconds % 1e6).padStart(6, '0')}`
}

export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  viewError?: (message: string) => object,
): void {
  if (error instanceof Failure) noteFailure(request, error)
  const { status, body: restBody, headers } = errorResponse(error)
  // Clients of GraphQL repeat a request only when the body is no result.
  const isRepeatable = status === 429 || status >= 500
  const body = viewError && !isRepeatable ? viewError(sentencesOf(restBody).join(', ')) : restBody
  const isText = typeof body === 'string'
  const rendered = { status, headers: headers ?? {}, content: contentFrom(isText ? body : JSON.stringify(body)) }
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
