import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWSHeaderParameters } from 'jose'
import { get } from '../../../platform/outgoing/send.ts'
import { isUsableUrl } from '../../../platform/outgoing/usable-url.ts'
import { weightedLru } from '../../../platform/weighted-lru.ts'
import type { Deps } from '../../deps.ts'
import type { TrustRelationDraft } from './trust-relation.ts'

type KeySet = ReturnType<typeof createLocalJWKSet>
type KeySource = Pick<TrustRelationDraft, 'issuer' | 'jwksUrl' | 'jwks'> & {
  /** Whether this machine and private networks are allowed. Default: as for webhooks. */
  reachesPrivate?: boolean
}

/** Returns the key that signed a token. Throws an error of jose, or `NoKeys`. */
export type FindKey = (
  deps: Deps,
  source: KeySource,
  header: JWSHeaderParameters,
  token: FlattenedJWSInput,
) => Promise<CryptoKey>

/** Thrown when the keys of an issuer could not be loaded. The message is for the log. */
export class NoKeys extends Error {
  override readonly name = 'NoKeys'
}

interface Loaded {
  keys: KeySet | undefined
  /** Times in milliseconds of the last attempt and of the last success. */
  triedAt: number
  loadedAt: number
  loading: Promise<void> | undefined
}

const maxSources = 1000
const minuteMs = 60 * 1000
/** After this time keys are loaded again while they are still used. */
const freshMs = 10 * minuteMs
/** After this time keys are no longer used, because the issuer may have withdrawn them. */
const usableMs = 24 * 60 * minuteMs
/** Time between two attempts, after a failure as well as for unknown keys. */
const retryMs = 30 * 1000

/** Opens a process's cache of the keys of issuers. Concurrent requests share one load; a failure is cached too. */
export function openIssuerKeys(): FindKey {
  const sources = weightedLru<Loaded>(maxSources, () => 1)
  const pasted = new WeakMap<JSONWebKeySet, KeySet>()

  return async (deps, source, header, token) => {
    if (source.jwks) return keysOf(source.jwks)(header, token)
    const now = Date.parse(deps.now())
    const name = source.jwksUrl ?? `discovery of ${source.issuer}`
    const held = sources.get(name) ?? { keys: undefined, triedAt: 0, loadedAt: 0, loading: undefined }
    sources.set(name, held)
    if (held.keys && now - held.loadedAt > usableMs) held.keys = undefined
    if (!held.keys) await load(deps, source, held)
    else if (now - held.loadedAt > freshMs) load(deps, source, held).catch(() => {}) // the old keys are still usable
    const { keys } = held
    if (!keys) throw new NoKeys('the keys of the issuer could not be loaded')
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      // The issuer may have new keys.
      await load(deps, source, held).catch(() => {})
      if (held.keys === keys || !held.keys) throw error
      return held.keys(header, token)
    }
  }

  function keysOf(jwks: JSONWebKeySet): KeySet {
    const known = pasted.get(jwks)
    if (known) return known
    const keys = createLocalJWKSet(jwks)
    pasted.set(jwks, keys)
    return keys
  }
}

/** Loads the keys unless that was tried a moment ago. Throws `NoKeys` when loading fails. */
function load(deps: Deps, source: KeySource, held: Loaded): Promise<void> {
  if (held.loading !== undefined) return held.loading
  const now = Date.parse(deps.now())
  if (now - held.triedAt < retryMs) return Promise.resolve()
  held.triedAt = now
  held.loading = fetchKeys(deps, source)
    .then((keys) => {
      held.keys = keys
      held.loadedAt = now
    })
    .catch((error: unknown) => {
      deps.log.warn({ err: error, issuer: source.issuer }, 'the keys of an issuer could not be loaded')
      throw new NoKeys('the keys of the issuer could not be loaded', { cause: error })
    })
    .finally(() => {
      held.loading = undefined
    })
  return held.loading
}

async function fetchKeys(deps: Deps, { issuer, jwksUrl, reachesPrivate }: KeySource): Promise<KeySet> {
  const url = jwksUrl ?? (await discover(deps, issuer))
  const keys = await fetchJson(deps, url, reachesPrivate)
  const jwks = readKeySet(keys)
  if (!jwks) throw new NoKeys('the response is not a JSON Web Key Set of public keys')
  return createLocalJWKSet(jwks)
}

async function discover(deps: Deps, issuer: string): Promise<string> {
  const document = await fetchJson(deps, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { issuer: named, jwks_uri: address } = document
  if (named !== issuer) throw new NoKeys('the discovery document names another issuer')
  if (typeof address !== 'string' || !isIssuerUrl(deps, address)) {
    throw new NoKeys('the discovery document has no usable jwks_uri')
  }
  return address
}

/** Returns true for an address from which keys may be loaded: HTTPS, or HTTP where private networks are allowed. */
export function isIssuerUrl({ settings }: Pick<Deps, 'settings'>, url: string): boolean {
  const { webhooksReachPrivate: reachesPrivate } = settings
  return isUsableUrl(url, reachesPrivate) && (reachesPrivate || url.startsWith('https://'))
}

async function fetchJson(
  deps: Deps,
  url: string,
  reachesPrivate = deps.settings.webhooksReachPrivate,
): Promise<Record<string, unknown>> {
  const { status, body } = await get({
    url,
    headers: { Accept: 'application/json' },
    timeoutMs: 5_000,
    maxResponseBytes: 256 * 1024,
    verifiesCertificates: true,
    reachesPrivate,
    resolve: deps.resolve,
    signal: undefined,
  })
  if (status !== 200) throw new NoKeys(`the issuer responded with ${status}`)
  const value: unknown = JSON.parse(body)
  if (!isObject(value)) throw new NoKeys('the response is not a JSON object')
  return value
}

const maxKeys = 100
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** Returns a key set of public keys, or `undefined` for anything else. */
export function readKeySet(value: unknown): JSONWebKeySet | undefined {
  if (!isObject(value) || !Array.isArray(value['keys'])) return undefined
  const keys: unknown[] = value['keys']
  const isPublic = (key: unknown) =>
    isObject(key) &&
    ['RSA', 'EC', 'OKP'].includes(String(key['kty'])) &&
    privateMembers.every((member) => !(member in key))
  const known = keys.filter(isPublic)
  if (known.length !== keys.length || keys.length === 0 || keys.length > maxKeys) return undefined
  return { keys: known as JSONWebKeySet['keys'] } // createLocalJWKSet checks the members when it uses a key
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
