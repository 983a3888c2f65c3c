import { isForeignKeyViolation } from '../../db/violations.ts'
import { badRequest, type InvalidAttributes, invalid, notFound, unprocessable } from '../../platform/failure.ts'
import { type Deps, transaction } from '../deps.ts'
import { assertNoBot, getUser } from '../users/users.ts'
import { recordTokenEvent } from './audited-token.ts'
import type { AccessToken } from './token.ts'
import { findTokenById, insertToken, revokeToken } from './token-queries.ts'
import { digestToken, mintToken } from './tokens.ts'

/** Token with its secret, which cannot be read again later. */
export interface IssuedToken extends AccessToken {
  secret: string
}

export interface TokenDraft {
  userId: number
  kind: AccessToken['kind']
  name: string
  description?: string | null | undefined
  scopes: readonly string[]
  /** Id of the token family, for a token that replaces another one. */
  familyId?: number | undefined
  /** Expiry date as YYYY-MM-DD; the latest allowed date when absent. */
  expiresOn?: string | undefined
}

const maxLifetimeDays = 365
const rotatedLifetimeDays = 7

export async function issueToken(deps: Deps, draft: TokenDraft): Promise<IssuedToken> {
  const user = await getUser(deps, draft.userId)
  assertNoBot(user)
  const expiresOn = draft.expiresOn ?? dayAfter(deps, maxLifetimeDays)
  const problems = tokenProblems(deps, { ...draft, expiresOn })
  if (Object.keys(problems).length > 0) {
    throw draft.kind === 'personal' ? unprocessable(firstSentence(problems)) : invalid(problems)
  }
  try {
    return await transaction(deps, async (deps) => {
      const issued = await storeToken(deps, { ...draft, expiresOn }, mintToken(deps.random))
      await recordTokenEvent(deps, user, issued, 'issued')
      return issued
    })
  } catch (error) {
    // The user was deleted concurrently.
    throw isForeignKeyViolation(error) ? notFound('User') : error
  }
}

/** Issues an access token of a project or group to its bot. */
export async function issueBotToken(deps: Deps, draft: Omit<TokenDraft, 'kind'>): Promise<IssuedToken> {
  const expiresOn = draft.expiresOn ?? dayAfter(deps, maxLifetimeDays)
  const problems = tokenProblems(deps, { ...draft, expiresOn })
  if (Object.keys(problems).length > 0) throw badRequest(firstSentence(problems))
  return storeToken(deps, { ...draft, kind: 'personal', expiresOn }, mintToken(deps.random))
}

/** Revokes a token and returns its successor with a new secret. */
export async function rotateToken(deps: Deps, old: AccessToken, expiresOn?: string): Promise<IssuedToken> {
  const draft = {
    ...old,
    familyId: old.familyId ?? old.id,
    expiresOn: expiresOn ?? dayAfter(deps, rotatedLifetimeDays),
  }
  const problems = tokenProblems(deps, draft)
  if (Object.keys(problems).length > 0) throw badRequest(firstSentence(problems))
  return transaction(deps, async (deps) => {
    // Only one of two concurrent rotations of a token succeeds.
    if (!(await revokeToken(deps.db, old.id))) throw badRequest('token already revoked')
    return storeToken(deps, draft, mintToken(deps.random))
  })
}

/** Stores a token with the given secret, without validating it. */
export async function storeToken(
  deps: Deps,
  draft: Omit<TokenDraft, 'expiresOn'> & { expiresOn: string | null },
  secret: string,
): Promise<IssuedToken> {
  const { description = null, scopes, familyId = null, ...rest } = draft
  const token = {
    ...rest,
    description,
    scopes: [...new Set(scopes)],
    familyId,
    issuedById: await findIssuer(deps),
    createdAt: deps.now(),
  }
  return { ...(await insertToken(deps.db, token, digestToken(secret))), secret }
}

/** Returns the person who acts: the administrator behind `Sudo`, or the one who created the impersonation token. */
async function findIssuer({ db, actor }: Deps): Promise<number | null> {
  if (actor?.sudoBy) return actor.sudoBy.id
  const token = actor?.token?.kind === 'impersonation' ? await findTokenById(db, actor.token.id) : undefined
  return token?.issuedById ?? actor?.user?.id ?? null
}

/** Returns the date `days` from today as YYYY-MM-DD. */
export function dayAfter(deps: Deps, days: number): string {
  const day = new Date(deps.now())
  day.setUTCDate(day.getUTCDate() + days)
  return day.toISOString().slice(0, 10)
}

const maxNameLength = 255

/** Returns validation errors. A date in the past is allowed and makes the token expired from the start. */
function tokenProblems(deps: Deps, draft: Pick<TokenDraft, 'name' | 'scopes' | 'expiresOn'>): InvalidAttributes {
  const latest = dayAfter(deps, maxLifetimeDays)
  return {
    ...(draft.name.trim() === '' && { name: ["can't be blank"] }),
    ...(draft.name.length > maxNameLength && { name: [`is too long (maximum is ${maxNameLength} characters)`] }),
    ...(draft.scopes.length === 0 && { scopes: ["can't be blank"] }),
    ...(draft.expiresOn && draft.expiresOn > latest && { expires_at: [`must be before ${latest}`] }),
  }
}

const attributeWords: Record<string, string> = { name: 'Name', scopes: 'Scopes', expires_at: 'Expiration date' }

function firstSentence(problems: InvalidAttributes): string {
  const [attribute, messages] = Object.entries(problems)[0] ?? []
  return `${attributeWords[attribute ?? '']} ${messages?.[0]}`
}
