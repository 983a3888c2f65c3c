/** Sign-in between the redirect to the provider and the way back. */
export interface Flow {
  provider: string
  /** Path to open afterwards. */
  returnTo: string
  /** Session that is reauthenticated; null to start a new one. */
  sessionId: number | null
  createdAt: string
}
