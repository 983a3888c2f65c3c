import type { SecondFactorMethod } from '../second-factors/second-factor.ts'

/** Session of a signed-in browser. */
export interface Session {
  id: number
  userId: number
  createdAt: string
  expiresAt: string
  lastUsedAt: string | null
  /** IP address that the session was started from. */
  address: string | null
  userAgent: string | null
  /** End of admin mode, in which the session has its user's administrator rights. */
  adminUntil: string | null
  method: SignInMethod
  /** Token that the session was signed in with, for the method `token`. */
  tokenId: number | null
  /** Key of the identity provider, for the method `provider`. */
  provider: string | null
  /** Time at which the user last authenticated. */
  authenticatedAt: string
}

/** What a session was started with. Only a session of a token is limited, by the token's scopes. */
export type SignInMethod = 'password' | 'passkey' | 'token' | 'provider' | 'link'

/** How a new session was started. */
export type SessionStart =
  /** A passkey is two factors. A password and a link are one, and `secondFactor` is the other. */
  | { method: 'passkey' }
  | { method: 'password' | 'link'; secondFactor?: SecondFactorMethod }
  | { method: 'token'; tokenId: number }
  | { method: 'provider'; identity: RecordedSignIn; authenticatedAt: string }

/** What a session records of the sign-in at its identity provider. */
interface RecordedSignIn {
  id: number
  /** The provider's id of its session, if it has one. */
  sid: string | null
  /** Null when it is too long to be sent back. */
  idToken: string | null
}

/** Session of a browser that began at an identity provider. */
export interface ProviderSession {
  /** Key of the provider at the last sign-in. */
  provider: string
  issuer: string
  subject: string
  sid: string | null
  idToken: string | null
}
