import { createHash } from 'node:crypto'

/** Thrown for a response with an unexpected status, which is a bug. Other errors are connection failures. */
export class UnexpectedResponse extends Error {}

export interface Api {
  /** Returns the parsed response after reading it completely. */
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  send(method: string, path: string, body?: object): Promise<any>
  bytes(path: string): Promise<Buffer>
  /** Returns the rows of all pages. */
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  list(path: string): Promise<any[]>
}

/** With a key, sends it as the `Idempotency-Key` of every POST. */
export function openApi(url: string, token: string, key?: string): Api {
  async function fetchBytes(method: string, path: string, body?: object) {
    const form = body instanceof FormData
    const response = await fetch(path.startsWith('http') ? path : `${url}/api/v4${path}`, {
      method,
      headers: {
        'private-token': token,
        ...(body && !form && { 'content-type': 'application/json' }),
        ...(key && method === 'POST' && { 'idempotency-key': key }),
      },
      ...(body && { body: form ? body : JSON.stringify(body) }),
    })
    const content = Buffer.from(await response.arrayBuffer())
    if (!response.ok)
      throw new UnexpectedResponse(`${method} ${path}: ${response.status} ${content.toString().slice(0, 500)}`)
    return { content, headers: response.headers }
  }

  return {
    async send(method, path, body) {
      const { content } = await fetchBytes(method, path, body)
      return content.length === 0 ? undefined : JSON.parse(content.toString())
    },
    bytes: async (path) => (await fetchBytes('GET', path)).content,
    async list(path) {
      const rows: unknown[] = []
      for (let page = '1'; page !== ''; ) {
        const separator = path.includes('?') ? '&' : '?'
        const { content, headers } = await fetchBytes('GET', `${path}${separator}per_page=100&page=${page}`)
        rows.push(...JSON.parse(content.toString()))
        page = headers.get('x-next-page') ?? ''
      }
      return rows
    },
  }
}

export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
