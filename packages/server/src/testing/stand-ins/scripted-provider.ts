import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'
import type { OidcProvider } from '../../platform/settings/oidc-settings.ts'

/** Identity provider whose every response a test can choose, for attacks and errors that a real one does not produce. */
export interface ScriptedProvider {
  /** Settings for this provider, with the key `corp`. */
  settings: OidcProvider
  issuer: string
  /** Claims of the next ID token; they replace the usual ones. */
  claims: JWTPayload
  /** Claims of the userinfo endpoint, without `sub`. */
  userInfo: Record<string, unknown>
  /** Replaces the response of a path. */
  respond: Map<string, { status: number; body: string }>
  /** Parameters of the last request to the token endpoint. */
  lastExchange: URLSearchParams
  /** ID token of the last exchange. */
  lastIdToken: string
  /** The provider's metadata, which tests may replace before they are loaded. */
  metadata: Record<string, unknown>
  /** Nonce of the next ID token. */
  nonce: string | undefined
  /** Header and key of the next tokens. */
  signing: { key: CryptoKey | Uint8Array; header: { alg: string; kid?: string; typ?: string } }
  /** Replaces the published key by a new one, which also signs the next tokens. */
  rotateKey(): Promise<void>
  /** Signs a token with the current key. */
  sign(claims: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

let keys = 0

async function newKey(): Promise<{ jwk: JWK; signing: ScriptedProvider['signing'] }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const kid = `key ${++keys}`
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' },
    signing: { key: privateKey, header: { alg: 'ES256', kid } },
  }
}

/** Starts the provider on loopback until the test ends. */
export async function startScriptedProvider(settings: Partial<OidcProvider> = {}): Promise<ScriptedProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()))
  onTestFinished(() => void server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
  let { jwk, signing } = await newKey()

  const provider: ScriptedProvider = {
    issuer,
    settings: {
      key: 'corp',
      name: 'Corp',
      issuer,
      clientId: 'alcove',
      clientSecret: 'secret-of-alcove',
      clientAuth: 'client_secret_basic',
      scopes: 'openid profile email',
      readsUserInfo: false,
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
    claims: {},
    userInfo: {},
    respond: new Map(),
    lastExchange: new URLSearchParams(),
    lastIdToken: '',
    metadata: metadataOf(issuer),
    nonce: undefined,
    signing,
    async rotateKey() {
      const next = await newKey()
      jwk = next.jwk
      signing = next.signing
      provider.signing = signing
    },
    sign: (claims) => new SignJWT(claims).setProtectedHeader(provider.signing.header).sign(provider.signing.key),
    close,
  }

  async function idToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const usual = { iss: issuer, aud: provider.settings.clientId, iat: now, exp: now + 300, nonce: provider.nonce }
    return provider.sign({ ...usual, ...provider.claims })
  }

  const responses: Record<string, (body: string) => unknown> = {
    '/.well-known/openid-configuration': () => provider.metadata,
    '/keys': () => ({ keys: [jwk] }),
    '/userinfo': () => ({ ...provider.userInfo, sub: provider.claims.sub }),
    async '/token'(body) {
      provider.lastExchange = new URLSearchParams(body)
      provider.lastIdToken = await idToken()
      return { access_token: 'opaque', token_type: 'Bearer', id_token: provider.lastIdToken }
    },
  }
  server.on('request', (request, response) => void handle(request, response))

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const scripted = provider.respond.get(request.url ?? '')
    const body =
      scripted?.body ?? JSON.stringify(await responses[request.url ?? '']?.(Buffer.concat(chunks).toString()))
    response.writeHead(scripted?.status ?? 200, { 'content-type': 'application/json' }).end(body)
  }

  return provider
}

function metadataOf(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    end_session_endpoint: `${issuer}/logout`,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ['ES256', 'HS256'],
    authorization_response_iss_parameter_supported: false,
  }
}
