import { lookup } from 'node:dns/promises'
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './addresses.ts'

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

export const resolveByDns: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

export interface Post {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  /** For everything together: the name, the connection, the answer. */
  timeoutMs: number
  maxAnswerBytes: number
  verifiesCertificates: boolean
  /** Also to this machine and to private networks. */
  reachesPrivate: boolean
  resolve: Resolve
  /** Gives up when it is aborted. */
  signal: AbortSignal | undefined
}

export interface Answer {
  status: number
  headers: Record<string, string>
  /** As much of it as was read. */
  body: string
}

/** The request was not made, or nothing was answered; the message tells people why. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

/**
 * Posts to an address that somebody else chose. The name is resolved now, every address of it must be allowed, and the
 * connection goes to those addresses and no others, so that a name which changes its mind in between changes nothing.
 * Redirects are not followed. Throws `NoAnswer`.
 */
export async function post(asked: Post): Promise<Answer> {
  const url = new URL(asked.url)
  const timeout = AbortSignal.timeout(asked.timeoutMs)
  const deadline = asked.signal ? AbortSignal.any([timeout, asked.signal]) : timeout
  const addresses = await inTime(addressesOf(url, asked), deadline)
  const response = await send(url, addresses, asked, deadline)
  const body = await readStart(response, asked.maxAnswerBytes)
  return { status: response.statusCode ?? 0, headers: flat(response.headers), body }
}

/** The host of a URL as one connects to it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

async function addressesOf(url: URL, { resolve, reachesPrivate }: Post): Promise<readonly string[]> {
  const host = hostOf(url)
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => [])
  if (addresses.length === 0) throw new NoAnswer(`the name ${host} leads nowhere`)
  if (!reachesPrivate && !addresses.every(isPublicAddress)) {
    throw new NoAnswer(`${host} leads to this machine or into a private network, which is not allowed`)
  }
  return addresses
}

function send(url: URL, addresses: readonly string[], asked: Post, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: { ...asked.headers, 'Content-Length': String(Buffer.byteLength(asked.body)), Connection: 'close' },
      agent: false,
      lookup: answering(addresses),
      rejectUnauthorized: asked.verifiesCertificates,
      signal,
    })
    sent.once('response', resolve)
    // After the response too: what happens to the connection then is seen by whoever reads the body.
    sent.on('error', (error) => reject(new NoAnswer(describe(error, signal, asked.timeoutMs))))
    sent.end(asked.body)
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

/** The beginning of the body; what follows is not waited for, and a body that breaks off is as long as it came. */
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
    // The status has been answered, and that is what counts.
  }
  response.destroy()
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8').replaceAll('\0', '\ufffd')
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}

/** Resolving a name cannot be stopped, but need not be waited for. */
function inTime<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    deadline.addEventListener('abort', () => reject(new NoAnswer('the name was not resolved in time')), { once: true })
    work.then(resolve, reject)
  })
}

function describe(error: Error, deadline: AbortSignal, timeoutMs: number): string {
  if (deadline.aborted) return `nothing was answered within ${timeoutMs / 1000} seconds`
  const { code } = error as NodeJS.ErrnoException // what Node throws; without a code it is undefined
  if (error instanceof AggregateError) return `the connection failed (${code ?? 'no address answered'})`
  return code && !error.message.includes(code) ? `${error.message} (${code})` : error.message
}
