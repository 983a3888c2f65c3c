import { Failure } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import type { Deps } from '../deps.ts'
import type { User } from '../users/user.ts'

/** Returns whether the operator requires a second factor of this user. */
export function isSecondFactorRequired({ settings }: Pick<Deps, 'settings'>, user: User): boolean {
  if (settings.requiredSecondFactor === 'everyone') return true
  return settings.requiredSecondFactor === 'administrators' && user.isAdmin
}

/**
 * Returns whether the session may only be used to set up a second factor. Tokens, and sessions that were started with a
 * token or an identity provider, which has second factors of its own, are not limited.
 */
export function mustSetUpSecondFactor(deps: Pick<Deps, 'settings'>, caller: Caller): boolean {
  return isLocalSession(caller) && !caller.user.hasSecondFactor && isSecondFactorRequired(deps, caller.user)
}

/** Rejects a session that must set up a second factor first. */
export function assertSecondFactorSetUp(deps: Pick<Deps, 'settings'>, caller: Caller): void {
  if (mustSetUpSecondFactor(deps, caller)) throw new Failure({ kind: 'second-factor-required' })
}

/** Returns true for a session that was started at this server and not with a token. */
export function isLocalSession({ token }: Caller): boolean {
  return token.kind === 'session' && token.method !== 'token' && token.method !== 'provider'
}
