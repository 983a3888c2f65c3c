import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure, gone } from '../../platform/failure.ts'
import type { ByteRange, Pieces } from '../../platform/object-store/objects.ts'
import { piecesOf } from '../../platform/object-store/pieces.ts'

/** Policy for uploaded content: it must not run scripts or access anything in the server's origin. */
export const untrustedContentPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

/** A file that a handler returns. */
export interface Download {
  /** Opens the bytes, or those of the inclusive range. Returns `undefined` when the object does not exist. */
  open(range?: ByteRange): Promise<Buffer | Pieces | Readable | undefined>
  readonly bytes: number
  readonly contentType: string
  readonly disposition: string
  /** A strong ETag with its quotes. */
  readonly etag?: string
  readonly lastModified?: Date
  readonly cacheControl?: string
  readonly contentSecurityPolicy?: string
  /** Returns a temporary URL of the bytes. Absent when this server always sends them. */
  redirect?(): Promise<string>
}

/**
 * Sends the file or the requested range, and resolves when the response is complete. Before sending anything it may throw
 * `precondition-failed` when the file has changed, `gone` when the object does not exist, or the error of the first read.
 */
export async function sendDownload(reply: FastifyReply, request: FastifyRequest, download: Download): Promise<void> {
  if (hasChanged(request, download)) throw new Failure({ kind: 'precondition-failed' })
  if (isFresh(request, download)) {
    setValidators(reply, download)
    send(reply.code(304), request)
    return
  }
  const range = requestedRange(request, download)
  if (range === 'unsatisfiable') {
    send(reply.code(416).header('content-range', `bytes */${download.bytes}`), request)
    return
  }
  if (download.redirect && canRedirect(request, download)) {
    reply
      .code(302)
      .header('location', await download.redirect())
      .header('cache-control', 'no-store')
      .send()
    return
  }
  const bytes = sizeOf(download, range)
  const isHead = request.method === 'HEAD'
  const opened = await download.open(isHead && bytes > 0 ? { start: 0, end: 0 } : range)
  if (!opened) throw gone()
  if (Buffer.isBuffer(opened)) {
    if (reply.raw.destroyed) return void reply.hijack()
    setHeaders(reply, download, range)
    send(reply, request, isHead ? undefined : opened)
    return
  }
  const pieces = opened instanceof Readable ? piecesOf(opened) : opened
  reply.raw.once('close', pieces.close) // even while a read is pending
  try {
    const first = isHead ? undefined : await firstOf(pieces, bytes).catch(ignoreDisconnect(reply))
    if (reply.raw.destroyed) return void reply.hijack()
    setHeaders(reply, download, range)
    if (first) await sendPieces(reply, first, bytes, pieces)
    else send(reply, request, Readable.from([]))
  } finally {
    pieces.close()
  }
}

/** Returns true when a redirect is possible: for GET only, and not to resume a download that this server started. */
function canRedirect({ method, headers }: FastifyRequest, download: Download): boolean {
  const condition = headers['if-range']
  return method === 'GET' && (condition === undefined || !isUnchanged(condition, download))
}

function setValidators(reply: FastifyReply, { etag, lastModified, cacheControl }: Download): void {
  reply.header('cache-control', cacheControl ?? 'max-age=0, private, must-revalidate')
  if (etag) reply.header('etag', etag)
  if (lastModified) reply.header('last-modified', lastModified.toUTCString())
}

function setHeaders(reply: FastifyReply, download: Download, range: ByteRange | undefined): void {
  setValidators(reply, download)
  reply
    .header('content-type', download.contentType)
    .header('content-disposition', download.disposition)
    .header('content-transfer-encoding', 'binary')
    .header('x-content-type-options', 'nosniff')
    .header('accept-ranges', 'bytes')
  if (download.contentSecurityPolicy) reply.header('content-security-policy', download.contentSecurityPolicy)
  reply.header('content-length', sizeOf(download, range))
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${download.bytes}`)
}

function sizeOf({ bytes }: Download, range: ByteRange | undefined): number {
  return range ? range.end - range.start + 1 : bytes
}

function send(reply: FastifyReply, request: FastifyRequest, body?: Buffer | Readable): void {
  // Fastify's HEAD routes overwrite Content-Length unless the payload is a stream.
  reply.send(body ?? (request.method === 'HEAD' ? Readable.from([]) : undefined))
}

/** Reads the first piece. Returns `undefined` when there are no bytes to send. */
async function firstOf(pieces: Pieces, bytes: number): Promise<Buffer | undefined> {
  const first = await pieces.next(bytes + 1)
  if (first && first.length > bytes) throw new Error('the stored object is longer than its record says')
  if (!first && bytes > 0) throw new Error('the stored object is empty, but its record is not')
  return first
}

/** Sends pieces directly to the socket. For a file of 1 MB, Fastify's streams would take as long as sending it. */
async function sendPieces(reply: FastifyReply, first: Buffer, bytes: number, pieces: Pieces): Promise<void> {
  const { raw } = reply.hijack()
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders) // the same type, declared by another library
  try {
    let left = bytes
    for (let piece: Buffer | undefined = first; piece; ) {
      left -= piece.length
      // A client must neither wait for missing bytes nor accept extra ones as part of the file.
      if (left < 0) throw new Error('the stored object is longer than its record says')
      const startedAt = performance.now()
      if (!(await write(raw, piece, left === 0))) return
      if (left === 0) return
      // Slow clients get small pieces, to save memory.
      const isSlow = performance.now() - startedAt > slowMs
      piece = await pieces
        .next(isSlow && left > slowPieceBytes ? slowPieceBytes : left + 1)
        .catch(ignoreDisconnect(reply))
    }
    if (raw.destroyed) return
    throw new Error('the stored object is shorter than its record says')
  } catch (error) {
    reply.request.log.error({ err: error }, 'download ended early')
    raw.destroy()
  }
}

/** Ignores read errors after the connection has closed. */
const ignoreDisconnect =
  ({ raw }: FastifyReply) =>
  (error: unknown) => {
    if (!raw.destroyed) throw error
    return undefined
  }

const slowMs = 250
const slowPieceBytes = 64 * 1024

/** Resolves when the operating system has accepted the bytes; false when the client has disconnected. */
function write(raw: ServerResponse, piece: Buffer, isLast: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    if (raw.destroyed) return resolve(false)
    const onClose = () => resolve(false)
    const onWritten = (error?: Error | null) => {
      raw.off('close', onClose)
      resolve(!error)
    }
    raw.once('close', onClose)
    if (isLast) raw.end(piece, onWritten)
    else raw.write(piece, onWritten)
  })
}

/** Evaluates `If-Match` and `If-Unmodified-Since`, which come first in RFC 9110, 13.2.2. */
function hasChanged({ headers }: FastifyRequest, { etag, lastModified }: Download): boolean {
  const tags = headers['if-match']
  if (tags !== undefined) return tags.trim() !== '*' && !tags.split(',').some((tag) => tag.trim() === etag)
  const since = Date.parse(headers['if-unmodified-since'] ?? '')
  return lastModified !== undefined && wholeSeconds(lastModified) > since
}

function isFresh(request: FastifyRequest, { etag, lastModified }: Download): boolean {
  const tags = request.headers['if-none-match']
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  }
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  return lastModified !== undefined && wholeSeconds(lastModified) <= since
}

/** Returns the requested range, or `undefined` for the whole file. Ignores multiple and malformed ranges (RFC 9110). */
function requestedRange(request: FastifyRequest, download: Download): ByteRange | 'unsatisfiable' | undefined {
  const { range, 'if-range': condition } = request.headers
  if (request.method === 'HEAD' || range === undefined || !isUnchanged(condition, download)) return undefined
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range) ?? []
  if (first === '' && last === '') return undefined

  const { bytes } = download
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length > 0 ? { start: bytes - length, end: bytes - 1 } : 'unsatisfiable'
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= bytes) return 'unsatisfiable'
  return { start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) }
}

function isUnchanged(condition: string | string[] | undefined, { etag, lastModified }: Download): boolean {
  if (condition === undefined) return true
  if (typeof condition !== 'string') return false
  if (etag && condition.trim() === etag) return true
  return lastModified !== undefined && wholeSeconds(lastModified) === Date.parse(condition)
}

/** Truncates to seconds, because HTTP dates have no fractions. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}
