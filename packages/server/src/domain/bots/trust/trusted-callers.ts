import { errors, jwtVerify } from 'jose'
import { type Cache, openCache } from '../../../db/cache.ts'
import type { Changes } from '../../../db/db.ts'
import { Failure, unauthenticated } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import type { Deps } from '../../deps.ts'
import { logSecurity } from '../../sign-in/security-log.ts'
import { assertActive } from '../../tokens/tokens.ts'
import type { User } from '../../users/user.ts'
import { findUserById } from '../../users/users.ts'
import { type Claims, matchesClaims, valuesOf } from './claims.ts'
import { type FindKey, NoKeys, openIssuerKeys } from './issuer-keys.ts'
import type { TrustRelation } from './trust-relation.ts'
import { listTrustRelationsOf, noteTrustUse } from './trust-relation-queries.ts'
import { algorithms, readUnverified } from './unverified-token.ts'

/** A relation and the bot that its tokens authenticate. */
interface Candidate {
  relation: TrustRelation
  user: User
}

/** A process's cache of relations by issuer, and of the keys of issuers. Tokens are verified with every request. */
export interface TrustCache {
  relations: Cache<Candidate[]>
  findKey: FindKey
  /** Time in milliseconds at which the use of each relation was last recorded. */
  notedAt: Map<number, number>
}

export function openTrustCache(changes: Changes): TrustCache {
  const tables = ['trust_relations', 'bots', 'members', 'users']
  return {
    relations: openCache(changes, tables, 10_000, (found) => 1 + found.length),
    findKey: openIssuerKeys(),
    notedAt: new Map(),
  }
}

/**
 * Returns the caller that a token of a trusted issuer authenticates. Where several relations match the token,
 * `levelOf` decides by the access level of their bots in the resource of the request.
 */
export async function authenticateTrusted(
  deps: Deps,
  token: string,
  cache: TrustCache,
  levelOf: (user: User) => Promise<number>,
): Promise<Caller> {
  const claims = readUnverified(token)
  if (!claims) throw unauthenticated()
  const candidates = await findCandidates(deps, claims, cache)
  const ordered = candidates.length > 1 ? await withHighestLevel(candidates, levelOf) : candidates
  for (const { relation, user } of ordered) {
    if (!(await isVerified(deps, token, relation, cache))) continue
    assertActive(user)
    noteUse(deps, relation.id, cache)
    const reportsDefaultBranch = matchesClaims(claims, relation.defaultBranchClaims)
    const { id, scopes } = relation
    return { user, token: { id, kind: 'trust', scopes, reportsDefaultBranch }, isAdmin: false }
  }
  throw unauthenticated()
}

/** Returns the relations that a token would belong to if its signature is valid. */
async function findCandidates(deps: Deps, claims: Claims, cache: TrustCache): Promise<Candidate[]> {
  const { iss: issuer } = claims
  if (typeof issuer !== 'string') return []
  const known = await cache.relations.get(issuer, () => loadCandidates(deps, issuer))
  const audiences = valuesOf(claims['aud'])
  return known.filter(({ relation }) => audiences.includes(relation.audience) && matchesClaims(claims, relation.claims))
}

async function loadCandidates(deps: Deps, issuer: string): Promise<Candidate[]> {
  const candidates: Candidate[] = []
  for (const relation of await listTrustRelationsOf(deps.db, issuer)) {
    const user = await findUserById(deps.db, relation.userId)
    if (user) candidates.push({ relation, user })
  }
  return candidates
}

/**
 * Returns the candidates whose bots have the highest level, so that a relation of one project cannot capture or delay
 * the tokens that are meant for another.
 */
async function withHighestLevel(
  candidates: readonly Candidate[],
  levelOf: (user: User) => Promise<number>,
): Promise<Candidate[]> {
  const levels = await Promise.all(candidates.map(({ user }) => levelOf(user)))
  const highest = Math.max(...levels)
  return candidates.filter((_, index) => levels[index] === highest)
}

const clockToleranceSeconds = 60
const maxAgeSeconds = 24 * 60 * 60

async function isVerified(
  deps: Deps,
  token: string,
  relation: TrustRelation,
  { findKey }: TrustCache,
): Promise<boolean> {
  try {
    await jwtVerify(token, (header, signed) => findKey(deps, relation, header, signed), {
      algorithms,
      issuer: relation.issuer,
      audience: relation.audience,
      clockTolerance: clockToleranceSeconds,
      maxTokenAge: maxAgeSeconds,
      requiredClaims: ['exp'],
      currentDate: new Date(deps.now()),
    })
    return true
  } catch (error) {
    const reason = reasonOf(error)
    logSecurity(deps, 'trust.refused', { user: { id: relation.userId, username: relation.name }, reason })
    // The signature of an expired token was valid, so its sender may know why it is refused.
    if (error instanceof errors.JWTExpired) throw new Failure({ kind: 'token-expired' })
    return false
  }
}

/** Returns jose's code of the problem. Anything else that jose throws is due to a key or a signature it cannot use. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JOSEError) return error.code
  if (error instanceof NoKeys) return 'no keys'
  if (error instanceof TypeError || error instanceof DOMException) return 'unusable key'
  throw error
}

const noteIntervalMs = 10 * 60 * 1000
const maxNoted = 10_000

/** Records the use of a relation. The write is best effort and not awaited: losing it costs a few minutes of precision. */
function noteUse(deps: Deps, relationId: number, { notedAt }: TrustCache): void {
  const at = Date.parse(deps.now())
  if (at - (notedAt.get(relationId) ?? 0) < noteIntervalMs) return
  if (notedAt.size >= maxNoted) notedAt.clear()
  notedAt.set(relationId, at)
  noteTrustUse(deps.db, relationId, deps.now()).catch((error: unknown) =>
    deps.log.debug({ err: error }, 'the use of a trust relation could not be noted'),
  )
}
