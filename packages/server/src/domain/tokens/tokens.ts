import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { crc32 } from 'node:zlib'
import { type Cache, openCache } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import { Failure, forbidden, notFound, unauthenticated } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { type Deps, transaction } from '../deps.ts'
import type { User } from '../users/user.ts'
import { assertNoGhost, findUserByReference } from '../users/users.ts'
import type { AccessToken, TokenHolder } from './token.ts'
import { findTokenByDigest, noteTokenAddress, noteTokenUse, revokeTokenFamily } from './token-queries.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'alpat-'

/** A new secret: `alpat-`, 34 random characters and 6 of checksum, so that leak scanners can tell it from noise. */
export function mintToken(random: (bytes: number) => Buffer): string {
  let body = ''
  while (body.length < 34) {
    // 248 is the largest multiple of 62 in a byte: above it characters would not be equally likely.
    for (const byte of random(48)) if (byte < 248 && body.length < 34) body += alphabet.charAt(byte % 62)
  }
  return prefix + body + checksum(body)
}

/** True for a text that this program could have minted. */
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

/** All that an instance knows; which of them a user may ask for is up to whoever issues the token. */
export const tokenScopes = [
  'api',
  'read_api',
  'read_user',
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

/** Those that only administrators can use. */
export const administratorScopes: readonly string[] = ['sudo', 'admin_mode', 'read_service_ping']

/** What a process remembers of tokens, so that not every request asks the database. */
export interface TokenMemory {
  holders: Cache<TokenHolder | undefined>
  /** By token id: what was last written down of its use. */
  noted: Map<number, NotedUse>
}

/** Times in ms. */
interface NotedUse {
  at: number
  /** Since when these addresses have been written down; for a while they are not again. */
  since: number
  addresses: Set<string>
}

export function openTokenMemory(changes: Changes): TokenMemory {
  return { holders: openCache(changes, ['access_tokens', 'users'], 10_000), noted: new Map() }
}

/** Who sends this token. Throws when nobody does, or nobody may any more. */
export async function authenticate(
  deps: Deps,
  token: string,
  memory: TokenMemory,
  { isRotation, address }: { isRotation: boolean; address: string },
): Promise<Caller> {
  const digest = digestToken(token)
  const holder = await memory.holders.get(digest, () => findTokenByDigest(deps.db, digest))
  if (!holder) throw unauthenticated()

  const now = deps.now()
  // Expiry before revocation: a token that is both is told the first (contract 1.5).
  if (isExpired(holder.token, now)) throw new Failure({ kind: 'token-expired' })
  if (holder.token.isRevoked) {
    // Somebody else may have the successor: whoever rotates a token twice has lost it or stolen it.
    if (isRotation) await revokeTokenFamily(deps.db, holder.token.familyId ?? holder.token.id)
    throw new Failure({ kind: 'token-revoked' })
  }
  assertActive(holder.user)
  noteUse(deps, holder.token.id, address, memory)
  return { user: holder.user, token: holder.token, isAdmin: mayAdminister(deps, holder.user, holder.token.scopes) }
}

/** The caller acting as somebody else (header `Sudo`); only administrators whose token carries the scope. */
export async function actAs(deps: Deps, caller: Caller, reference: string): Promise<Caller> {
  if (!caller.isAdmin) throw forbidden('Must be admin to use sudo')
  if (caller.token.kind === 'session') {
    throw forbidden('Must be authenticated using an OAuth or personal access token to use sudo')
  }
  if (!caller.token.scopes.includes('sudo')) throw new Failure({ kind: 'scope-too-small', accepted: ['sudo'] })
  const user = await findUserByReference(deps, reference)
  if (!user) throw notFound(`User with ID or username '${reference}'`)
  assertActive(user)
  return { user, token: caller.token, isAdmin: mayAdminister(deps, user, caller.token.scopes) }
}

/** In admin mode an administrator's token counts as anybody's, unless it says that it is for administrating. */
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

const noteEveryMs = 10 * 60 * 1000
const noteAddressEveryMs = 60 * 1000

/**
 * Best effort and never waited for: a lost note costs a few minutes of precision. A token that is used from many
 * addresses at once is not written down more often than one a minute.
 */
function noteUse(deps: Deps, tokenId: number, address: string, memory: TokenMemory): void {
  const now = deps.now()
  const at = Date.parse(now)
  const last = memory.noted.get(tokenId)
  if (!last || at - last.since >= noteEveryMs) {
    memory.noted.set(tokenId, { at, since: at, addresses: new Set([address]) })
  } else {
    if (last.addresses.has(address) || at - last.at < noteAddressEveryMs) return
    last.at = at
    last.addresses.add(address)
  }
  const writing = transaction(deps, async ({ db }) => {
    await noteTokenUse(db, tokenId, now)
    if (isIP(address) !== 0) await noteTokenAddress(db, tokenId, address, now, mostAddresses)
  })
  writing.catch((error: unknown) => deps.log.debug({ err: error }, 'the use of a token could not be noted'))
}

const mostAddresses = 5
