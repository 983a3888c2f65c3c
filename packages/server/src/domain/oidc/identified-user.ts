import { isUniqueViolation } from '../../db/violations.ts'
import type { OidcProvider } from '../../platform/settings/oidc-settings.ts'
import { userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { recordNewUser, storeAccount } from '../projects/accounts.ts'
import { logSecurity } from '../sign-in/security-log.ts'
import type { User } from '../users/user.ts'
import { userProblems } from '../users/user-draft.ts'
import { findUserByEmail, findUserById } from '../users/users.ts'
import { type Claims, findClaim, isTrueClaim, textClaim } from './claims.ts'
import type { Identity } from './identity.ts'
import { findIdentity, insertIdentity, listIdentitiesOf } from './identity-queries.ts'
import { SignInRefused } from './sign-in-problem.ts'
import { usernameCandidates } from './username.ts'

export interface IdentifiedUser {
  user: User
  identity: Identity
}

const maxSubjectLength = 255

/**
 * Returns the user that the claims identify: the linked one, else one with the same verified e-mail address if the
 * provider may link, else a new one if it may create users. Throws `SignInRefused`.
 */
export async function findOrCreateUser(deps: Deps, provider: OidcProvider, claims: Claims): Promise<IdentifiedUser> {
  const [issuer, subject] = [textClaim(claims, 'iss'), findClaim(claims, 'sub')]
  if (issuer === undefined || typeof subject !== 'string' || subject === '' || subject.length > maxSubjectLength) {
    throw new SignInRefused('invalid', 'the subject is missing or too long')
  }
  const key = { provider: provider.key, issuer, subject }
  const linked = await findLinked(deps, key)
  if (linked) return linked
  const email = verifiedEmail(provider, claims)
  const owner = email === undefined ? undefined : await findUserByEmail(deps.db, email)
  if (owner) return link(deps, provider, owner, key)
  if (!provider.createsUsers) throw new SignInRefused('no_account', 'users are not created')
  return create(deps, provider, claims, { ...key, email })
}

type IdentityKey = Pick<Identity, 'provider' | 'issuer' | 'subject'>

async function findLinked(deps: Deps, { issuer, subject }: IdentityKey): Promise<IdentifiedUser | undefined> {
  const identity = await findIdentity(deps.db, issuer, subject)
  const user = identity && (await findUserById(deps.db, identity.userId))
  if (!user) return undefined
  assertActive(user)
  return { user, identity }
}

function assertActive(user: User): void {
  if (user.state !== 'active') throw new SignInRefused('blocked', `the user is ${user.state}`)
}

/**
 * Links the user with this e-mail address. A second account of one issuer is refused: providers give addresses of former
 * users to new ones.
 */
async function link(deps: Deps, { linksByEmail }: OidcProvider, user: User, key: IdentityKey): Promise<IdentifiedUser> {
  if (!linksByEmail || user.isBot || user.isGhost) throw new SignInRefused('email_taken', 'a user has the address')
  assertActive(user)
  const identities = await listIdentitiesOf(deps.db, user.id)
  if (identities.some(({ issuer }) => issuer === key.issuer)) {
    throw new SignInRefused('email_taken', 'the user is linked to another subject of the issuer')
  }
  try {
    const identity = await transaction(deps, async (deps) => {
      await recordAuditEvent(deps, 'user_identity_linked', {
        entity: userEntity(user),
        message: 'Linked the user to an account of an identity provider',
        author: 'system',
        extra: { provider: key.provider, issuer: key.issuer, subject: key.subject },
      })
      return insertIdentity(deps.db, { ...key, userId: user.id }, deps.now())
    })
    logSecurity(deps, 'identity.linked', { user, reason: 'verified email', method: 'provider' })
    return { user, identity }
  } catch (error) {
    return linkedMeanwhile(deps, key, error)
  }
}

async function create(
  deps: Deps,
  { usernameClaim }: OidcProvider,
  claims: Claims,
  { email, ...key }: IdentityKey & { email: string | undefined },
): Promise<IdentifiedUser> {
  const name = (textClaim(claims, 'name') ?? '').slice(0, 255)
  for (const username of usernameCandidates(deps, claims, usernameClaim)) {
    const placeholder = `oidc_${deps.random(16).toString('hex')}@noreply.alcove.invalid`
    const draft = { username, name: name || username, email: email ?? placeholder }
    try {
      const created = await transaction(deps, async (deps) => {
        const user = await storeAccount(deps, draft, null, null)
        await recordNewUser(deps, user)
        return { user, identity: await insertIdentity(deps.db, { ...key, userId: user.id }, deps.now()) }
      })
      logSecurity(deps, 'user.created', { user: created.user, method: 'provider' })
      return created
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      // Another sign-in of the same account came first, or a name is taken.
      const linked = await findLinked(deps, key)
      if (linked) return linked
      if (email !== undefined && (await findUserByEmail(deps.db, email))) {
        throw new SignInRefused('email_taken', 'a user has the address', { cause: error })
      }
    }
  }
  throw new SignInRefused('invalid', 'no username could be derived from the claims')
}

async function linkedMeanwhile(deps: Deps, key: IdentityKey, error: unknown): Promise<IdentifiedUser> {
  const linked = isUniqueViolation(error) ? await findLinked(deps, key) : undefined
  if (!linked) throw error
  return linked
}

/** Returns the e-mail address if the provider vouches for it. An unverified one must not reserve or reach an account. */
function verifiedEmail({ trustsEmail }: OidcProvider, claims: Claims): string | undefined {
  const email = textClaim(claims, 'email')
  if (email === undefined || Object.keys(userProblems({ email })).length > 0) return undefined
  return trustsEmail || isTrueClaim(claims, 'email_verified') ? email : undefined
}
