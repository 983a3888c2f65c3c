import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { startReceiver } from './receiver.ts'

/** Issuer of tokens with its discovery document and keys on a loopback address. */
export interface Issuer {
  url: string
  jwksUrl: string
  /** Paths of the requests so far. */
  requests(): string[]
  /** Signs a token with the newest key. Claims that are undefined are left out. */
  sign(claims?: Record<string, unknown>, header?: { alg?: string; kid?: string }): Promise<string>
  /** Replaces the key, under a new id. */
  rotate(): Promise<void>
  keys(): { keys: object[] }
  /** Status of responses; 200 with the documents. */
  fail(status: number): void
}

/** Starts an issuer. `now` is the time at which tokens are issued, for ten minutes. */
export async function startIssuer(now: () => string, alg = 'RS256'): Promise<Issuer> {
  const receiver = await startReceiver()
  let status = 200
  let generation = 0
  let pair = await generateKeyPair(alg)
  let keys: { keys: object[] } = { keys: [] }
  const url = `http://127.0.0.1:${receiver.port}`
  const publish = async () => {
    keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: `key-${generation}`, alg, use: 'sig' }] }
  }
  await publish()
  receiver.answer = (response, { path }) => {
    if (status !== 200) return void response.writeHead(status).end()
    const document = path === '/jwks' ? keys : { issuer: url, jwks_uri: `${url}/jwks` }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document))
  }
  return {
    url,
    jwksUrl: `${url}/jwks`,
    requests: () => receiver.received.map(({ path }) => path),
    sign(claims = {}, header = {}) {
      const issuedAt = Math.floor(Date.parse(now()) / 1000)
      const all = { iss: url, aud: 'https://alcove.test', iat: issuedAt, exp: issuedAt + 600, ...claims }
      const token = new SignJWT(all).setProtectedHeader({ alg, kid: `key-${generation}`, ...header })
      return token.sign(pair.privateKey)
    },
    async rotate() {
      pair = await generateKeyPair(alg)
      generation++
      await publish()
    },
    keys: () => keys,
    fail: (next) => {
      status = next
    },
  }
}
