/** Account at an identity provider that a user signs in with. */
export interface Identity {
  id: number
  userId: number
  /** Key of the provider in the settings, at the last sign-in. */
  provider: string
  issuer: string
  /** The claim `sub`, which identifies the account at its issuer. */
  subject: string
  createdAt: string
  lastSignInAt: string
}
