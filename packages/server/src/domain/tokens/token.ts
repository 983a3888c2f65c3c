import type { User } from '../users/user.ts'

export interface AccessToken {
  id: number
  userId: number
  kind: 'personal' | 'impersonation'
  name: string
  description: string | null
  scopes: readonly string[]
  isRevoked: boolean
  /** YYYY-MM-DD; not valid from that day on. */
  expiresOn: string | null
  /** The first of those that came from one another by rotation; null for that one. */
  familyId: number | null
  createdAt: string
  lastUsedAt: string | null
}

/** The token as a row joined with its user: what authenticating needs, in one look-up. */
export interface TokenHolder {
  token: AccessToken
  user: User
}

export interface TokenFilter {
  kind: AccessToken['kind']
  userId?: number | undefined
  isRevoked?: boolean | undefined
  state?: 'active' | 'inactive' | undefined
  search?: string | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
  lastUsedAfter?: string | undefined
  lastUsedBefore?: string | undefined
  /** YYYY-MM-DD, that day included. */
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
