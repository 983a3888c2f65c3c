import { forbidden, notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import type { Deps } from '../deps.ts'
import { assertReachable, type Page, type PageRequest, pageOf } from '../page.ts'
import type { Account, User, UserFilter, UserOrder, UserQuery } from './user.ts'
import type { UserDraft } from './user-draft.ts'
import {
  countUsers,
  findUserById,
  findUserByUsername,
  insertUser,
  listOwnNamespaceIds,
  listUsers,
  listUsersById,
  reassignReferences,
  updateHasSecondFactor,
  updatePasswordHash,
  updateUser,
} from './user-queries.ts'

export {
  findPasswordHash,
  findUserByEmail,
  findUserById,
  findUserByUsername,
  hasUsers,
  insertBotUser,
  listPeople,
  listUsersById as findUsersById,
  lockActiveAdministrators,
  lockUser,
} from './user-queries.ts'

/** Stores a user without validating the draft. Throws a unique violation when a name is taken. */
export async function storeUser(
  { db, now }: Deps,
  draft: UserDraft,
  passwordHash: string | null,
  createdBy: User | null,
): Promise<User> {
  return insertUser(db, draft, { passwordHash, createdById: createdBy?.id ?? null, now: now() })
}

/** Stores changed attributes. Without a hash, the password stays the same. Throws as `storeUser` does. */
export async function changeUser({ db, now }: Deps, user: User, passwordHash: string | undefined): Promise<User> {
  return updateUser(db, user, passwordHash, now())
}

/** Stores the hash of a new password. Ending the user's sessions is up to the caller, which may keep one. */
export async function setPasswordHash({ db, now }: Deps, userId: number, passwordHash: string): Promise<void> {
  await updatePasswordHash(db, userId, passwordHash, now())
}

/** Records whether the user has a second factor. */
export async function setHasSecondFactor({ db, now }: Deps, userId: number, hasSecondFactor: boolean): Promise<void> {
  await updateHasSecondFactor(db, userId, hasSecondFactor, now())
}

/** Finds a user by id if the reference is all digits, otherwise by username, ignoring case. */
export async function findUserByReference(deps: Deps, reference: string): Promise<User | undefined> {
  if (!/^\d+$/.test(reference)) return findUserByUsername(deps.db, reference)
  const id = Number(reference)
  return Number.isSafeInteger(id) ? findUserById(deps.db, id) : undefined
}

/** Gives what one user has created, and their assignments, to another user. */
export function moveReferences({ db }: Deps, fromId: number, toId: number): Promise<void> {
  return reassignReferences(db, fromId, toId, toId)
}

/** Returns the account that a request acts on. Rejects the ghost. */
export async function getUser(deps: Deps, id: number): Promise<User> {
  const user = await findUserById(deps.db, id)
  if (!user) throw notFound('User')
  assertNoGhost(user)
  return user
}

export function assertNoGhost(user: User): void {
  if (user.isGhost) throw forbidden('The ghost user stands in for deleted users and cannot be changed.')
}

/** Rejects credentials for a bot other than the access tokens of its project or group. */
export function assertNoBot(user: User): void {
  if (user.isBot) throw forbidden('Bot users belong to a project or group and have no other credentials.')
}

/** Returns a profile. Rejects anonymous requests. */
export async function readUser(deps: Deps, caller: Caller | null, id: number): Promise<User> {
  if (!caller) throw forbidden('Not authorized!')
  const user = await findUserById(deps.db, id)
  if (!user) throw notFound('User')
  return user
}

/** Returns the order of the list; only administrators may choose one other than newest first. */
export function userOrderFor(caller: Caller | null, order: UserOrder): UserOrder {
  return caller?.isAdmin ? order : { by: 'id', direction: 'desc' }
}

/** Returns a page of users. Only administrators may choose the order or use filters on private attributes. */
export async function findUsers(
  deps: Deps,
  caller: Caller | null,
  query: UserQuery,
  { order, page }: { order: UserOrder; page: PageRequest },
): Promise<Page<User>> {
  // Anonymous requests may look up a username but not list users.
  if (!caller && !query.username) throw forbidden('Not authorized to access /api/v4/users')
  assertReachable(page, 'User')
  const isAdmin = caller?.isAdmin === true
  const filter: UserFilter = {
    username: query.username || undefined,
    search: readSearch(query.search, isAdmin),
    states: statesOf(query),
    isBot: query.isBot,
    customAttributes: query.customAttributes,
    ...(isAdmin && filterForAdministrators(query)),
  }
  const [rows, counted] = await Promise.all([
    listUsers(deps.db, filter, userOrderFor(caller, order), page),
    page.keyset ? undefined : countUsers(deps.db, filter),
  ])
  return pageOf(page, rows, counted)
}

/** Adds the details that only administrators see, preserving the order. */
export async function readAccounts(deps: Deps, users: readonly User[]): Promise<Account[]> {
  const creatorIds = users.flatMap((user) => user.createdById ?? [])
  const [namespaces, creators] = await Promise.all([
    listOwnNamespaceIds(
      deps.db,
      users.map((user) => user.id),
    ),
    creatorIds.length > 0 ? listUsersById(deps.db, creatorIds) : [],
  ])
  const namespaceOf = new Map(namespaces.map(({ userId, namespaceId }) => [userId, namespaceId]))
  const creatorOf = new Map(creators.map((creator) => [creator.id, creator]))
  return users.map((user) => ({
    ...user,
    namespaceId: namespaceOf.get(user.id) ?? null,
    createdBy: creatorOf.get(user.createdById ?? 0),
  }))
}

/** Returns the states to filter by. A user has one state, so two requested states match no users. */
function statesOf(query: UserQuery): readonly User['state'][] | undefined {
  const asked = (['active', 'blocked', 'banned', 'deactivated'] as const).filter((state) => query[state])
  if (asked.length === 0 && !query.excludeActive) return undefined
  const states: User['state'][] = ['active', 'banned', 'blocked', 'deactivated', 'unconfirmed']
  return states.filter((state) => asked.every((one) => one === state) && !(query.excludeActive && state === 'active'))
}

function filterForAdministrators(query: UserQuery): UserFilter {
  return {
    isAdmin: query.admins || undefined,
    hasSecondFactor: query.hasSecondFactor,
    isExternal: query.external ? true : query.excludeExternal ? false : undefined,
    createdAfter: query.createdAfter,
    createdBefore: query.createdBefore,
  }
}

/** Parses a search. Words of at least three letters match anywhere; a shorter search must equal the whole name. */
function readSearch(search: string | undefined, isEmailSearched: boolean): UserFilter['search'] {
  const text = (search ?? '').trim().replace(/^@/, '').replace(/\s+/g, ' ')
  if (text === '') return undefined
  return { text, terms: text.split(' ').filter((term) => [...term].length >= 3), isEmailSearched }
}
