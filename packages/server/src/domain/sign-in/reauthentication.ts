import { Failure, forbidden, unauthenticated } from '../../platform/failure.ts'
import type { Caller, Client } from '../access/callers.ts'
import { userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { recordPasskeyUse, verifyPasskey } from '../second-factors/passkeys.ts'
import type { User } from '../users/user.ts'
import { logSecurity } from './security-log.ts'
import { updateAdminUntil, updateAuthenticatedAt } from './session-queries.ts'
import { isSignedInByPassword, isUnlimitedSession } from './sessions.ts'
import { provePassword, proveToken } from './sign-in.ts'

/** Number of minutes after entering the password in which a browser session may manage credentials. */
const reauthenticationMinutes = 15
const minuteMs = 60 * 1000
const adminHours = 6

/**
 * Rejects a session whose user has not recently entered the password, or the token that the session was signed in with.
 * An unattended browser therefore cannot be used to create lasting credentials. Access tokens are not affected.
 */
export function assertRecentlyAuthenticated(deps: Deps, { token }: Caller): void {
  if (token.kind !== 'session') return
  const oldest = Date.parse(deps.now()) - reauthenticationMinutes * minuteMs
  if (Date.parse(token.authenticatedAt ?? '') > oldest) return
  throw new Failure({ kind: 'reauthentication-required' })
}

/**
 * Renews the authentication of a session with the credential that it was signed in with: the token, or the password or a
 * passkey.
 */
export async function confirmSession(
  deps: RootDeps,
  caller: Caller,
  proof: { password?: string | undefined; token?: string | undefined; passkey?: object | undefined },
  { client, origin }: { client: Client; origin: string },
): Promise<void> {
  if (caller.token.kind !== 'session') throw forbidden()
  const { method } = caller.token
  if (method === 'provider' || method === 'link') throw forbidden('Sign in again to confirm who you are.')
  if (proof.passkey && method !== 'token') {
    await proveOwnPasskey(deps, caller, proof.passkey, origin)
  } else if (isSignedInByPassword(caller) || method === 'passkey') {
    if (proof.password === undefined) throw unauthenticated()
    await proveOwnPassword(deps, caller, proof.password)
  } else {
    const { token } = await proveToken(deps, proof.token ?? '', client)
    if (token.id !== caller.token.signedInWith) throw unauthenticated()
  }
  await updateAuthenticatedAt(deps.db, caller.token.id, deps.now())
  logSecurity(deps, 'session.confirmed', { user: caller.user, address: client.address })
}

/**
 * Gives this session its user's administrator rights for some hours, after checking the password. A session without a
 * password must have been authenticated recently instead.
 */
export async function enterAdminMode(deps: Deps, caller: Caller, password: string | undefined): Promise<void> {
  assertUnlimitedSession(caller)
  if (!isSignedInByPassword(caller)) {
    assertRecentlyAuthenticated(deps, caller)
    await startAdminMode(deps, caller, false)
    return
  }
  await proveOwnPassword(deps, caller, password ?? '')
  await startAdminMode(deps, caller, true)
}

function startAdminMode(deps: Deps, { user, token }: Caller, isReauthenticated: boolean): Promise<void> {
  return transaction(deps, async (deps) => {
    await updateAdminUntil(deps.db, token.id, adminUntil(deps))
    if (isReauthenticated) await updateAuthenticatedAt(deps.db, token.id, deps.now())
    await recordAuditEvent(deps, 'admin_mode_entered', { entity: userEntity(user), message: 'Entered admin mode' })
  })
}

export async function leaveAdminMode(deps: Deps, caller: Caller): Promise<void> {
  assertUnlimitedSession(caller)
  await transaction(deps, async (deps) => {
    await updateAdminUntil(deps.db, caller.token.id, null)
    await recordAuditEvent(deps, 'admin_mode_left', { entity: userEntity(caller.user), message: 'Left admin mode' })
  })
}

function adminUntil(deps: Deps): string {
  return new Date(Date.parse(deps.now()) + adminHours * 60 * minuteMs).toISOString()
}

async function proveOwnPasskey(deps: Deps, { user }: Caller, response: object, origin: string): Promise<void> {
  const use = await verifyPasskey(deps, response, origin)
  if (use?.passkey.userId !== user.id || !(await recordPasskeyUse(deps, use))) throw unauthenticated()
}

/** Checks the caller's password. Wrong ones are counted per session or token, which cannot lock out the others. */
export async function proveOwnPassword(deps: Deps, { user, token }: Caller, password: string): Promise<User> {
  const kind = token.kind === 'session' ? 'session' : 'token'
  try {
    return await provePassword(deps, user, password, { subject: `${kind} ${token.id}`, party: `user ${user.id}` })
  } catch (error) {
    if (error instanceof Failure) logSecurity(deps, 'password.not_confirmed', { user, reason: error.cause.kind })
    throw error
  }
}

function assertUnlimitedSession(caller: Caller): void {
  if (!isUnlimitedSession(caller)) throw forbidden()
}
