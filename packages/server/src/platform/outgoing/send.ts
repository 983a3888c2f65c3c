import { lookup } from 'node:dns/promises'
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { type RequestOptions, request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './addresses.ts'

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

export const resolveByDns: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

/** A request without a body. */
export interface Get {
  url: string
  headers: Readonly<Record<string, string>>
  /** Timeout for the whole request: name resolution, connection and response. */
  timeoutMs: number
  maxResponseBytes: number
  verifiesCertificates: boolean
  /** Whether this machine and private networks are allowed. */
  reachesPrivate: boolean
  resolve: Resolve
  /** Aborts the request. */
  signal: AbortSignal | undefined
}

export interface Post extends Get {
  body: string
}

export interface Answer {
  status: number
  headers: Record<string, string>
  /** Body, up to `maxResponseBytes`. */
  body: string
}

/** Thrown when the request was not sent or received no response. The message is shown to users. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
}

/** Thrown when the settings do not allow the address. Nothing was sent. */
export class ForbiddenAddress extends NoResponse {}

/**
 * Posts to a URL that a user has chosen. Resolves the name once, requires all of its addresses to be allowed, and
 * connects to those addresses only, which prevents DNS rebinding. Does not follow redirects. Throws `NoResponse`.
 */
export function post({ body, ...asked }: Post): Promise<Answer> {
  return exchange('POST', asked, body)
}

/** Gets a URL that a user has chosen, by the rules of `post`. */
export function get(asked: Get): Promise<Answer> {
  return exchange('GET', asked, undefined)
}

async function exchange(method: 'GET' | 'POST', asked: Get, sent: string | undefined): Promise<Answer> {
  const url = new URL(asked.url)
  const timeout = AbortSignal.timeout(asked.timeoutMs)
  const deadline = asked.signal ? AbortSignal.any([timeout, asked.signal]) : timeout
  const addresses = await inTime(addressesOf(url, asked), deadline)
  const length = sent === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(sent)) }
  const options: RequestOptions = {
    method,
    headers: { ...asked.headers, ...length, Connection: 'close' },
    agent: false,
    lookup: answering(addresses),
    rejectUnauthorized: asked.verifiesCertificates,
    signal: deadline,
  }
  const response = await send(url, options, sent, (error) => describe(error, deadline, asked.timeoutMs))
  const body = await readStart(response, asked.maxResponseBytes)
  return { status: response.statusCode ?? 0, headers: flat(response.headers), body }
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

async function addressesOf(url: URL, { resolve, reachesPrivate }: Get): Promise<readonly string[]> {
  const host = hostOf(url)
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => [])
  if (addresses.length === 0) throw new NoResponse(`the host name ${host} has no address`)
  if (!reachesPrivate && !addresses.every(isPublicAddress)) {
    throw new ForbiddenAddress(`${host} resolves to this machine or a private network, which is not allowed`)
  }
  return addresses
}

function send(
  url: URL,
  options: RequestOptions,
  body: string | undefined,
  explain: (error: Error) => string,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const sent = request(url, options)
    sent.once('response', resolve)
    // Later errors of the connection are reported while the body is read.
    sent.on('error', (error) => reject(new NoResponse(explain(error))))
    sent.end(body)
  })
}

function answering(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, done) => {
    const [first] = found
    if (options.all || !first) done(null, found)
    else done(null, first.address, first.family)
  }
}

/** Reads the beginning of the body without waiting for the rest. Returns what arrived of an interrupted body. */
async function readStart(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // A stream of bytes yields buffers.
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= maxBytes) break
    }
  } catch {
    // The status was received, which is sufficient.
  }
  response.destroy()
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8').replaceAll('\0', '\ufffd')
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}

/** Rejects when the deadline passes. Name resolution itself cannot be aborted. */
function inTime<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    deadline.addEventListener('abort', () => reject(new NoResponse('the name was not resolved in time')), {
      once: true,
    })
    work.then(resolve, reject)
  })
}

function describe(error: Error, deadline: AbortSignal, timeoutMs: number): string {
  if (deadline.aborted) return `there was no response within ${timeoutMs / 1000} seconds`
  const { code } = error as NodeJS.ErrnoException // Node's errors may have a code
  if (error instanceof AggregateError) return `the connection failed (${code ?? 'no address answered'})`
  return code && !error.message.includes(code) ? `${error.message} (${code})` : error.message
}
