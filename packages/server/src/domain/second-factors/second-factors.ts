import { badRequest, forbidden, invalid, notFound, refused } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { userEntity } from '../audit/audit-event.ts'
import type { AuditEventName } from '../audit/event-name.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { logSecurity } from '../sign-in/security-log.ts'
import { endAllSessions } from '../sign-in/sessions.ts'
import type { User } from '../users/user.ts'
import { lockUser, setHasSecondFactor } from '../users/users.ts'
import { attemptChallenge, endChallengesOf, type OpenedChallenge, openChallenge, useChallenge } from './challenges.ts'
import { deletePasskey, deletePasskeysOf, insertPasskey, listPasskeysOf, updatePasskeyName } from './passkey-queries.ts'
import { verifyNewPasskey } from './passkeys.ts'
import { countRecoveryCodes, deleteRecoveryCodesOf } from './recovery-code-queries.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'
import { isLocalSession, isSecondFactorRequired } from './requirement.ts'
import type { Passkey, SecondFactorMethod, SecondFactors } from './second-factor.ts'
import { encodeSecret, stepOfCode, totpUri } from './totp.ts'
import { deleteTotpSecret, findTotpSecret, upsertTotpSecret } from './totp-secret-queries.ts'

const maxPasskeys = 20
const maxNameLength = 100
const secretBytes = 20

export async function findSecondFactors({ db }: Deps, userId: number): Promise<SecondFactors> {
  const [totp, passkeys, recoveryCodes] = await Promise.all([
    findTotpSecret(db, userId),
    listPasskeysOf(db, userId),
    countRecoveryCodes(db, userId),
  ])
  return { totpSince: totp?.createdAt ?? null, passkeys, recoveryCodes }
}

/** Returns the ways in which the user can complete a sign-in. */
export async function listMethods(deps: Deps, userId: number): Promise<SecondFactorMethod[]> {
  const { totpSince, passkeys, recoveryCodes } = await findSecondFactors(deps, userId)
  return [
    ...(totpSince !== null ? (['totp'] as const) : []),
    ...(passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(recoveryCodes > 0 ? (['recovery_code'] as const) : []),
  ]
}

/** Begins the set-up of one-time codes. The secret counts when `finishTotp` gets a code of it. */
export async function beginTotp(
  deps: Deps,
  caller: Caller,
  origin: string,
): Promise<OpenedChallenge & { secret: string; uri: string }> {
  assertLocalSession(caller)
  const { user } = caller
  const secret = await encodeSecret(deps.random(secretBytes))
  const opened = await openChallenge(deps, { kind: 'new_totp', userId: user.id, totpSecret: secret })
  return { ...opened, secret, uri: await totpUri(secret, user.username, `Alcove ${new URL(origin).hostname}`) }
}

/** Completes the set-up of one-time codes. Returns recovery codes if the user had none. */
export async function finishTotp(
  deps: Deps,
  caller: Caller,
  { challenge, code }: { challenge: string; code: string },
): Promise<string[] | null> {
  assertLocalSession(caller)
  const { user } = caller
  const attempt = await attemptChallenge(deps, 'new_totp', challenge)
  const secret = attempt?.totpSecret
  if (attempt?.userId !== user.id || !secret) throw refused('This set-up has expired. Start again.')
  const step = await stepOfCode(secret, code.replace(/\s/g, ''), deps.now())
  if (step === undefined) throw invalid({ code: ['is invalid'] })
  const codes = await transaction(deps, async (deps) => {
    if (!(await useChallenge(deps, 'new_totp', challenge))) throw refused('This set-up has expired. Start again.')
    const codes = await enable(deps, caller)
    await upsertTotpSecret(deps.db, user.id, { secret, lastStep: step, createdAt: deps.now() })
    await recordChange(deps, 'second_factor_added', user, 'Set up an authenticator app')
    return codes
  })
  logSecurity(deps, 'second_factor.added', { user, reason: 'totp' })
  return codes
}

/** Stores a passkey that the user's browser has created. Returns it, and recovery codes if the user had none. */
export async function addPasskey(
  deps: Deps,
  caller: Caller,
  { name, response }: { name: string; response: object },
  origin: string,
): Promise<{ passkey: Passkey; recoveryCodes: string[] | null }> {
  assertLocalSession(caller)
  const { user } = caller
  const named = nameOf(name)
  const credential = await verifyNewPasskey(deps, user, response, origin)
  if (!credential) throw refused('The passkey could not be verified. Try again.')
  const added = await transaction(deps, async (deps) => {
    const recoveryCodes = await enable(deps, caller)
    if ((await listPasskeysOf(deps.db, user.id)).length >= maxPasskeys) {
      throw refused(`You have ${maxPasskeys} passkeys, which is the maximum. Remove one first.`)
    }
    const draft = { ...credential, userId: user.id, name: named, createdAt: deps.now() }
    const passkey = await insertPasskey(deps.db, draft)
    if (!passkey) throw refused('This passkey is already registered.')
    await recordChange(deps, 'second_factor_added', user, 'Added a passkey')
    return { passkey, recoveryCodes }
  })
  logSecurity(deps, 'second_factor.added', { user, reason: 'passkey' })
  return added
}

export async function renamePasskey(deps: Deps, caller: Caller, id: number, name: string): Promise<Passkey> {
  assertLocalSession(caller)
  const passkey = await updatePasskeyName(deps.db, caller.user.id, id, nameOf(name))
  if (!passkey) throw notFound('Passkey')
  return passkey
}

export async function removePasskey(deps: Deps, caller: Caller, id: number): Promise<void> {
  await remove(deps, caller, 'passkey', async ({ db }) => {
    if (!(await deletePasskey(db, caller.user.id, id))) throw notFound('Passkey')
  })
}

export async function removeTotp(deps: Deps, caller: Caller): Promise<void> {
  await remove(deps, caller, 'totp', async ({ db }) => {
    if (!(await deleteTotpSecret(db, caller.user.id))) throw notFound()
  })
}

/** Replaces the recovery codes of a user who has a second factor. */
export async function renewRecoveryCodes(deps: Deps, caller: Caller): Promise<string[]> {
  assertLocalSession(caller)
  const { user } = caller
  const codes = await transaction(deps, async (deps) => {
    const current = await lockUser(deps.db, user.id)
    if (!current?.hasSecondFactor) throw refused('Set up an authenticator app or a passkey first.')
    await recordChange(deps, 'recovery_codes_replaced', user, 'Replaced the recovery codes')
    return replaceRecoveryCodes(deps, user.id)
  })
  logSecurity(deps, 'recovery_codes.replaced', { user })
  return codes
}

/**
 * Removes all second factors of a user at the request of an administrator. As on GitLab, those of administrators can only
 * be removed with the command.
 */
export async function disableTwoFactor(deps: Deps, caller: Caller, user: User): Promise<void> {
  if (user.isAdmin) {
    throw forbidden(
      'Two-factor authentication for admins cannot be disabled via the API. Use the command alcove admin disable-two-factor.',
    )
  }
  if (!(await removeAllSecondFactors(deps, user))) {
    throw badRequest('Two-factor authentication is not enabled for this user')
  }
  logSecurity(deps, 'second_factor.removed', { user, by: caller.user, reason: 'by an administrator' })
}

/** Removes all second factors of a user. Returns false when there are none. */
export async function removeAllSecondFactors(deps: Deps, user: User): Promise<boolean> {
  return transaction(deps, async (deps) => {
    const current = await lockUser(deps.db, user.id)
    if (!current?.hasSecondFactor) return false
    await deleteTotpSecret(deps.db, user.id)
    await deletePasskeysOf(deps.db, user.id)
    await disable(deps, user.id)
    await recordChange(deps, 'user_disable_two_factor', user, 'Disabled two-factor authentication')
    return true
  })
}

async function remove(
  deps: Deps,
  caller: Caller,
  method: SecondFactorMethod,
  deleteFactor: (deps: Deps) => Promise<void>,
): Promise<void> {
  assertLocalSession(caller)
  const { user } = caller
  await transaction(deps, async (deps) => {
    await lockUser(deps.db, user.id)
    await deleteFactor(deps)
    await recordChange(
      deps,
      'second_factor_removed',
      user,
      `Removed ${method === 'totp' ? 'the authenticator app' : 'a passkey'}`,
    )
    const { totpSince, passkeys } = await findSecondFactors(deps, user.id)
    if (totpSince !== null || passkeys.length > 0) return
    if (isSecondFactorRequired(deps, user)) {
      throw refused('Two-factor authentication is required. Set up another authenticator app or passkey first.')
    }
    await disable(deps, user.id)
  })
  logSecurity(deps, 'second_factor.removed', { user, reason: method })
}

/**
 * Locks the user and requires a second factor from now on. With the first one the user's other sessions end, which were
 * started without it. Returns recovery codes if the user has none.
 */
async function enable(deps: Deps, { user, token }: Caller): Promise<string[] | null> {
  const current = await lockUser(deps.db, user.id)
  if (!current?.hasSecondFactor) {
    await setHasSecondFactor(deps, user.id, true)
    await endAllSessions(deps, user.id, token.id)
  }
  const unused = await countRecoveryCodes(deps.db, user.id)
  return unused > 0 ? null : replaceRecoveryCodes(deps, user.id)
}

async function recordChange(deps: Deps, name: AuditEventName, user: User, message: string): Promise<void> {
  await recordAuditEvent(deps, name, { entity: userEntity(user), message })
}

async function disable(deps: Deps, userId: number): Promise<void> {
  await deleteRecoveryCodesOf(deps.db, userId)
  await endChallengesOf(deps, userId)
  await setHasSecondFactor(deps, userId, false)
}

/** Rejects tokens, and sessions of tokens and identity providers: a second factor protects the sign-in with a password. */
function assertLocalSession(caller: Caller): void {
  if (!isLocalSession(caller)) throw forbidden('Sign in with your password to manage two-factor authentication.')
}

function nameOf(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') throw invalid({ name: ["can't be blank"] })
  if (trimmed.length > maxNameLength) throw invalid({ name: [`is too long (maximum is ${maxNameLength} characters)`] })
  return trimmed
}
