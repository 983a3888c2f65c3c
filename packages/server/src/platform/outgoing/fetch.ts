import { get, NoResponse, post, type Resolve } from './send.ts'

interface FetchOptions {
  method: string
  headers: Record<string, string>
  body: unknown
}

/** Thrown for a response that is larger than the limit. */
export class TooLargeResponse extends Error {
  override readonly name = 'TooLargeResponse'
}

/**
 * Returns a function with the interface of `fetch` for GET and POST, which libraries accept in its place. It sends by the
 * rules of `post`: checked addresses, no redirects.
 */
export function guardedFetch({
  timeoutMs,
  maxResponseBytes,
  reachesPrivate,
  resolve,
}: {
  timeoutMs: number
  maxResponseBytes: number
  reachesPrivate: boolean
  resolve: Resolve
}): (url: string, options: FetchOptions) => Promise<Response> {
  return async (url, { method, headers, body }) => {
    const request = {
      url,
      headers,
      timeoutMs,
      maxResponseBytes: maxResponseBytes + 1,
      verifiesCertificates: true,
      reachesPrivate,
      resolve,
      signal: undefined,
    }
    const text = body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : ''
    const answer = method === 'POST' ? await post({ ...request, body: text }) : await get(request)
    if (Buffer.byteLength(answer.body) > maxResponseBytes) {
      throw new TooLargeResponse(`the response is larger than ${maxResponseBytes} bytes`)
    }
    if (answer.status < 200 || answer.status > 599) throw new NoResponse(`the response has the status ${answer.status}`)
    const isEmpty = answer.status === 204 || answer.status === 304
    return new Response(isEmpty ? null : answer.body, { status: answer.status, headers: answer.headers })
  }
}
