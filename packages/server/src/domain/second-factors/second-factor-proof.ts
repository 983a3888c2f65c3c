import { countGuess, removeGuesses } from '../access/password-guesses.ts'
import type { Deps } from '../deps.ts'
import type { User } from '../users/user.ts'
import { recordPasskeyUse, verifyPasskey } from './passkeys.ts'
import { deleteRecoveryCode } from './recovery-code-queries.ts'
import { digestRecoveryCode } from './recovery-codes.ts'
import type { SecondFactorMethod, SecondFactorProof } from './second-factor.ts'
import { stepOfCode } from './totp.ts'
import { advanceTotpStep, findTotpSecret } from './totp-secret-queries.ts'

/** Proof that is right and has not been used yet. */
export interface VerifiedProof {
  method: SecondFactorMethod
  /** Uses the proof up, in the transaction of what it permits. Returns false when another request has used it. */
  use(deps: Deps): Promise<boolean>
}

/**
 * Verifies a code or a passkey of the user. Returns `undefined` when it is wrong. Attempts are counted for the user, and
 * only those who know the password can make one.
 */
export async function verifySecondFactor(
  deps: Deps,
  user: User,
  proof: SecondFactorProof,
  origin: string,
): Promise<VerifiedProof | undefined> {
  await countGuess(deps, subjectOf(user))
  const { code, passkey } = proof
  if (passkey) {
    const used = await verifyPasskey(deps, passkey, origin)
    if (used?.passkey.userId !== user.id) return undefined
    return { method: 'passkey', use: (deps) => recordPasskeyUse(deps, used) }
  }
  const text = (code ?? '').replace(/\s/g, '')
  return /^\d{6}$/.test(text) ? verifyTotp(deps, user, text) : verifyRecoveryCode(user, text)
}

/** Resets the count of attempts, after a proof was used. */
export async function removeSecondFactorGuesses(deps: Deps, user: User): Promise<void> {
  await removeGuesses(deps, subjectOf(user))
}

function subjectOf({ id }: User): string {
  return `second factor of user ${id}`
}

async function verifyTotp(deps: Deps, user: User, code: string): Promise<VerifiedProof | undefined> {
  const stored = await findTotpSecret(deps.db, user.id)
  const step = stored && (await stepOfCode(stored.secret, code, deps.now()))
  if (!stored || step === undefined) return undefined
  return { method: 'totp', use: ({ db }) => advanceTotpStep(db, user.id, { secret: stored.secret, step }) }
}

/** Only using it up shows whether a recovery code is right, so that of two requests one succeeds. */
function verifyRecoveryCode(user: User, code: string): VerifiedProof {
  const digest = digestRecoveryCode(code)
  return { method: 'recovery_code', use: ({ db }) => deleteRecoveryCode(db, user.id, digest) }
}
