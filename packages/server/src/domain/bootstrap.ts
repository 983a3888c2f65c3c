import { isUniqueViolation } from '../db/violations.ts'
import { type Deps, transaction } from './deps.ts'
import { storeAccount } from './projects/accounts.ts'
import { createPasswordLink } from './sign-in/own-password.ts'
import { storeToken } from './tokens/issue.ts'
import { mintToken, tokenScopes } from './tokens/tokens.ts'
import { hasUsers } from './users/user-queries.ts'

const administrator = {
  username: 'root',
  name: 'Administrator',
  // A domain that can never exist: well-formed for every client, and nobody's.
  email: 'root@alcove.invalid',
  isAdmin: true,
}

/** What the first start tells once. */
export interface FirstSecrets {
  token: string
  /** Sets his password, once and within a day. */
  passwordLink: string
}

/** Gives an empty database its administrator. The secrets only when this call created him; they cannot be had again. */
export async function ensureAdministrator(deps: Deps): Promise<FirstSecrets | undefined> {
  try {
    return await transaction(deps, async (deps) => {
      if (await hasUsers(deps.db)) return undefined
      const user = await storeAccount(deps, administrator, null, null)
      const secret = deps.settings.bootstrapToken ?? mintToken(deps.random)
      // Does not expire: there is nobody else yet who could let the operator in again.
      const draft = { userId: user.id, kind: 'personal' as const, name: 'First start', scopes: tokenScopes }
      await storeToken(deps, { ...draft, expiresOn: null }, secret)
      const { secret: passwordLink } = await createPasswordLink(deps, user.id)
      return { token: secret, passwordLink }
    })
  } catch (error) {
    // Several processes may start at once on one database; one of them was faster.
    if (isUniqueViolation(error) && (await hasUsers(deps.db))) return undefined
    throw error
  }
}
