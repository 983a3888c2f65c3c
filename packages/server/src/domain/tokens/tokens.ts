import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { crc32 } from 'node:zlib'
import { type Cache, openCache } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import { Failure, forbidden, notFound, unauthenticated } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { type Deps, transaction } from '../deps.ts'
import type { User } from '../users/user.ts'
import { assertNoGhost, findUserById, findUserByReference } from '../users/users.ts'
import type { AccessToken, TokenHolder } from './token.ts'
import { findTokenByDigest, noteTokenAddress, noteTokenUse, revokeTokenFamily } from './token-queries.ts'

export { findTokenById, listIssuersFor, listIssuersOfFamily } from './token-queries.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'alpat-'

/** Returns a secret: `alpat-`, 34 random characters and a checksum of 6, by which secret scanners recognise it. */
export function mintToken(random: (bytes: number) => Buffer): string {
  let body = ''
  while (body.length < 34) {
    // 248 is the largest multiple of 62 that fits in a byte. Larger bytes are skipped, so that every character is
    // equally likely.
    for (const byte of random(48)) if (byte < 248 && body.length < 34) body += alphabet.charAt(byte % 62)
  }
  return prefix + body + checksum(body)
}

/** Returns true for text that has the format and checksum of a token. */
export function isMintedToken(text: string): boolean {
  const body = text.slice(prefix.length)
  return text.startsWith(prefix) && body.length === 40 && checksum(body.slice(0, 34)) === body.slice(34)
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let place = 0; place < 6; place++) {
    text = alphabet.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

export function digestToken(token: string): string {
  return hash('sha256', token)
}

/** All scopes that exist. The functions that issue tokens decide which of them a user may request. */
export const tokenScopes = [
  'api',
  'read_api',
  'read_user',
  // Ours: permits sending security reports and reading the imports of them, and nothing else.
  'write_security_reports',
  'create_runner',
  'manage_runner',
  'k8s_proxy',
  'self_rotate',
  'mcp',
  'granular',
  'ai_features',
  'read_repository',
  'write_repository',
  'read_virtual_registry',
  'write_virtual_registry',
  'read_observability',
  'write_observability',
  'sudo',
  'admin_mode',
  'read_service_ping',
] as const

/** Scopes that only administrators may use. */
export const administratorScopes: readonly string[] = ['sudo', 'admin_mode', 'read_service_ping']

/** Scopes of access tokens of projects and groups. */
export const botScopes = tokenScopes.filter((scope) => scope !== 'read_user' && !administratorScopes.includes(scope))

/** A process's cache of tokens, which saves a database query per request. */
export interface TokenCache {
  holders: Cache<TokenHolder | undefined>
  /** Last recorded use of each token, by token id. */
  noted: Map<number, NotedUse>
}

/** Recorded use of a token, with times in milliseconds. */
interface NotedUse {
  at: number
  /** Start of the interval in which each of these addresses is recorded only once. */
  since: number
  addresses: Set<string>
}

export function openTokenCache(changes: Changes): TokenCache {
  return { holders: openCache(changes, ['access_tokens', 'users'], 10_000), noted: new Map() }
}

/** Returns the caller of a token. Throws when it is unknown, expired or revoked, or its user is blocked. */
export async function authenticate(
  deps: Deps,
  token: string,
  cache: TokenCache,
  { isRotation, address }: { isRotation: boolean; address: string },
): Promise<Caller> {
  const digest = digestToken(token)
  const holder = cache.holders.peek(digest) ?? (await cache.holders.get(digest, () => findHolder(deps, digest)))
  if (!holder) throw unauthenticated()

  const now = deps.now()
  // Expiry is checked before revocation, as in GitLab: a token that is both is reported as expired.
  if (isExpired(holder.token, now)) throw new Failure({ kind: 'token-expired' })
  if (holder.token.isRevoked) {
    // Rotating a token twice suggests that it was stolen, so its successors are revoked too.
    if (isRotation) await revokeTokenFamily(deps.db, holder.token.familyId ?? holder.token.id)
    throw new Failure({ kind: 'token-revoked' })
  }
  assertActive(holder.user)
  noteUse(deps, { tokenId: holder.token.id, address, now }, cache)
  return { user: holder.user, token: holder.token, isAdmin: mayAdminister(deps, holder.user, holder.token.scopes) }
}

async function findHolder({ db }: Deps, digest: string): Promise<TokenHolder | undefined> {
  const token = await findTokenByDigest(db, digest)
  const user = token && (await findUserById(db, token.userId))
  return user && { token, user }
}

/** Returns the caller acting as another user (header `Sudo`). Requires an administrator and the scope `sudo`. */
export async function actAs(deps: Deps, caller: Caller, reference: string): Promise<Caller> {
  if (!caller.isAdmin) throw forbidden('Must be admin to use sudo')
  if (caller.token.kind === 'session') {
    throw forbidden('Must be authenticated using an OAuth or personal access token to use sudo')
  }
  if (!caller.token.scopes.includes('sudo')) throw new Failure({ kind: 'scope-too-small', accepted: ['sudo'] })
  const user = await findUserByReference(deps, reference)
  if (!user) throw notFound(`User with ID or username '${reference}'`)
  assertActive(user)
  return { user, token: caller.token, isAdmin: mayAdminister(deps, user, caller.token.scopes), sudoBy: caller.user }
}

/** Returns true for an administrator. When admin mode is enabled, the scopes must also include `admin_mode`. */
export function mayAdminister(deps: Deps, user: User, scopes: readonly string[]): boolean {
  return user.isAdmin && (!deps.settings.adminMode || scopes.includes('admin_mode'))
}

export function isExpired(token: Pick<AccessToken, 'expiresOn'>, now: string): boolean {
  return token.expiresOn !== null && token.expiresOn <= now.slice(0, 10)
}

export function assertActive(user: User): void {
  assertNoGhost(user)
  if (user.state === 'blocked' || user.state === 'banned') throw forbidden('Your account has been blocked.')
  if (user.state === 'deactivated') {
    throw forbidden('Your account has been deactivated by your administrator. Please log back in to reactivate it.')
  }
  if (user.state === 'unconfirmed') {
    throw forbidden(
      'Your primary email address is not confirmed. Please check your inbox for the confirmation instructions.',
    )
  }
}

const noteIntervalMs = 10 * 60 * 1000
const addressIntervalMs = 60 * 1000

/**
 * Records the use of a token. The write is best effort and not awaited: losing it costs a few minutes of precision. The
 * addresses of one token are recorded at most once a minute.
 */
function noteUse(
  deps: Deps,
  { tokenId, address, now }: { tokenId: number; address: string; now: string },
  cache: TokenCache,
): void {
  const at = Date.parse(now)
  const last = cache.noted.get(tokenId)
  if (!last || at - last.since >= noteIntervalMs) {
    cache.noted.set(tokenId, { at, since: at, addresses: new Set([address]) })
  } else {
    if (last.addresses.has(address) || at - last.at < addressIntervalMs) return
    last.at = at
    last.addresses.add(address)
  }
  const writing = transaction(deps, async ({ db }) => {
    await noteTokenUse(db, tokenId, now)
    if (isIP(address) !== 0) await noteTokenAddress(db, { tokenId, address, at: now, max: maxAddresses })
  })
  writing.catch((error: unknown) => deps.log.debug({ err: error }, 'the use of a token could not be noted'))
}

const maxAddresses = 5
