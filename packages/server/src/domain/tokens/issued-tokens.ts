import {
  badRequest,
  Failure,
  forbidden,
  gone,
  notFound,
  parameterProblem,
  unauthenticated,
} from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { type Deps, transaction } from '../deps.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import { isUnlimitedSession } from '../sign-in/sessions.ts'
import { getUser } from '../users/users.ts'
import { recordTokenEvent } from './audited-token.ts'
import { dayAfter, type IssuedToken, issueToken, rotateToken, type TokenDraft } from './issue.ts'
import { type AccessToken, type TokenFilter, tokenOrders } from './token.ts'
import {
  countTokens,
  findTokenById,
  listTokenAddresses,
  listTokens,
  revokePersonalTokensOf,
  revokeToken,
} from './token-queries.ts'
import { administratorScopes } from './tokens.ts'

/** Returns, by token id, the addresses that each token was used from, latest first. */
export function findTokenAddresses(deps: Deps, tokens: readonly AccessToken[]): Promise<Map<number, string[]>> {
  return listTokenAddresses(
    deps.db,
    tokens.map((token) => token.id),
  )
}

/** Returns the caller's personal tokens, or those of all users for an administrator. Unknown orders sort by id. */
export async function findTokens(
  deps: Deps,
  caller: Caller,
  filter: Omit<TokenFilter, 'kind'>,
  { order, page }: { order: string | undefined; page: PageRequest },
): Promise<Page<AccessToken>> {
  const { userId } = filter
  if (caller.isAdmin) {
    if (userId !== undefined) await getUser(deps, userId)
  } else if (userId !== undefined && userId !== caller.user.id) {
    throw unauthenticated()
  }
  const owner = caller.isAdmin ? userId : caller.user.id
  return pageOfTokens(deps, { ...filter, kind: 'personal', userId: owner }, order, page)
}

/** Returns the tokens of the bots of a project or group. */
export function findBotTokens(
  deps: Deps,
  filter: Omit<TokenFilter, 'kind' | 'userId'>,
  { order, page }: { order: string | undefined; page: PageRequest },
): Promise<Page<AccessToken>> {
  return pageOfTokens(deps, { ...filter, kind: 'personal' }, order, page)
}

/** Returns the impersonation tokens of this user. */
export async function findImpersonationTokens(
  deps: Deps,
  userId: number,
  state: TokenFilter['state'],
  page: PageRequest,
): Promise<Page<AccessToken>> {
  await getUser(deps, userId)
  return pageOfTokens(deps, { kind: 'impersonation', userId, state }, undefined, page)
}

/** Returns a personal token. Only administrators can find out whether a token of another user exists. */
export async function getToken(deps: Deps, caller: Caller, id: number): Promise<AccessToken> {
  const token = await findPersonalToken(deps, id)
  if (token && owns(caller, token)) return token
  throw caller.isAdmin ? gone() : unauthenticated()
}

/** Returns the token that authenticated the request. */
export async function getOwnToken(deps: Deps, caller: Caller): Promise<AccessToken> {
  assertToken(caller)
  const token = await findTokenById(deps.db, caller.token.id)
  if (!token) throw unauthenticated()
  return token
}

export async function getImpersonationToken(deps: Deps, userId: number, id: number): Promise<AccessToken> {
  await getUser(deps, userId)
  const token = await findTokenById(deps.db, id)
  if (token?.kind !== 'impersonation' || token.userId !== userId) throw notFound('Impersonation Token')
  return token
}

/** Revokes a personal token. Revoking it twice is not an error. */
export async function revokePersonalToken(deps: Deps, caller: Caller, id: number): Promise<void> {
  const token = await findPersonalToken(deps, id)
  if (!token) throw notFound()
  if (!owns(caller, token)) throw badRequest('Not permitted to revoke')
  await revokeAndRecord(deps, token)
}

/** Revokes all personal tokens of the user. Impersonation tokens belong to administrators and are kept. */
export async function revokePersonalTokens({ db }: Deps, userId: number): Promise<void> {
  await revokePersonalTokensOf(db, userId)
}

export async function revokeOwnToken(deps: Deps, caller: Caller): Promise<void> {
  await revokeAndRecord(deps, await getOwnToken(deps, caller))
}

function revokeAndRecord(deps: Deps, token: AccessToken): Promise<void> {
  return transaction(deps, async (deps) => {
    if (!(await revokeToken(deps.db, token.id))) return
    await recordTokenEvent(deps, await getUser(deps, token.userId), token, 'revoked')
  })
}

/** Revokes a token whatever its kind, after the caller's right to do so was checked. False if it was revoked before. */
export function revokeTokenById({ db }: Deps, id: number): Promise<boolean> {
  return revokeToken(db, id)
}

/** Returns true when the user has a token that is neither revoked nor expired. */
export async function hasUsableToken(deps: Deps, userId: number): Promise<boolean> {
  const filter = { kind: 'personal', userId, state: 'active' } as const
  return (await countTokens(deps.db, filter, deps.now().slice(0, 10))) > 0
}

export async function revokeImpersonationToken(deps: Deps, userId: number, id: number): Promise<void> {
  await revokeAndRecord(deps, await getImpersonationToken(deps, userId, id))
}

export async function rotatePersonalToken(
  deps: Deps,
  caller: Caller,
  id: number,
  expiresOn?: string,
): Promise<IssuedToken> {
  const token = await getToken(deps, caller, id)
  assertCovers(caller, token.scopes)
  return rotateAndRecord(deps, token, expiresOn)
}

export async function rotateOwnToken(deps: Deps, caller: Caller, expiresOn?: string): Promise<IssuedToken> {
  return rotateAndRecord(deps, await getOwnToken(deps, caller), expiresOn)
}

function rotateAndRecord(deps: Deps, token: AccessToken, expiresOn: string | undefined): Promise<IssuedToken> {
  return transaction(deps, async (deps) => {
    const successor = await rotateToken(deps, token, expiresOn)
    await recordTokenEvent(deps, await getUser(deps, token.userId), successor, 'rotated')
    return successor
  })
}

/** Rejects a session and a token of another issuer, neither of which is stored as a token. */
function assertToken({ token }: Caller): void {
  if (token.kind === 'personal' || token.kind === 'impersonation') return
  throw badRequest('This endpoint requires token type to be a personal access token')
}

const ownTokenDays = 30

/** Issues a token to the user of a browser session, valid for 30 days by default. */
export async function issueOwnToken(
  deps: Deps,
  caller: Caller,
  draft: Pick<TokenDraft, 'name' | 'description' | 'scopes' | 'expiresOn'>,
): Promise<IssuedToken> {
  if (!isUnlimitedSession(caller)) throw forbidden()
  if (!caller.isAdmin && draft.scopes.some((scope) => administratorScopes.includes(scope))) {
    throw parameterProblem('scopes does not have a valid value')
  }
  const expiresOn = draft.expiresOn ?? dayAfter(deps, ownTokenDays)
  return issueToken(deps, { ...draft, expiresOn, userId: caller.user.id, kind: 'personal' })
}

/** Issues a token to any user, for an administrator whose own token covers its scopes. */
export async function issueTokenFor(deps: Deps, caller: Caller, draft: TokenDraft): Promise<IssuedToken> {
  assertCovers(caller, draft.scopes)
  return issueToken(deps, draft)
}

/**
 * Rejects scopes that the caller's own token does not cover; otherwise any token could be exchanged for one with all of
 * its owner's rights. A session that was not started with a token covers every scope.
 */
export function assertCovers(caller: Caller, scopes: readonly string[]): void {
  if (isUnlimitedSession(caller)) return
  const own = caller.token.scopes
  const isCovered = (scope: string) =>
    own.includes(scope) ||
    (own.includes('api') && !administratorScopes.includes(scope)) ||
    (own.includes('read_api') && scope === 'read_user')
  const missing = scopes.filter((scope) => !isCovered(scope))
  if (missing.length > 0) throw new Failure({ kind: 'scope-too-small', accepted: missing })
}

function owns(caller: Caller, token: AccessToken): boolean {
  return caller.isAdmin || token.userId === caller.user.id
}

async function findPersonalToken(deps: Deps, id: number): Promise<AccessToken | undefined> {
  const token = await findTokenById(deps.db, id)
  return token?.kind === 'personal' ? token : undefined
}

async function pageOfTokens(
  deps: Deps,
  filter: TokenFilter,
  asked: string | undefined,
  page: PageRequest,
): Promise<Page<AccessToken>> {
  const order = tokenOrders.find((known) => known === asked)
  const today = deps.now().slice(0, 10)
  const [rows, counted] = await Promise.all([
    listTokens(deps.db, filter, { order, today, page }),
    countTokens(deps.db, filter, today),
  ])
  return pageOf(page, rows, counted)
}
