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
  /** Token that the session was signed in with; null for a password. */
  tokenId: number | null
  /** Time at which the password or the token was last entered. */
  authenticatedAt: string
}
