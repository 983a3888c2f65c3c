import type { User } from '../users/user.ts'

export interface AccessToken {
  id: number
  userId: number
  kind: 'personal' | 'impersonation'
  name: string
  description: string | null
  scopes: readonly string[]
  isRevoked: boolean
  /** Expiry date as YYYY-MM-DD; the token is invalid from that day on. */
  expiresOn: string | null
  /** Id of the first token in a chain of rotations; null for that token itself. */
  familyId: number | null
  /** User who created the token or rotated it. Null if that is unknown. */
  issuedById: number | null
  createdAt: string
  lastUsedAt: string | null
}

/** Token with its user. */
export interface TokenHolder {
  token: AccessToken
  user: User
}

export interface TokenFilter {
  kind: AccessToken['kind']
  userId?: number | undefined
  /** Project or namespace whose bots have the tokens. */
  owner?: { projectId: number | null; namespaceId: number | null } | undefined
  isRevoked?: boolean | undefined
  state?: 'active' | 'inactive' | undefined
  search?: string | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
  lastUsedAfter?: string | undefined
  lastUsedBefore?: string | undefined
  /** Date as YYYY-MM-DD, inclusive. */
  expiresAfter?: string | undefined
  expiresBefore?: string | undefined
}

export const tokenOrders = [
  'created_asc',
  'created_desc',
  'expires_asc',
  'expires_desc',
  'last_used_asc',
  'last_used_desc',
  'name_asc',
  'name_desc',
] as const

export type TokenOrder = (typeof tokenOrders)[number]
