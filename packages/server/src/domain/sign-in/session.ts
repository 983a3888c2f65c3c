/** A signed-in browser. */
export interface Session {
  id: number
  userId: number
  createdAt: string
  expiresAt: string
  lastUsedAt: string | null
  /** Where it was signed in from, and with what. */
  address: string | null
  userAgent: string | null
  /** In admin mode: until when the browser has its administrator's rights. */
  adminUntil: string | null
  /** The token it was signed in with; null for a password. */
  tokenId: number | null
  /** When the password or the token was last entered. */
  authenticatedAt: string
}
