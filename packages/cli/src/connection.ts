import { type Client, createClient } from '@alcove/client'
import { requestIdToken } from './ci/id-token.ts'
import { wrongUsage } from './exit.ts'
import type { Io } from './io.ts'
import { readLogin } from './login-file.ts'
import { retryingFetch } from './retry.ts'

export interface ConnectionOptions {
  /** Address of the server, in place of `ALCOVE_URL` and the login file. */
  url?: string | undefined
  /** How long failed attempts are repeated, in seconds. */
  retry?: number | undefined
  /** Maximum duration of one request, in seconds. */
  timeout?: number | undefined
}

export interface Connection {
  client: Client
  /** Address of the server, without a slash at its end. */
  url: string
}

const defaultRetrySeconds = 60
const defaultTimeoutSeconds = 300

/** Creates a client from the options, the environment or the login file. */
export async function connect(io: Io, options: ConnectionOptions): Promise<Connection> {
  const { url, token } = await findCredentials(io, options.url)
  return { url, client: clientFor(io, { ...options, url, token }) }
}

export interface Target {
  url: string
  token: string
  retry?: number | undefined
  timeout?: number | undefined
}

/** Creates a client of a server. Its requests are repeated after temporary failures. */
export function clientFor(io: Io, { url, token, retry, timeout }: Target): Client {
  const send = retryingFetch(io, {
    retryMs: (retry ?? defaultRetrySeconds) * 1000,
    attemptMs: (timeout ?? defaultTimeoutSeconds) * 1000,
  })
  const fetch: typeof send = async (input, init) => {
    const response = await send(input, init)
    assertNotMoved(url, response)
    return response
  }
  return createClient({ origin: url, headers: { authorization: `Bearer ${token}` }, fetch })
}

/** Throws when the server is at another address: `fetch` sends no token there, and a POST has become a GET. */
function assertNotMoved(url: string, { redirected, url: final }: Response): void {
  if (!redirected || final.startsWith(`${url}/`)) return
  const { origin, pathname } = new URL(final)
  // A download may be redirected to a bucket.
  if (!pathname.includes('/api/v4/')) return
  throw wrongUsage(`${url} redirects to ${origin}. Set ALCOVE_URL to the address that it redirects to.`)
}

async function findCredentials(io: Io, option: string | undefined): Promise<{ url: string; token: string }> {
  const login = await readLogin(io)
  const address = option ?? io.env['ALCOVE_URL'] ?? login?.url
  if (!address) {
    throw wrongUsage('The address of the server is missing. Set ALCOVE_URL, or sign in with: alcove login')
  }
  const url = parseServerUrl(address)
  const token = io.env['ALCOVE_TOKEN']?.trim()
  if (token) return { url, token: assertToken(token) }
  const idToken = await requestIdToken(io, url)
  if (idToken) return { url, token: assertToken(idToken) }
  // A stored token is sent only to the server that it belongs to.
  if (login?.url === url) return { url, token: login.token }
  throw wrongUsage(`There is no token for ${url}. Set ALCOVE_TOKEN, or sign in with: alcove login --url ${url}`)
}

/** Parses the address of a server. Throws when it is not an address of HTTP. */
export function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw wrongUsage(`${JSON.stringify(text)} is not the address of a server. Example: https://alcove.example.com`)
  }
  if (url.username || url.password) throw wrongUsage('The address of the server must not contain a password.')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** Returns the token. Throws when it cannot be sent in a header. */
export function assertToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw wrongUsage('The token has spaces or characters that no token has. Check ALCOVE_TOKEN.')
}
