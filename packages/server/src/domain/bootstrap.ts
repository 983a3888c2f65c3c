import { isUniqueViolation } from '../db/violations.ts'
import { type Deps, transaction } from './deps.ts'
import { storeAccount } from './projects/accounts.ts'
import { createPasswordLink } from './sign-in/passwords/password-links.ts'
import { createSignInLink } from './sign-in/sign-in-links.ts'
import { storeToken } from './tokens/issue.ts'
import { mintToken, tokenScopes } from './tokens/tokens.ts'
import type { User } from './users/user.ts'
import { hasUsers } from './users/users.ts'

const administrator = {
  username: 'root',
  name: 'Administrator',
  // The `.invalid` domain is well-formed for every client and can never belong to anyone.
  email: 'root@alcove.invalid',
  isAdmin: true,
}

/** Secrets that are shown once, on the first start. */
export interface FirstSecrets {
  token: string
  /** Path of the link that sets the administrator's password, or signs in where passwords are off. Works once. */
  link: string
}

/**
 * Creates the administrator of an empty database. Returns the secrets only if this call created the account; they
 * cannot be recovered later.
 */
export async function ensureAdministrator(deps: Deps): Promise<FirstSecrets | undefined> {
  try {
    return await transaction(deps, async (deps) => {
      if (await hasUsers(deps.db)) return undefined
      const user = await storeAccount(deps, administrator, null, null)
      const secret = deps.settings.bootstrapToken ?? mintToken(deps.random)
      // The token does not expire, because no other user could let the operator in again.
      const draft = { userId: user.id, kind: 'personal' as const, name: 'First start', scopes: tokenScopes }
      await storeToken(deps, { ...draft, expiresOn: null }, secret)
      return { token: secret, link: await createLink(deps, user) }
    })
  } catch (error) {
    // Several processes may start concurrently on one database; another one created the account first.
    if (isUniqueViolation(error) && (await hasUsers(deps.db))) return undefined
    throw error
  }
}

async function createLink(deps: Deps, { id, username }: User): Promise<string> {
  if (deps.settings.hasPasswords) return `/-/password#${(await createPasswordLink(deps, id)).secret}`
  return `/-/sign_in_link#${(await createSignInLink(deps, username)).secret}`
}
