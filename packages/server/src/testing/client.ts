import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { User } from '../domain/users/user.ts'
import type { Server } from '../http/server.ts'

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  body: any
  /** The body, decompressed. */
  text: string
  /** The body as it was sent. */
  bytes: Buffer
  headers: Record<string, string | undefined>
  /** Cookies that the response sets. */
  cookies: readonly string[]
}

interface RequestOptions {
  headers?: Record<string, string>
}

/** Sends requests in process. Encodes plain objects as JSON, `URLSearchParams` as a form and `FormData` as multipart. */
export interface Client {
  /** User who sends the requests; absent for anonymous requests. */
  user?: User
  token?: string
  get(path: string, options?: RequestOptions): Promise<Reply>
  head(path: string, options?: RequestOptions): Promise<Reply>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Reply>
  put(path: string, body?: unknown, options?: RequestOptions): Promise<Reply>
  patch(path: string, body?: unknown, options?: RequestOptions): Promise<Reply>
  delete(path: string, body?: unknown, options?: RequestOptions): Promise<Reply>
}

/** Creates a client. Paths are relative to /api/v4; a path that begins with `//` is relative to the root. */
export function createClient(app: Server, identity: { user?: User; token?: string } = {}): Client {
  const send = async (method: Method, path: string, body: unknown, options: RequestOptions = {}): Promise<Reply> => {
    const { payload, type } = await encode(body)
    const response = await app.inject({
      method,
      url: path.startsWith('//') ? path.slice(1) : `/api/v4${path}`,
      headers: {
        ...(identity.token && { 'private-token': identity.token }),
        ...(type && { 'content-type': type }),
        ...options.headers,
      },
      ...(payload !== undefined && { payload }),
    })
    const text = decoded(response.rawPayload, response.headers['content-encoding']).toString()
    return {
      status: response.statusCode,
      body: response.headers['content-type'] === 'application/json' && text !== '' ? JSON.parse(text) : undefined,
      text,
      bytes: response.rawPayload,
      // Keeps the first value of a repeated header.
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [name, [value].flat()[0]?.toString()]),
      ),
      cookies: [response.headers['set-cookie'] ?? []].flat(),
    }
  }
  return {
    ...identity,
    get: (path, options) => send('GET', path, undefined, options),
    head: (path, options) => send('HEAD', path, undefined, options),
    post: (path, body, options) => send('POST', path, body, options),
    put: (path, body, options) => send('PUT', path, body, options),
    patch: (path, body, options) => send('PATCH', path, body, options),
    delete: (path, body, options) => send('DELETE', path, body, options),
  }
}

function decoded(bytes: Buffer, encoding: unknown): Buffer {
  if (bytes.length === 0 || encoding === undefined) return bytes
  return encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

async function encode(body: unknown): Promise<{ payload?: string | Buffer; type?: string }> {
  if (body === undefined) return {}
  if (body instanceof URLSearchParams) return { payload: body.toString(), type: 'application/x-www-form-urlencoded' }
  if (body instanceof FormData) {
    const response = new Response(body)
    return {
      payload: Buffer.from(await response.arrayBuffer()),
      type: response.headers.get('content-type') ?? '',
    }
  }
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { payload: body }
  return { payload: JSON.stringify(body), type: 'application/json' }
}

/** Returns a multipart form with one file and text fields. */
export function formWithFile(
  field: string,
  filename: string,
  content: string | Uint8Array,
  fields: Record<string, string> = {},
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append(field, new Blob([Buffer.from(content)]), filename)
  return form
}
