import { pipeline, Readable, Transform } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { gone } from '../../platform/failure.ts'
import type { ByteRange } from '../../platform/objects/objects.ts'

/** A file as a handler returns it. */
export interface Download {
  /** The bytes, or those of the inclusive range; `undefined` when the object is not there. */
  open(range?: ByteRange): Promise<Readable | undefined>
  readonly bytes: number
  readonly contentType: string
  readonly disposition: string
  /** A strong one, with its quotes. */
  readonly etag?: string
  readonly lastModified?: Date
  readonly cacheControl?: string
  readonly contentSecurityPolicy?: string
  /** Where else the bytes can be had for a short while; absent where they are always sent from here. */
  redirect?(): Promise<string>
}

/**
 * Answers with the file, or with the part of it that was asked for; the response is under way when this resolves.
 * Throws `gone` before anything is sent when the object is not there.
 */
export async function sendDownload(reply: FastifyReply, request: FastifyRequest, download: Download): Promise<void> {
  if (isFresh(request, download)) {
    setValidators(reply, download)
    send(reply.code(304), request)
    return
  }
  const range = askedRange(request, download)
  if (range === 'unsatisfiable') {
    send(reply.code(416).header('content-range', `bytes */${download.bytes}`), request)
    return
  }
  if (download.redirect && isForElsewhere(request, download)) {
    reply
      .code(302)
      .header('location', await download.redirect())
      .header('cache-control', 'no-store')
      .send()
    return
  }
  const body = request.method === 'HEAD' ? await probe(download) : await download.open(range)
  if (!body) throw gone()

  setValidators(reply, download)
  reply
    .header('content-type', download.contentType)
    .header('content-disposition', download.disposition)
    .header('content-transfer-encoding', 'binary')
    .header('x-content-type-options', 'nosniff')
    .header('accept-ranges', 'bytes')
  if (download.contentSecurityPolicy) reply.header('content-security-policy', download.contentSecurityPolicy)
  const bytes = range ? range.end - range.start + 1 : download.bytes
  reply.header('content-length', bytes)
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${download.bytes}`)
  send(reply, request, request.method === 'HEAD' ? body : exactly(bytes, body))
}

/** The address is good for GET alone. Whoever goes on with what he got from here cannot go on with it elsewhere. */
function isForElsewhere({ method, headers }: FastifyRequest, download: Download): boolean {
  const condition = headers['if-range']
  return method === 'GET' && (condition === undefined || !isUnchanged(condition, download))
}

function setValidators(reply: FastifyReply, { etag, lastModified, cacheControl }: Download): void {
  reply.header('cache-control', cacheControl ?? 'max-age=0, private, must-revalidate')
  if (etag) reply.header('etag', etag)
  if (lastModified) reply.header('last-modified', lastModified.toUTCString())
}

function send(reply: FastifyReply, request: FastifyRequest, body?: Readable): void {
  // Fastify's HEAD routes overwrite Content-Length unless the payload is a stream.
  reply.send(body ?? (request.method === 'HEAD' ? Readable.from([]) : undefined))
}

/** Nothing to send, or `undefined` when the object is not there: its first byte tells. */
async function probe(download: Download): Promise<Readable | undefined> {
  const opened = await download.open(download.bytes > 0 ? { start: 0, end: 0 } : undefined)
  opened?.on('error', () => {}).destroy()
  return opened && Readable.from([])
}

/** An object that is not as long as its record says ends the connection: a client must not wait for the rest. */
function exactly(bytes: number, body: Readable): Readable {
  let left = bytes
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length
      if (left < 0) done(new Error('the stored object is longer than its record says'))
      else done(null, chunk)
    },
    flush(done) {
      done(left === 0 ? null : new Error('the stored object is shorter than its record says'))
    },
  })
  // The reply watches the counter and sees every failure there.
  return pipeline(body, counter, () => {})
}

function isFresh(request: FastifyRequest, { etag, lastModified }: Download): boolean {
  const tags = request.headers['if-none-match']
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  }
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  return lastModified !== undefined && wholeSeconds(lastModified) <= since
}

/** `undefined` for the whole file: several ranges and unreadable ones are ignored, as RFC 9110 allows. */
function askedRange(request: FastifyRequest, download: Download): ByteRange | 'unsatisfiable' | undefined {
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

/** HTTP dates have no fractions. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}
