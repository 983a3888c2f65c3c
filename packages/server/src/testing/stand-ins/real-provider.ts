import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import Provider from 'oidc-provider'
import type { OidcProvider } from '../../platform/oidc-settings.ts'

/** A real identity provider on loopback. Its pages ask for a login and for consent, each with a button to refuse. */
export interface RealProvider {
  settings: OidcProvider
  /** Registers Alcove at this origin. The provider responds from then on. */
  open(origin: string): Promise<void>
  close(): Promise<void>
}

export async function startRealProvider(settings: Partial<OidcProvider> = {}): Promise<RealProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
  return {
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
      groupsClaim: 'groups',
      mapping: [],
      ...settings,
    },
    async open(origin) {
      server.on('request', handlerOf(await createProvider(issuer, origin)))
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}

const clientSecret = 'a secret of at least 32 characters'.replaceAll(' ', '-')

async function createProvider(issuer: string, origin: string): Promise<Provider> {
  return new Provider(issuer, {
    clients: [
      {
        client_id: 'alcove',
        client_secret: clientSecret,
        redirect_uris: [new URL(`${origin}/-/oidc/corp/callback`).href],
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id }),
    }),
    jwks: { keys: [await newKey()] },
    cookies: { keys: ['key of the cookies'] },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
    },
  })
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: 'key', alg: 'RS256', use: 'sig' }
}

function handlerOf(provider: Provider) {
  const respond = provider.callback()
  return (request: IncomingMessage, response: ServerResponse): void => {
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

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
