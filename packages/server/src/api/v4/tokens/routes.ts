import Type from 'typebox'
import { dayAfter, issueToken } from '../../../domain/tokens/issue.ts'
import {
  findImpersonationTokens,
  findTokens,
  getImpersonationToken,
  getOwnToken,
  getToken,
  issueTokenFor,
  revokeImpersonationToken,
  revokeOwnToken,
  revokePersonalToken,
  rotateOwnToken,
  rotatePersonalToken,
} from '../../../domain/tokens/issued-tokens.ts'
import { tokenScopes } from '../../../domain/tokens/tokens.ts'
import { date, integer, listOf, oneOf, optional } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import {
  impersonationTokenView,
  issuedImpersonationTokenView,
  issuedTokenView,
  newTokenInput,
  rotationInput,
  tokenFilterFrom,
  tokenFilterInput,
  tokenView,
  viewImpersonation,
  viewIssued,
  viewToken,
  viewTokens,
} from './views.ts'

export const tokenRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/users/:user_id/personal_access_tokens',
    summary: 'Create a personal access token for a user',
    permission: 'token.issue',
    input: Type.Object({
      user_id: integer(),
      ...newTokenInput,
      scopes: listOf(tokenScopes, { commaSeparated: true }),
    }),
    status: 201,
    output: issuedTokenView,
    audit: { event: 'token.created', fields: ['user_id', 'scopes', 'expires_at'] },
    async handle({ deps, caller, input }) {
      const { user_id: userId, name, description, scopes, expires_at: expiresOn } = input
      const draft = { userId, kind: 'personal' as const, name, description, scopes, expiresOn }
      return viewIssued(deps, await issueTokenFor(deps, caller, draft))
    },
  }),
  route({
    method: 'POST',
    path: '/user/personal_access_tokens',
    summary: 'Create a personal access token with limited scopes for yourself',
    permission: 'token.create-own',
    input: Type.Object({
      ...newTokenInput,
      scopes: listOf(['k8s_proxy', 'self_rotate'], { commaSeparated: true }),
      expires_at: optional(date({ description: 'At most 365 days from today. Default: tomorrow' })),
    }),
    status: 201,
    output: issuedTokenView,
    audit: { event: 'token.created', fields: ['scopes', 'expires_at'] },
    async handle({ deps, caller, input }) {
      const { name, description, scopes } = input
      const expiresOn = input.expires_at ?? dayAfter(deps, 1)
      const draft = { userId: caller.user.id, kind: 'personal' as const, name, description, scopes, expiresOn }
      return viewIssued(deps, await issueToken(deps, draft))
    },
  }),
  route({
    method: 'GET',
    path: '/personal_access_tokens',
    summary: 'List personal access tokens: your own, or those of all users for administrators',
    permission: 'token.list',
    input: Type.Object({
      user_id: optional(integer()),
      ...tokenFilterInput,
    }),
    status: 200,
    output: Type.Array(tokenView),
    paged: true,
    async handle({ deps, caller, input, page }) {
      const filter = { ...tokenFilterFrom(input), userId: input.user_id }
      const found = await findTokens(deps, caller, filter, { order: input.sort, page })
      return { ...found, rows: await viewTokens(deps, found.rows) }
    },
  }),
  route({
    method: 'GET',
    path: '/personal_access_tokens/self',
    summary: 'Get the token of this request',
    permission: 'token.self',
    status: 200,
    output: tokenView,
    handle: async ({ deps, caller }) => viewToken(deps, await getOwnToken(deps, caller)),
  }),
  route({
    method: 'GET',
    path: '/personal_access_tokens/:id',
    summary: 'Get a personal access token',
    permission: 'token.read',
    input: Type.Object({ id: integer() }),
    status: 200,
    output: tokenView,
    handle: async ({ deps, caller, input }) => viewToken(deps, await getToken(deps, caller, input.id)),
  }),
  route({
    method: 'DELETE',
    path: '/personal_access_tokens/self',
    summary: 'Revoke the token of this request',
    permission: 'token.self',
    status: 204,
    output: noOutput,
    audit: { event: 'token.revoked' },
    handle: ({ deps, caller }) => revokeOwnToken(deps, caller),
  }),
  route({
    method: 'DELETE',
    path: '/personal_access_tokens/:id',
    summary: 'Revoke a personal access token',
    permission: 'token.revoke',
    input: Type.Object({ id: integer() }),
    status: 204,
    output: noOutput,
    audit: { event: 'token.revoked', fields: ['id'] },
    handle: ({ deps, caller, input }) => revokePersonalToken(deps, caller, input.id),
  }),
  route({
    method: 'POST',
    path: '/personal_access_tokens/self/rotate',
    summary: 'Rotate the token of this request',
    permission: 'token.rotate-self',
    input: Type.Object(rotationInput),
    status: 200,
    output: issuedTokenView,
    audit: { event: 'token.rotated', fields: ['expires_at'] },
    handle: async ({ deps, caller, input }) => viewIssued(deps, await rotateOwnToken(deps, caller, input.expires_at)),
  }),
  route({
    method: 'POST',
    path: '/personal_access_tokens/:id/rotate',
    summary: 'Rotate a personal access token',
    permission: 'token.rotate',
    input: Type.Object({ id: integer(), ...rotationInput }),
    status: 200,
    output: issuedTokenView,
    audit: { event: 'token.rotated', fields: ['id', 'expires_at'] },
    handle: async ({ deps, caller, input }) =>
      viewIssued(deps, await rotatePersonalToken(deps, caller, input.id, input.expires_at)),
  }),
  route({
    method: 'POST',
    path: '/users/:user_id/impersonation_tokens',
    summary: 'Create an impersonation token',
    permission: 'impersonation.manage',
    input: Type.Object({
      user_id: integer(),
      ...newTokenInput,
      scopes: listOf(tokenScopes, { default: [], commaSeparated: true }),
    }),
    status: 201,
    output: issuedImpersonationTokenView,
    audit: { event: 'token.created', fields: ['user_id', 'scopes', 'expires_at'] },
    async handle({ deps, caller, input }) {
      const { user_id: userId, name, description, scopes, expires_at: expiresOn } = input
      const draft = { userId, kind: 'impersonation' as const, name, description, scopes, expiresOn }
      return { ...viewIssued(deps, await issueTokenFor(deps, caller, draft)), impersonation: true }
    },
  }),
  route({
    method: 'GET',
    path: '/users/:user_id/impersonation_tokens',
    summary: 'List the impersonation tokens of a user',
    permission: 'impersonation.read',
    input: Type.Object({ user_id: integer(), state: oneOf(['all', 'active', 'inactive'], { default: 'all' }) }),
    status: 200,
    output: Type.Array(impersonationTokenView),
    paged: true,
    async handle({ deps, input, page }) {
      const state = input.state === 'all' ? undefined : input.state
      const found = await findImpersonationTokens(deps, input.user_id, state, page)
      return { ...found, rows: found.rows.map((token) => viewImpersonation(deps, token)) }
    },
  }),
  route({
    method: 'GET',
    path: '/users/:user_id/impersonation_tokens/:id',
    summary: 'Get an impersonation token',
    permission: 'impersonation.read',
    input: Type.Object({ user_id: integer(), id: integer() }),
    status: 200,
    output: impersonationTokenView,
    handle: async ({ deps, input }) =>
      viewImpersonation(deps, await getImpersonationToken(deps, input.user_id, input.id)),
  }),
  route({
    method: 'DELETE',
    path: '/users/:user_id/impersonation_tokens/:id',
    summary: 'Revoke an impersonation token',
    permission: 'impersonation.manage',
    input: Type.Object({ user_id: integer(), id: integer() }),
    status: 204,
    output: noOutput,
    audit: { event: 'token.revoked', fields: ['user_id', 'id'] },
    handle: ({ deps, input }) => revokeImpersonationToken(deps, input.user_id, input.id),
  }),
]
