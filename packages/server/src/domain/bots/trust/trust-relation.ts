import type { JSONWebKeySet } from 'jose'
import type { BotOwner } from '../bot.ts'

/** Patterns by the name of a claim. One of a claim's patterns must match; `*` stands for any characters. */
export type ClaimPatterns = Readonly<Record<string, readonly string[]>>

export interface TrustRelationDraft {
  name: string
  /** Exact value of the claim `iss`. */
  issuer: string
  /** Value that the claim `aud` must contain. */
  audience: string
  claims: ClaimPatterns
  /** Patterns that a token must also match to report for the default branch. */
  defaultBranchClaims: ClaimPatterns
  scopes: readonly string[]
  /** Address of the issuer's keys. Without it and without `jwks`, the issuer's discovery document names it. */
  jwksUrl: string | null
  jwks: JSONWebKeySet | null
}

/** Trust of a project or group in the tokens of another issuer, which authenticate a bot. */
export interface TrustRelation extends TrustRelationDraft, BotOwner {
  id: number
  /** Bot that the tokens authenticate. */
  userId: number
  /** Role of the bot in the project or group. */
  accessLevel: number
  createdAt: string
  updatedAt: string
}

/** Scopes that a relation can give. */
export const trustScopes = ['write_security_reports', 'read_api', 'api'] as const
