import { setTimeout as sleep } from 'node:timers/promises'
import { errors, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose'
import {
  allowInsecureRequests,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  clockSkew,
  clockTolerance,
  customFetch,
  discovery,
  None,
  ResponseBodyError,
  type ServerMetadata,
} from 'openid-client'
import { guardedFetch, TooLargeResponse } from '../../platform/outgoing/fetch.ts'
import { NoResponse } from '../../platform/outgoing/send.ts'
import type { OidcProvider } from '../../platform/settings/oidc-settings.ts'
import { type FindKey, NoKeys, openIssuerKeys } from '../bots/trust/issuer-keys.ts'
import { algorithms } from '../bots/trust/unverified-token.ts'
import type { Deps } from '../deps.ts'

/** Difference between the clocks of provider and server that is accepted. */
export const clockToleranceSeconds = 60
const timeoutMs = 10_000
/** Time for which signing out waits for the metadata. */
const maxWaitMs = 2000
const maxResponseBytes = 512 * 1024
/** After this time the provider's metadata are loaded again. */
const freshMs = 10 * 60 * 1000

/** What a process holds of a provider. */
interface Held {
  metadata: ServerMetadata | undefined
  loadedAt: number
  loading: Promise<ServerMetadata> | undefined
  findKey: FindKey
}

/** By the provider's settings, which exist once per process. */
const held = new WeakMap<OidcProvider, Held>()

function heldOf(provider: OidcProvider): Held {
  const known = held.get(provider)
  if (known) return known
  const made = { metadata: undefined, loadedAt: 0, loading: undefined, findKey: openIssuerKeys() }
  held.set(provider, made)
  return made
}

/** Returns a client of the provider, whose clock is that of `deps`. Loads the provider's metadata when they are old. */
export async function openClient(deps: Deps, provider: OidcProvider): Promise<Configuration> {
  return configure(deps, provider, await loadMetadata(deps, provider))
}

function configure(deps: Deps, provider: OidcProvider, metadata: ServerMetadata): Configuration {
  const config = new Configuration(metadata, provider.clientId, clientMetadata(deps, provider), clientAuth(provider))
  config[customFetch] = fetchOf(deps)
  for (const allow of insecure(provider)) allow(config)
  return config
}

/**
 * Verifies signature, issuer, audience and times of a token that the provider has signed for this client. Throws errors of
 * jose, and `NoKeys`.
 */
export async function verifyToken(
  deps: Deps,
  { provider, client }: { provider: OidcProvider; client: Configuration },
  token: string,
  options: JWTVerifyOptions = {},
): Promise<JWTVerifyResult> {
  return jwtVerify(token, keyOf(deps, provider, client.serverMetadata()), {
    algorithms,
    issuer: client.serverMetadata().issuer,
    audience: provider.clientId,
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(deps.now()),
    ...options,
  })
}

/** Returns the function with which jose finds the key of a token of this provider. */
function keyOf(deps: Deps, provider: OidcProvider, metadata: ServerMetadata) {
  const { issuer, jwks_uri: jwksUrl } = metadata
  if (issuer.startsWith('https:') && jwksUrl?.startsWith('https:') === false) {
    throw new NoKeys('the address of the keys is without TLS')
  }
  const source = { issuer, jwksUrl: jwksUrl ?? null, jwks: null, reachesPrivate: deps.settings.oidc.reachesPrivate }
  const { findKey } = heldOf(provider)
  return (...[header, token]: [Parameters<typeof findKey>[2], Parameters<typeof findKey>[3]]) =>
    findKey(deps, source, header, token)
}

/**
 * Returns a client with the metadata that this process has, however old, or loads them. Returns `undefined` when that fails
 * or takes more than two seconds, so that signing out works without the provider.
 */
export async function findClient(deps: Deps, provider: OidcProvider): Promise<Configuration | undefined> {
  try {
    const waited = sleep(maxWaitMs, undefined, { ref: false })
    const metadata = heldOf(provider).metadata ?? (await Promise.race([loadMetadata(deps, provider), waited]))
    if (metadata) return configure(deps, provider, metadata)
    deps.log.warn({ provider: provider.key }, 'the metadata of an identity provider were not loaded in time')
    return undefined
  } catch (error) {
    if (!isOutageOfProvider(error) && !isErrorOfProvider(error)) throw error
    deps.log.warn({ err: error, provider: provider.key }, 'the metadata of an identity provider could not be loaded')
    return undefined
  }
}

async function loadMetadata(deps: Deps, provider: OidcProvider): Promise<ServerMetadata> {
  const known = heldOf(provider)
  const now = Date.parse(deps.now())
  if (known.metadata && Math.abs(now - known.loadedAt) < freshMs) return known.metadata
  known.loading ??= discover(deps, provider).finally(() => {
    known.loading = undefined
  })
  const metadata = await known.loading
  known.metadata = metadata
  known.loadedAt = now
  return metadata
}

async function discover(deps: Deps, provider: OidcProvider): Promise<ServerMetadata> {
  const config = await discovery(new URL(provider.issuer), provider.clientId, undefined, None(), {
    [customFetch]: fetchOf(deps),
    execute: insecure(provider),
  })
  return config.serverMetadata()
}

/** An issuer without TLS is accepted by the settings only where private networks are. */
function insecure({ issuer }: OidcProvider) {
  return issuer.startsWith('http:') ? [allowInsecureRequests] : []
}

function fetchOf({ settings, resolve }: Deps) {
  return guardedFetch({ timeoutMs, maxResponseBytes, reachesPrivate: settings.oidc.reachesPrivate, resolve })
}

function clientMetadata(deps: Deps, { clientSecret }: OidcProvider) {
  return {
    ...(clientSecret && { client_secret: clientSecret }),
    [clockSkew]: Math.round((Date.parse(deps.now()) - Date.now()) / 1000),
    [clockTolerance]: clockToleranceSeconds,
  }
}

function clientAuth({ clientSecret, clientAuth }: OidcProvider) {
  if (clientSecret === undefined) return None()
  return clientAuth === 'client_secret_post' ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret)
}

/** Returns true when the provider does not respond, or responds that it cannot serve. */
export function isOutageOfProvider(error: unknown): boolean {
  if (error instanceof NoResponse || error instanceof NoKeys) return true
  if (error instanceof ResponseBodyError) return error.status >= 500
  if (!(error instanceof ClientError)) return false
  if (error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' || error.code === 'OAUTH_RESPONSE_IS_NOT_JSON') return true
  return error.cause !== undefined && isOutageOfProvider(error.cause)
}

/** Returns true when a library refuses what the provider has sent. It throws a TypeError for a key that it cannot use. */
export function isErrorOfProvider(error: unknown): boolean {
  const kinds = [ClientError, ResponseBodyError, errors.JOSEError, TypeError, DOMException]
  return kinds.some((kind) => error instanceof kind)
}

/** Returns true when a response of the provider is larger than this server accepts. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof TooLargeResponse || (error instanceof ClientError && isTooLarge(error.cause))
}
