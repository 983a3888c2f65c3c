import type { JWTPayload } from 'jose'
import type { Reply } from './client.ts'
import type { TestServer } from './server.ts'
import type { ScriptedProvider } from './stand-ins/scripted-provider.ts'

/** A sign-in that a browser has begun. */
export interface BegunSignIn {
  /** Address at the provider. */
  url: URL
  /** Cookie of the browser that began. */
  cookie: string
}

/** Returns the cookies that a response sets, as a browser sends them back. */
export function cookiesOf({ cookies }: Reply): string {
  return cookies.map((cookie) => cookie.split(';')[0]).join('; ')
}

/** Begins a sign-in with the provider `corp`. */
export async function begin(
  server: TestServer,
  body: Record<string, unknown> = {},
  cookie?: string,
): Promise<BegunSignIn> {
  const reply = await server.anonymous.post('//-/oidc/corp', body, { headers: cookie ? { cookie } : {} })
  if (reply.status !== 201) throw new Error(`expected 201, got ${reply.status}: ${reply.text}`)
  return { url: new URL(reply.body.url), cookie: [cookie, cookiesOf(reply)].filter(Boolean).join('; ') }
}

/** Sends the provider's response to the callback, as the browser of the cookie does. */
export function complete(
  server: TestServer,
  { url, cookie }: BegunSignIn,
  parameters: Record<string, string> = {},
): Promise<Reply> {
  const state = url.searchParams.get('state') ?? ''
  const query = new URLSearchParams({ state, ...('error' in parameters ? {} : { code: 'code' }), ...parameters })
  return server.anonymous.get(`//-/oidc/corp/callback?${query}`, { headers: cookie ? { cookie } : {} })
}

/** Signs in with these claims at the scripted provider, and returns the response of the callback. */
export async function signInAt(
  server: TestServer,
  provider: ScriptedProvider,
  claims: JWTPayload,
  body: Record<string, unknown> = {},
): Promise<Reply> {
  const begun = await begin(server, body)
  provider.nonce = begun.url.searchParams.get('nonce') ?? undefined
  provider.claims = claims
  return complete(server, begun)
}

/** Returns the problem that the sign-in page is opened with. */
export function problemIn({ headers }: Reply): string | null {
  return new URL(headers['location'] ?? '', 'http://alcove.test').searchParams.get('problem')
}

/** Returns the session of the browser that a sign-in gave these cookies. */
export async function sessionOf(server: TestServer, reply: Reply): Promise<Reply['body']> {
  return (await server.anonymous.get('//-/session', { headers: { cookie: cookiesOf(reply) } })).body
}
