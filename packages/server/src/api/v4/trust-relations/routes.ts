import Type, { type Static } from 'typebox'
import { roles } from '../../../domain/access/roles.ts'
import { readPatterns } from '../../../domain/bots/trust/claims.ts'
import { readKeySet } from '../../../domain/bots/trust/issuer-keys.ts'
import { type ClaimPatterns, trustScopes } from '../../../domain/bots/trust/trust-relation.ts'
import {
  changeTrustRelation,
  createTrustRelation,
  findTrustRelations,
  getTrustRelation,
  type TrustRelationTerms,
} from '../../../domain/bots/trust/trust-relations.ts'
import { removeTrustRelation } from '../../../domain/removal/remove-trust-relation.ts'
import { freeForm, integer, listOf, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import type { RawParams } from '../../../http/params/raw-params.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { placeOf } from '../members/place.ts'
import { route } from '../route.ts'
import { trustRelationView, viewTrustRelation, viewTrustRelations } from './views.ts'

const oneInput = { relation_id: integer() }
const auditFields = ['name', 'issuer', 'audience', 'access_level', 'scopes', 'jwks_url']

const claims = freeForm({
  description:
    'Patterns by claim, each a text or a list of texts of which one must match; `*` stands for any characters. Example: `{"project_path": "acme/*"}`. All claims must match',
})
const optionalTerms = {
  default_branch_claims: optional(
    freeForm({
      description:
        'Patterns by claim that a token must also match to report for the default branch. Default: `{"ref_protected": "true"}`',
    }),
  ),
  access_level: optional(
    oneOf(Object.values(roles), {
      description: 'Role in the project or group, at most that of the caller. Default: 30',
    }),
  ),
  scopes: optional(listOf(trustScopes, { commaSeparated: true, description: 'Default: `write_security_reports`' })),
  jwks_url: optional(
    nullable(text({ description: 'Address of the issuer’s keys. Default: as stated by its discovery document' })),
  ),
  jwks: optional(
    nullable(freeForm({ description: 'Public keys of the issuer as a JSON Web Key Set, in place of an address' })),
  ),
}
const creationInput = Type.Object({
  name: text(),
  issuer: text({ description: 'Value of the claim `iss`, such as `https://gitlab.com`' }),
  audience: text({ description: 'Value that the claim `aud` must contain, such as the address of this server' }),
  claims,
  ...optionalTerms,
})
const changeInput = Type.Object({
  ...oneInput,
  name: optional(text()),
  issuer: optional(text()),
  audience: optional(text()),
  claims: optional(claims),
  ...optionalTerms,
})

/** Routes for the trust relations of projects and of groups, which differ only in path and permission. */
export const trustRelationRoutes: readonly Route[] = (['project', 'group'] as const).flatMap((noun) => [
  ...readingRoutes(noun),
  ...writingRoutes(noun),
])

function permissionTo<Action extends string>(noun: 'project' | 'group', action: Action) {
  return noun === 'project' ? (`trust-relation.${action}` as const) : (`group.trust-relation.${action}` as const)
}

function readingRoutes(noun: 'project' | 'group'): Route[] {
  return [
    route({
      method: 'GET',
      path: `/${noun}s/:id/trust_relations`,
      summary: `List the trust relations of a ${noun}`,
      permission: permissionTo(noun, 'read'),
      status: 200,
      output: Type.Array(trustRelationView),
      paged: true,
      async handle(context) {
        const { deps, page } = context
        const found = await findTrustRelations(deps, placeOf(context), page)
        return { ...found, rows: await viewTrustRelations(deps, found.rows) }
      },
    }),
    route({
      method: 'GET',
      path: `/${noun}s/:id/trust_relations/:relation_id`,
      summary: `Get a trust relation of a ${noun}`,
      permission: permissionTo(noun, 'read'),
      input: Type.Object(oneInput),
      status: 200,
      output: trustRelationView,
      async handle(context) {
        const { deps, input } = context
        return viewTrustRelation(deps, await getTrustRelation(deps, placeOf(context), input.relation_id))
      },
    }),
  ]
}

function writingRoutes(noun: 'project' | 'group'): Route[] {
  return [
    route({
      method: 'POST',
      path: `/${noun}s/:id/trust_relations`,
      summary: `Trust the tokens of another issuer in a ${noun}`,
      permission: permissionTo(noun, 'manage'),
      input: creationInput,
      status: 201,
      output: trustRelationView,
      audit: { event: 'trust.created', fields: auditFields },
      async handle(context) {
        const { deps, caller, input, level: callerLevel } = context
        const { name, issuer, audience } = input
        const terms = {
          ...defaultTerms,
          name,
          issuer,
          audience,
          claims: patternsOf('claims', input.claims),
          ...given(input),
        }
        return viewTrustRelation(
          deps,
          await createTrustRelation(deps, caller, placeOf(context), { terms, callerLevel }),
        )
      },
    }),
    route({
      method: 'PUT',
      path: `/${noun}s/:id/trust_relations/:relation_id`,
      summary: `Change a trust relation of a ${noun}`,
      permission: permissionTo(noun, 'manage'),
      input: changeInput,
      status: 200,
      output: trustRelationView,
      audit: { event: 'trust.changed', fields: ['relation_id', ...auditFields] },
      async handle(context) {
        const { deps, caller, input, level: callerLevel } = context
        const changed = { id: input.relation_id, change: given(input), callerLevel }
        return viewTrustRelation(deps, await changeTrustRelation(deps, caller, placeOf(context), changed))
      },
    }),
    route({
      method: 'DELETE',
      path: `/${noun}s/:id/trust_relations/:relation_id`,
      summary: `Delete a trust relation of a ${noun}`,
      permission: permissionTo(noun, 'delete'),
      input: Type.Object(oneInput),
      status: 204,
      output: noOutput,
      audit: { event: 'trust.deleted', fields: ['relation_id'] },
      handle: (context) =>
        removeTrustRelation(context.deps, context.caller, placeOf(context), context.input.relation_id),
    }),
  ]
}

const defaultTerms: Omit<TrustRelationTerms, 'name' | 'issuer' | 'audience' | 'claims'> = {
  defaultBranchClaims: { ref_protected: ['true'] },
  accessLevel: roles.developer,
  scopes: ['write_security_reports'],
  jwksUrl: null,
  jwks: null,
}

/** Returns the terms that the request has. A new source of keys replaces the former one. */
function given(input: Partial<Omit<Static<typeof changeInput>, 'relation_id'>>): Partial<TrustRelationTerms> {
  const { name, issuer, audience, claims, default_branch_claims: branchClaims, access_level, scopes } = input
  const terms: Partial<TrustRelationTerms> = {
    ...(name !== undefined && { name }),
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    ...(claims !== undefined && { claims: patternsOf('claims', claims) }),
    ...(branchClaims !== undefined && { defaultBranchClaims: patternsOf('default_branch_claims', branchClaims) }),
    ...(access_level !== undefined && { accessLevel: access_level }),
    ...(scopes !== undefined && { scopes }),
  }
  const { jwks_url: jwksUrl, jwks } = input
  if (jwksUrl) Object.assign(terms, { jwksUrl, jwks: null })
  else if (jwksUrl !== undefined) terms.jwksUrl = null
  if (jwks) Object.assign(terms, { ...(!jwksUrl && { jwksUrl: null }), jwks: keySetOf(jwks) })
  else if (jwks !== undefined) terms.jwks = null
  return terms
}

function patternsOf(name: string, value: RawParams): ClaimPatterns {
  const patterns = readPatterns(value)
  if (!patterns) throw parameterProblem(`${name} is invalid`)
  return patterns
}

const maxKeySetLength = 32 * 1024

function keySetOf(value: RawParams) {
  const jwks = JSON.stringify(value).length > maxKeySetLength ? undefined : readKeySet(value)
  if (!jwks) throw parameterProblem('jwks is invalid')
  return jwks
}
