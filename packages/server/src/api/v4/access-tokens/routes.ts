import Type from 'typebox'
import { roles } from '../../../domain/access/roles.ts'
import {
  createAccessToken,
  findAccessTokens,
  getAccessToken,
  rotateAccessToken,
  rotateOwnAccessToken,
} from '../../../domain/bots/access-tokens.ts'
import { revokeAccessToken } from '../../../domain/removal/revoke-access-token.ts'
import { botScopes } from '../../../domain/tokens/tokens.ts'
import { integer, listOf, oneOf } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { placeOf } from '../members/place.ts'
import { route } from '../route.ts'
import { newTokenInput, rotationInput, tokenFilterFrom, tokenFilterInput } from '../tokens/views.ts'
import {
  accessTokenView,
  issuedAccessTokenView,
  viewAccessToken,
  viewAccessTokens,
  viewIssuedAccessToken,
} from './views.ts'

const oneInput = { token_id: integer() }
const accessLevels = Object.values(roles)

/** Routes for the access tokens of projects and of groups, which differ only in path and permission. */
export const accessTokenRoutes: readonly Route[] = (['project', 'group'] as const).flatMap((noun) => [
  ...readingRoutes(noun),
  ...issuingRoutes(noun),
  revokingRoute(noun),
])

function permissionTo<Action extends string>(noun: 'project' | 'group', action: Action) {
  return noun === 'project' ? (`access-token.${action}` as const) : (`group.access-token.${action}` as const)
}

function readingRoutes(noun: 'project' | 'group'): Route[] {
  return [
    route({
      method: 'GET',
      path: `/${noun}s/:id/access_tokens`,
      summary: `List the access tokens of a ${noun}`,
      permission: permissionTo(noun, 'read'),
      input: Type.Object(tokenFilterInput),
      status: 200,
      output: Type.Array(accessTokenView),
      paged: true,
      async handle(context) {
        const { deps, input, page } = context
        const order = { order: input.sort, page }
        const found = await findAccessTokens(deps, placeOf(context), tokenFilterFrom(input), order)
        return { ...found, rows: await viewAccessTokens(deps, found.rows) }
      },
    }),
    route({
      method: 'GET',
      path: `/${noun}s/:id/access_tokens/:token_id`,
      summary: `Get an access token of a ${noun}`,
      permission: permissionTo(noun, 'read'),
      input: Type.Object(oneInput),
      status: 200,
      output: accessTokenView,
      async handle(context) {
        const { deps, input } = context
        return viewAccessToken(deps, await getAccessToken(deps, placeOf(context), input.token_id))
      },
    }),
  ]
}

function issuingRoutes(noun: 'project' | 'group'): Route[] {
  return [
    route({
      method: 'POST',
      path: `/${noun}s/:id/access_tokens`,
      summary: `Create an access token of a ${noun}`,
      permission: permissionTo(noun, 'create'),
      input: Type.Object({
        ...newTokenInput,
        scopes: listOf(botScopes, { commaSeparated: true }),
        access_level: oneOf(accessLevels, {
          default: roles.maintainer,
          description: 'Role of the token, at most that of the caller',
        }),
      }),
      status: 201,
      output: issuedAccessTokenView,
      audit: { event: 'token.created', fields: ['scopes', 'access_level', 'expires_at'] },
      async handle(context) {
        const { deps, caller, input, level } = context
        const { name, description, scopes, expires_at: expiresOn, access_level: accessLevel } = input
        const draft = { name, description, scopes, expiresOn, accessLevel, callerLevel: level }
        return viewIssuedAccessToken(deps, await createAccessToken(deps, caller, placeOf(context), draft))
      },
    }),
    route({
      method: 'POST',
      path: `/${noun}s/:id/access_tokens/:token_id/rotate`,
      summary: `Rotate an access token of a ${noun}`,
      permission: permissionTo(noun, 'rotate'),
      input: Type.Object({ ...oneInput, ...rotationInput }),
      status: 200,
      output: issuedAccessTokenView,
      audit: { event: 'token.rotated', fields: ['token_id', 'expires_at'] },
      async handle(context) {
        const { deps, caller, input, level } = context
        const asked = { id: input.token_id, expiresOn: input.expires_at, callerLevel: level }
        return viewIssuedAccessToken(deps, await rotateAccessToken(deps, caller, placeOf(context), asked))
      },
    }),
    route({
      method: 'POST',
      path: `/${noun}s/:id/access_tokens/self/rotate`,
      summary: `Rotate the token of this request, an access token of the ${noun}`,
      permission: permissionTo(noun, 'rotate-self'),
      input: Type.Object(rotationInput),
      status: 200,
      output: issuedAccessTokenView,
      audit: { event: 'token.rotated', fields: ['expires_at'] },
      async handle(context) {
        const { deps, caller, input } = context
        const rotated = await rotateOwnAccessToken(deps, caller, placeOf(context), input.expires_at)
        return viewIssuedAccessToken(deps, rotated)
      },
    }),
  ]
}

function revokingRoute(noun: 'project' | 'group'): Route {
  return route({
    method: 'DELETE',
    path: `/${noun}s/:id/access_tokens/:token_id`,
    summary: `Revoke an access token of a ${noun}`,
    permission: permissionTo(noun, 'revoke'),
    input: Type.Object(oneInput),
    status: 204,
    output: noOutput,
    audit: { event: 'token.revoked', fields: ['token_id'] },
    handle: (context) => revokeAccessToken(context.deps, context.caller, placeOf(context), context.input.token_id),
  })
}
