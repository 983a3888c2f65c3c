import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider from 'oidc-provider'
import type { OidcProvider } from '../../platform/settings/oidc-settings.ts'

/** A real identity provider on loopback. Its pages ask for a login and for consent, each with a button to refuse. */
export interface RealProvider {
  settings: OidcProvider
  /** Groups that each login claims from its next sign-in on. */
  groups: Map<string, readonly string[]>
  /** Registers Alcove at this origin. The provider responds from then on. */
  open(origin: string): Promise<void>
  /** Replaces the key that signs tokens, with the provider's sessions unchanged. */
  rotateKey(): Promise<void>
  /** Makes the provider respond with 503 to every request, or serve again. */
  setDown(isDown: boolean): void
  close(): Promise<void>
}

export async function startRealProvider(settings: Partial<OidcProvider> = {}): Promise<RealProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
  const groups = new Map<string, readonly string[]>()
  let registered = ''
  let respond: Handler = refuse
  let isDown = false
  server.on('request', (request, response) => (isDown ? refuse : respond)(request, response))
  const open = async (origin: string) => {
    registered = origin
    respond = handlerOf(await createProvider(issuer, origin, groups))
  }
  return {
    groups,
    settings: {
      key: 'corp',
      name: 'Corp',
      issuer,
      clientId: 'alcove',
      clientSecret,
      clientAuth: 'client_secret_basic',
      scopes: 'openid profile email',
      readsUserInfo: true,
      usernameClaim: 'preferred_username',
      createsUsers: true,
      linksByEmail: false,
      trustsEmail: false,
      requires: [],
      signsOut: true,
      groupsClaim: 'groups',
      mapping: [],
      ...settings,
    },
    open,
    rotateKey: () => open(registered),
    setDown(value) {
      isDown = value
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}

const clientSecret = 'a secret of at least 32 characters'.replaceAll(' ', '-')

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const refuse: Handler = (_request, response) => void response.writeHead(503).end()

type Groups = ReadonlyMap<string, readonly string[]>

async function createProvider(issuer: string, origin: string, groups: Groups): Promise<Provider> {
  return new Provider(issuer, {
    clients: [
      {
        client_id: 'alcove',
        client_secret: clientSecret,
        redirect_uris: [new URL(`${origin}/-/oidc/corp/callback`).href],
        post_logout_redirect_uris: [new URL(`${origin}/-/sign_in`).href],
        backchannel_logout_uri: new URL(`${origin}/-/oidc/corp/backchannel_logout`).href,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'groups'], email: ['email', 'email_verified'] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id, groups: groups.get(id) ?? [] }),
    }),
    jwks: { keys: [await newKey()] },
    // Without the dispatcher, which refuses addresses on loopback.
    fetch: (url: string, { dispatcher: _refusing, ...options }: RequestInit & { dispatcher?: unknown }) =>
      fetch(url, options),
    cookies: { keys: ['key of the cookies'] },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        logoutSource(context: { body: string }, form: string) {
          context.body = logoutPage(form)
        },
      },
    },
  })
}

let keys = 0

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: `key ${++keys}`, alg: 'RS256', use: 'sig' }
}

function handlerOf(provider: Provider): Handler {
  const respond = provider.callback()
  return (request, response) => {
    const isInteraction = request.url?.startsWith('/interaction/')
    void (isInteraction ? interact(provider, request, response) : respond(request, response))
  }
}

/** Shows the page of a login or a consent, or applies its form. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(prompt.name))
    return
  }
  const form = await readForm(request)
  if (form.get('action') === 'refuse') {
    return provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'no <b>' })
  }
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: form.get('login') } })
  }
  const grant = new provider.Grant({ accountId: session?.accountId, clientId: params.client_id })
  grant.addOIDCScope(params.scope)
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}

const pageOf = (name: string) => `<!doctype html><html lang="en"><head><title>${name}</title>
<link rel="icon" href="data:,"></head><body><main><h1>Corp ${name}</h1><form method="post">
${name === 'login' ? '<label>Login <input name="login"></label>' : ''}
<button name="action" value="continue">Continue</button><button name="action" value="refuse">Refuse</button>
</form></main></body></html>`

const logoutPage = (form: string) => `<!doctype html><html lang="en"><head><title>logout</title>
<link rel="icon" href="data:,"></head><body><main><h1>Corp logout</h1>${form}
<button form="op.logoutForm" name="logout" value="yes">Sign out of Corp</button></main></body></html>`

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
