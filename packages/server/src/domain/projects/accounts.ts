import { isUniqueViolation } from '../../db/violations.ts'
import { conflict, type Failure, invalid, notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { changesBetween, userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { createOwnNamespace, renameOwnNamespace } from '../namespaces/own-namespace.ts'
import { issuePasswordLink, revokePasswordLinks } from '../sign-in/passwords/password-links.ts'
import { hashPassword } from '../sign-in/passwords/passwords.ts'
import { logSecurity } from '../sign-in/security-log.ts'
import { endAllSessions } from '../sign-in/sessions.ts'
import type { User } from '../users/user.ts'
import { type UserChange, type UserDraft, userProblems } from '../users/user-draft.ts'
import {
  assertNoBot,
  changeUser,
  findUserByEmail,
  findUserByUsername,
  getUser,
  lockUser,
  storeUser,
} from '../users/users.ts'
import type { GitlabAttributes } from './gitlab-attribute.ts'
import { storeAttributes } from './gitlab-attributes.ts'

/** A user with the attributes of GitLab that have no effect. */
interface WithAttributes {
  attributes?: GitlabAttributes | undefined
}
export type AccountDraft = UserDraft & WithAttributes
type AccountChange = UserChange & WithAttributes

/** Creates a user and the user's own namespace. Accounts are confirmed immediately. */
export function createAccount(deps: Deps, draft: AccountDraft, createdBy: User | null): Promise<User> {
  return createAccountWith(deps, draft, { createdBy, party: 'accounts' }, async (_deps, user) => user)
}

/**
 * Creates a user without a password, and sends them a link to set one. Without e-mail or passwords, only the account is
 * created, and an administrator can create a link later.
 */
export function createAccountAndSendLink(deps: Deps, draft: AccountDraft, caller: Caller): Promise<User> {
  return createAccountWith(deps, draft, { createdBy: caller.user, party: 'accounts' }, async (deps, user) => {
    if (deps.settings.mail && deps.settings.hasPasswords) await issuePasswordLink(deps, caller, user, 'new account')
    return user
  })
}

/**
 * Creates a user as `createAccount` does, and runs `work` in the same transaction. `party` is the key for fair queueing of
 * password hashing.
 */
export function createAccountWith<T>(
  deps: Deps,
  draft: AccountDraft,
  { createdBy, party }: { createdBy: User | null; party: string },
  work: (deps: Deps, user: User) => Promise<T>,
): Promise<T> {
  return orTaken(deps, draft, undefined, async () => {
    const problems = userProblems(draft)
    if (Object.keys(problems).length > 0) throw (await takenBy(deps, draft, undefined)) ?? invalid(problems)
    // Hash before the transaction starts, because other writers wait for it.
    const passwordHash = draft.password === undefined ? null : await hashPassword(deps, draft.password, party)
    return transaction(deps, async (deps) => {
      const user = await storeAccount(deps, draft, passwordHash, createdBy)
      await recordNewUser(deps, user)
      return work(deps, user)
    })
  })
}

/** Stores a user without validating the draft. Throws a unique violation when a name is taken. */
export function storeAccount(
  deps: Deps,
  draft: AccountDraft,
  passwordHash: string | null,
  createdBy: User | null,
): Promise<User> {
  return transaction(deps, async (deps) => {
    const user = await storeUser(deps, draft, passwordHash, createdBy)
    await createOwnNamespace(deps, user)
    await storeAttributes(deps, 'users', user.id, draft.attributes ?? {})
    return user
  })
}

export async function changeAccount(deps: Deps, id: number, change: AccountChange): Promise<User> {
  const known = await getUser(deps, id)
  assertNoBot(known)
  const changed = await orTaken(deps, change, id, async () => {
    const problems = userProblems(change, known)
    if (Object.keys(problems).length > 0) throw (await takenBy(deps, change, id)) ?? invalid(problems)
    const passwordHash =
      change.password === undefined ? undefined : await hashPassword(deps, change.password, 'accounts')
    return transaction(deps, async (deps) => {
      const user = await lockUser(deps.db, id)
      if (!user) throw notFound('User')
      const changed = await changeUser(deps, merge(user, change), passwordHash)
      await storeAttributes(deps, 'users', id, change.attributes ?? {})
      // End all sessions that were started with the old password.
      if (passwordHash !== undefined) await endAllSessions(deps, user.id)
      // A link may have been sent to the former address.
      if (passwordHash !== undefined || changed.email !== user.email) await revokePasswordLinks(deps, user.id)
      if (changed.username !== user.username || changed.name !== user.name) await renameOwnNamespace(deps, changed)
      await recordUserChange(deps, user, changed, passwordHash !== undefined)
      return changed
    })
  })
  if (change.password !== undefined)
    logSecurity(deps, 'password.changed', { user: changed, reason: 'by an administrator' })
  return changed
}

/** Records that a user was created, in the transaction that stores the account. */
export function recordNewUser(deps: Deps, user: User): Promise<void> {
  return recordAuditEvent(deps, 'user_created', {
    entity: userEntity(user),
    message: 'Created the user',
    extra: { admin: user.isAdmin, external: user.isExternal },
  })
}

const auditedAttributes = {
  username: 'username',
  name: 'name',
  email: 'email',
  isAdmin: 'admin',
  isExternal: 'external',
  canCreateGroup: 'can_create_group',
  projectsLimit: 'projects_limit',
  note: 'note',
} as const

async function recordUserChange(deps: Deps, before: User, after: User, hasNewPassword: boolean): Promise<void> {
  const entity = userEntity(after)
  const changes = changesBetween(before, after, auditedAttributes)
  if (hasNewPassword) {
    await recordAuditEvent(deps, 'user_password_updated', { entity, message: 'Set the password of the user' })
  }
  if (Object.keys(changes).length === 0) return
  await recordAuditEvent(deps, 'user_updated', { entity, message: 'Changed the user', changes })
}

function merge(user: User, { password: _, attributes: _stored, ...change }: AccountChange): User {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return { ...user, ...given }
}

/** Runs the work and converts a unique violation into an error for the client. */
async function orTaken<T>(deps: Deps, draft: UserChange, id: number | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    const taken = await takenBy(deps, draft, id)
    throw taken ?? invalid({ base: ['A user, alias, or group already exists with that username.'] })
  }
}

/** Returns an error when another user has the e-mail address or the username. */
async function takenBy(
  deps: Deps,
  { email = '', username = '' }: UserChange,
  id: number | undefined,
): Promise<Failure | undefined> {
  const sameEmail = await findUserByEmail(deps.db, email)
  if (sameEmail && sameEmail.id !== id) return conflict('Email has already been taken')
  const sameUsername = await findUserByUsername(deps.db, username)
  if (sameUsername && sameUsername.id !== id) return conflict('Username has already been taken')
  return undefined
}
