import { instanceEntity, userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent, recordFrequentAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { User } from '../users/user.ts'
import type { SignInMethod } from './session.ts'

/** Records a sign-in in the audit log, in the transaction that stores the session. */
export function recordSignIn(deps: Deps, user: User, method: SignInMethod): Promise<void> {
  return recordAuditEvent(deps, 'user_signed_in', {
    entity: userEntity(user),
    message: `Signed in with ${methodNames[method]}`,
    author: user,
    extra: { with: method },
  })
}

const methodNames: Readonly<Record<SignInMethod, string>> = {
  password: 'a password',
  passkey: 'a passkey',
  token: 'an access token',
  provider: 'an identity provider',
  link: 'a link',
}

/** Failures that are recorded within an hour: of one user, and of all unknown users together. */
const maxFailuresOfUser = 60
const maxFailuresOfUnknown = 600

/** Records a failed sign-in, up to a limit. What the client typed is not stored, because it may be a password. */
export function recordSignInFailure(
  deps: Deps,
  { user, method, reason }: { user?: User | undefined; method: SignInMethod; reason: string },
): Promise<void> {
  const draft = {
    entity: user ? userEntity(user) : instanceEntity,
    message: `Failed to sign in with ${methodNames[method]}`,
    author: null,
    extra: { failed_login: method.toUpperCase(), reason },
  }
  const max = user ? maxFailuresOfUser : maxFailuresOfUnknown
  return recordFrequentAuditEvent(deps, 'login_failed_with_standard_authentication', draft, max)
}

/** Records that a user has set their own password. */
export function recordPasswordChange(
  deps: Deps,
  user: User,
  { isByLink, revokesTokens }: { isByLink: boolean; revokesTokens: boolean },
): Promise<void> {
  const tokens = revokesTokens ? ' and revoked the personal access tokens' : ''
  return recordAuditEvent(deps, 'user_password_updated', {
    entity: userEntity(user),
    message: `Changed the password${isByLink ? ' with a link' : ''}${tokens}`,
    author: user,
  })
}
