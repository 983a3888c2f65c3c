import Type from 'typebox'
import type { TrustRelation } from '../../../domain/bots/trust/trust-relation.ts'
import { findTrustUses } from '../../../domain/bots/trust/trust-relations.ts'
import type { Deps } from '../../../domain/deps.ts'
import { freeObject, nullableString, nullableTimestamp, timestamp } from '../views.ts'

export const trustRelationView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    issuer: Type.String(),
    audience: Type.String(),
    claims: freeObject,
    default_branch_claims: freeObject,
    access_level: Type.Integer(),
    scopes: Type.Array(Type.String()),
    jwks_url: nullableString,
    jwks: Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true }),
    user_id: Type.Integer({ description: 'Bot that the tokens authenticate' }),
    created_at: timestamp,
    updated_at: timestamp,
    last_used_at: nullableTimestamp,
  },
  { title: 'TrustRelation' },
)

export async function viewTrustRelations(deps: Deps, relations: readonly TrustRelation[]) {
  const uses = await findTrustUses(deps, relations)
  return relations.map((relation) => viewWith(relation, uses))
}

export async function viewTrustRelation(deps: Deps, relation: TrustRelation) {
  return viewWith(relation, await findTrustUses(deps, [relation]))
}

function viewWith(relation: TrustRelation, uses: ReadonlyMap<number, string>) {
  return {
    id: relation.id,
    name: relation.name,
    issuer: relation.issuer,
    audience: relation.audience,
    claims: relation.claims,
    default_branch_claims: relation.defaultBranchClaims,
    access_level: relation.accessLevel,
    scopes: [...relation.scopes],
    jwks_url: relation.jwksUrl,
    jwks: relation.jwks,
    user_id: relation.userId,
    created_at: relation.createdAt,
    updated_at: relation.updatedAt,
    last_used_at: uses.get(relation.id) ?? null,
  }
}
