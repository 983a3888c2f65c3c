import { forbidden, type InvalidAttributes, invalid, notFound } from '../../../platform/failure.ts'
import type { Caller } from '../../access/callers.ts'
import { type AuditedChanges, changesBetween } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, transaction } from '../../deps.ts'
import { changeBotRole, entityOf, type MemberPlace } from '../../members/members.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import { assertCovers } from '../../tokens/issued-tokens.ts'
import { createBot, ownerOf } from '../bots.ts'
import { isRestrictive } from './claims.ts'
import { isIssuerUrl } from './issuer-keys.ts'
import type { TrustRelation, TrustRelationDraft } from './trust-relation.ts'
import {
  countTrustRelations,
  findTrustRelation,
  insertTrustRelation,
  listTrustRelations,
  listTrustUses,
  updateTrustRelation,
} from './trust-relation-queries.ts'

const maxRelations = 50

export async function findTrustRelations(
  { db }: Deps,
  place: MemberPlace,
  page: PageRequest,
): Promise<Page<TrustRelation>> {
  const owner = ownerOf(place)
  const [rows, total] = await Promise.all([listTrustRelations(db, owner, page), countTrustRelations(db, owner)])
  return pageOf(page, rows, total)
}

export async function getTrustRelation({ db }: Deps, place: MemberPlace, id: number): Promise<TrustRelation> {
  const relation = await findTrustRelation(db, ownerOf(place), id)
  if (!relation) throw notFound()
  return relation
}

/** Returns the times of last use by relation id. */
export function findTrustUses({ db }: Deps, relations: readonly TrustRelation[]): Promise<Map<number, string>> {
  return listTrustUses(
    db,
    relations.map(({ id }) => id),
  )
}

/** A relation as a caller defines it, with the role of its bot. */
export interface TrustRelationTerms extends TrustRelationDraft {
  accessLevel: number
}

export function createTrustRelation(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  { terms, callerLevel }: { terms: TrustRelationTerms; callerLevel: number },
): Promise<TrustRelation> {
  assertMayGive(caller, terms, callerLevel)
  assertValid(deps, terms)
  return transaction(deps, async (deps) => {
    if ((await countTrustRelations(deps.db, ownerOf(place))) >= maxRelations) {
      throw invalid({ base: [`Maximum number of trust relations (${maxRelations}) exceeded`] })
    }
    const { name, accessLevel } = terms
    const bot = await createBot(deps, caller, place, { name, accessLevel, isExternal: true })
    const id = await insertTrustRelation(deps.db, bot.id, terms, deps.now())
    const relation = await getTrustRelation(deps, place, id)
    await recordTrustEvent(deps, 'trust_relation_created', place, { relation })
    return relation
  })
}

const auditedTerms = {
  name: 'name',
  issuer: 'issuer',
  audience: 'audience',
  claims: 'claims',
  scopes: 'scopes',
  jwksUrl: 'jwks_url',
  jwks: 'jwks',
  accessLevel: 'access_level',
} as const

/** Records a change of a trust relation in the log of its project or group. */
export function recordTrustEvent(
  deps: Deps,
  name: 'trust_relation_created' | 'trust_relation_updated' | 'trust_relation_destroyed',
  place: MemberPlace,
  { relation, changes = {} }: { relation: TrustRelation; changes?: AuditedChanges },
): Promise<void> {
  return recordAuditEvent(deps, name, {
    entity: entityOf(place),
    message: messages[name],
    target: { type: 'TrustRelation', id: relation.id, name: relation.name },
    changes,
    extra: { issuer: relation.issuer },
  })
}

const messages = {
  trust_relation_created: 'Created a trust relation',
  trust_relation_updated: 'Changed a trust relation',
  trust_relation_destroyed: 'Deleted a trust relation',
} as const

export function changeTrustRelation(
  deps: Deps,
  caller: Caller,
  place: MemberPlace,
  { id, change, callerLevel }: { id: number; change: Partial<TrustRelationTerms>; callerLevel: number },
): Promise<TrustRelation> {
  return transaction(deps, async (deps) => {
    const before = await getTrustRelation(deps, place, id)
    const after = { ...before, ...change }
    // Also the former terms, because a caller could otherwise take over a relation with more rights than their own.
    assertMayGive(caller, before, callerLevel)
    assertMayGive(caller, after, callerLevel)
    assertValid(deps, after)
    await updateTrustRelation(deps.db, id, after, deps.now())
    if (after.accessLevel !== before.accessLevel) {
      await changeBotRole(deps, place, before.userId, after.accessLevel)
    }
    const changed = await getTrustRelation(deps, place, id)
    const changes = changesBetween(before, changed, auditedTerms)
    await recordTrustEvent(deps, 'trust_relation_updated', place, { relation: changed, changes })
    return changed
  })
}

/** Rejects bots, and rights beyond those of the caller. */
function assertMayGive(caller: Caller, { accessLevel, scopes }: TrustRelationTerms, callerLevel: number): void {
  if (caller.user.isBot) throw forbidden('Bot users cannot manage trust relations')
  if (accessLevel > callerLevel) throw forbidden('The role of the trust relation is higher than your own')
  assertCovers(caller, scopes)
}

const maxTextLength = 255

function assertValid(deps: Deps, terms: TrustRelationTerms): void {
  const { name, issuer, audience, claims, scopes, jwksUrl, jwks } = terms
  const problems: InvalidAttributes = {
    ...textProblems({ name, issuer, audience }),
    ...(!isIssuerUrl(deps, issuer) && { issuer: ['is not a usable HTTPS address'] }),
    ...(!isRestrictive(claims) && { claims: ['must restrict at least one claim, such as project_path or sub'] }),
    ...(scopes.length === 0 && { scopes: ["can't be blank"] }),
    ...(jwksUrl !== null && !isIssuerUrl(deps, jwksUrl) && { jwks_url: ['is not a usable HTTPS address'] }),
    ...(jwksUrl !== null && jwks !== null && { jwks: ['cannot be combined with jwks_url'] }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function textProblems(texts: Record<string, string>): InvalidAttributes {
  const problems: Record<string, string[]> = {}
  for (const [name, text] of Object.entries(texts)) {
    if (text.trim() === '') problems[name] = ["can't be blank"]
    else if (text.length > maxTextLength) problems[name] = [`is too long (maximum is ${maxTextLength} characters)`]
  }
  return problems
}
