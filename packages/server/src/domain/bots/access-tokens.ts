import { badRequest, Failure, notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { entityOf, type MemberPlace } from '../members/members.ts'
import type { Page, PageRequest } from '../page.ts'
import { describeToken, recordTokenEventOf } from '../tokens/audited-token.ts'
import { type IssuedToken, issueBotToken, rotateToken } from '../tokens/issue.ts'
import { assertCovers, findBotTokens, getOwnToken, revokeTokenById } from '../tokens/issued-tokens.ts'
import type { AccessToken, TokenFilter } from '../tokens/token.ts'
import { findTokenById } from '../tokens/tokens.ts'
import { createBot, findBot, findBotLevels, ownerOf } from './bots.ts'
import { recordTokenEvent, type TokenPlace } from './token-events.ts'

/** Token of a project or group with the access level of its bot. */
export type PlaceToken<Token = AccessToken> = Token & { accessLevel: number }

export async function findAccessTokens(
  deps: Deps,
  place: MemberPlace,
  filter: Omit<TokenFilter, 'kind' | 'userId' | 'owner'>,
  { order, page }: { order: string | undefined; page: PageRequest },
): Promise<Page<PlaceToken>> {
  const found = await findBotTokens(deps, { ...filter, owner: ownerOf(place) }, { order, page })
  return { ...found, rows: await withLevels(deps, found.rows) }
}

export async function getAccessToken(deps: Deps, place: MemberPlace, id: number): Promise<PlaceToken> {
  const token = await findTokenById(deps.db, id)
  if (!token || !(await belongsTo(deps, token.userId, place))) {
    throw notFound(`Could not find ${nounOf(place)} access token with token_id: ${id}`)
  }
  return withLevel(deps, token)
}

/** Creates a bot with this access level and a token of it. */
export function createAccessToken(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  draft: {
    name: string
    description: string | null | undefined
    scopes: readonly string[]
    expiresOn: string | undefined
    accessLevel: number
    /** Access level of the caller. */
    callerLevel: number
  },
): Promise<PlaceToken<IssuedToken>> {
  if (caller.user.isBot) {
    throw badRequest(`User does not have permission to create ${nounOf(place)} access token`)
  }
  const { accessLevel, callerLevel, ...rest } = draft
  assertNotAbove(accessLevel, callerLevel)
  assertCovers(caller, draft.scopes)
  return transaction(deps, async (deps) => {
    const { isExternal } = caller.user
    const bot = await createBot(deps, caller, place, { name: draft.name, accessLevel, isExternal })
    const token = await issueBotToken(deps, { ...rest, userId: bot.id })
    await recordTokenEvent(deps, tokenPlaceOf(place), 'created_access_token', token)
    await recordAuditEvent(deps, `${nounOf(place)}_access_token_created`, {
      entity: entityOf(place),
      message: `Created ${nounOf(place)} access token with id ${token.id}`,
      ...describeToken(token),
    })
    return { ...token, accessLevel }
  })
}

/** Revokes a token of the project or group and returns its successor. A bot may only rotate its own token. */
export async function rotateAccessToken(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  { id, expiresOn, callerLevel }: { id: number; expiresOn: string | undefined; callerLevel: number },
): Promise<PlaceToken<IssuedToken>> {
  const token = await getAccessToken(deps, place, id)
  assertManages(caller, place, token)
  assertNotAbove(token.accessLevel, callerLevel)
  assertCovers(caller, token.scopes)
  return rotate(deps, place, token, expiresOn)
}

/** Rotates the token of the request, which must be one of this project or group. */
export async function rotateOwnAccessToken(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  expiresOn: string | undefined,
): Promise<PlaceToken<IssuedToken>> {
  const isOwn = caller.token.kind === 'personal' && (await belongsTo(deps, caller.user.id, place))
  if (!isOwn) throw new Failure({ kind: 'method-not-allowed', allowed: [] })
  return rotate(deps, place, await getOwnToken(deps, caller), expiresOn)
}

async function rotate(
  deps: Deps,
  place: MemberPlace,
  token: AccessToken,
  expiresOn: string | undefined,
): Promise<PlaceToken<IssuedToken>> {
  const successor = await transaction(deps, async (deps) => {
    const successor = await rotateToken(deps, token, expiresOn)
    await recordTokenEvent(deps, tokenPlaceOf(place), 'rotated_access_token', successor)
    await recordTokenEventOf(deps, entityOf(place), successor, {
      done: 'rotated',
      kind: `${nounOf(place)} access token`,
    })
    return successor
  })
  return withLevel(deps, successor)
}

/** Revokes a token, unless it was revoked before. */
export function revokePlaceToken(deps: Deps, place: MemberPlace, token: AccessToken): Promise<void> {
  return transaction(deps, async (deps) => {
    if (!(await revokeTokenById(deps, token.id))) return
    await recordTokenEvent(deps, tokenPlaceOf(place), 'revoked_access_token', token)
    await recordAuditEvent(deps, `${nounOf(place)}_access_token_deleted`, {
      entity: entityOf(place),
      message: `Revoked ${nounOf(place)} access token with id ${token.id}`,
      ...describeToken(token),
    })
  })
}

const tokenPlaceOf = ({ project, group }: MemberPlace): TokenPlace =>
  project ? { kind: 'project', id: project.id } : { kind: 'group', id: group.id }

/** Rejects a bot that manages another token than its own. */
export function assertManages(caller: Caller, place: MemberPlace, token: AccessToken): void {
  if (caller.user.isBot && caller.user.id !== token.userId) {
    throw badRequest(`User does not have permission to manage ${nounOf(place)} access token`)
  }
}

function assertNotAbove(accessLevel: number, callerLevel: number): void {
  if (accessLevel <= callerLevel) return
  throw badRequest('Access level of the token can’t be greater than the access level of the user who created the token')
}

async function belongsTo({ db }: Deps, userId: number, place: MemberPlace): Promise<boolean> {
  const bot = await findBot(db, userId)
  const owner = ownerOf(place)
  return bot !== undefined && bot.projectId === owner.projectId && bot.namespaceId === owner.namespaceId
}

async function withLevel<Token extends AccessToken>(deps: Deps, token: Token): Promise<PlaceToken<Token>> {
  const levels = await findBotLevels(deps, [token.userId])
  return { ...token, accessLevel: levels.get(token.userId) ?? 0 }
}

async function withLevels(deps: Deps, tokens: readonly AccessToken[]): Promise<PlaceToken[]> {
  const levels = await findBotLevels(
    deps,
    tokens.map(({ userId }) => userId),
  )
  return tokens.map((token) => ({ ...token, accessLevel: levels.get(token.userId) ?? 0 }))
}

const nounOf = (place: MemberPlace) => (place.project ? 'project' : 'group')
