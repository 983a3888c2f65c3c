import Type, { type Static } from 'typebox'
import type { Deps } from '../../../domain/deps.ts'
import type { IssuedToken } from '../../../domain/tokens/issue.ts'
import { findTokenAddresses } from '../../../domain/tokens/issued-tokens.ts'
import { type AccessToken, type TokenFilter, tokenOrders } from '../../../domain/tokens/token.ts'
import { isExpired } from '../../../domain/tokens/tokens.ts'
import { date, dateTime, flag, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import { nullableString, timestamp } from '../views.ts'

const tokenFields = {
  id: Type.Integer(),
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: timestamp,
  description: nullableString,
  scopes: Type.Array(Type.String()),
  user_id: Type.Integer(),
  last_used_at: nullableString,
  active: Type.Boolean(),
  expires_at: nullableString,
}
const secretField = { token: Type.String({ description: 'Secret of the token; returned only once' }) }
const impersonationField = { impersonation: Type.Boolean() }

export const issuedTokenView = Type.Object({ ...tokenFields, ...secretField }, { title: 'IssuedToken' })
export const tokenView = Type.Object({ ...tokenFields, last_used_ips: Type.Array(Type.String()) })
export const impersonationTokenView = Type.Object({ ...tokenFields, ...impersonationField })
export const issuedImpersonationTokenView = Type.Object({ ...tokenFields, ...secretField, ...impersonationField })

export function viewFields(deps: Deps, token: AccessToken) {
  return {
    id: token.id,
    name: token.name,
    revoked: token.isRevoked,
    created_at: token.createdAt,
    description: token.description,
    scopes: [...token.scopes],
    user_id: token.userId,
    last_used_at: token.lastUsedAt,
    active: !token.isRevoked && !isExpired(token, deps.now()),
    expires_at: token.expiresOn,
  }
}

export const viewIssued = (deps: Deps, token: IssuedToken) => ({ ...viewFields(deps, token), token: token.secret })
export async function viewTokens(deps: Deps, tokens: readonly AccessToken[]) {
  const addresses = await findTokenAddresses(deps, tokens)
  return tokens.map((token) => ({ ...viewFields(deps, token), last_used_ips: addresses.get(token.id) ?? [] }))
}

export async function viewToken(deps: Deps, token: AccessToken) {
  const addresses = await findTokenAddresses(deps, [token])
  return { ...viewFields(deps, token), last_used_ips: addresses.get(token.id) ?? [] }
}
export const viewImpersonation = (deps: Deps, token: AccessToken) => ({
  ...viewFields(deps, token),
  impersonation: true,
})

export const newTokenInput = {
  name: text(),
  description: optional(nullable(text())),
  expires_at: optional(date({ description: 'At most 365 days from today. Default: 365 days from today' })),
}

/** Filters of the lists of personal tokens and of the tokens of projects and groups. */
export const tokenFilterInput = {
  revoked: optional(flag()),
  state: optional(oneOf(['active', 'inactive'])),
  search: optional(text({ description: 'Matches part of the name' })),
  created_after: optional(dateTime()),
  created_before: optional(dateTime()),
  last_used_after: optional(dateTime()),
  last_used_before: optional(dateTime()),
  expires_after: optional(date()),
  expires_before: optional(date()),
  sort: optional(text({ description: `One of ${tokenOrders.join(', ')}; any other value sorts by id` })),
}

export function tokenFilterFrom(
  input: Static<ReturnType<typeof Type.Object<typeof tokenFilterInput>>>,
): Omit<TokenFilter, 'kind'> {
  return {
    isRevoked: input.revoked,
    state: input.state,
    search: input.search,
    createdAfter: input.created_after,
    createdBefore: input.created_before,
    lastUsedAfter: input.last_used_after,
    lastUsedBefore: input.last_used_before,
    expiresAfter: input.expires_after,
    expiresBefore: input.expires_before,
  }
}

export const rotationInput = {
  expires_at: optional(date({ description: 'At most 365 days from today. Default: one week from today' })),
}
