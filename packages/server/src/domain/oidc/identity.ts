/** Account at an identity provider that a user signs in with. */
export interface Identity {
  id: number
  userId: number
  /** Key of the provider in the settings, at the last sign-in. */
  provider: string
  issuer: string
  /** The claim `sub`, which identifies the account at its issuer. */
  subject: string
  /** Whether the mapping has made the user an administrator. */
  gaveAdmin: boolean
  /** Claims of the last sign-in. */
  claims: Record<string, unknown> | null
  /** What the mapping made of the claims at the last sign-in. */
  outcome: readonly MappingStep[] | null
  createdAt: string
  lastSignInAt: string
}

/** Something that the mapping did, or left as it was, at a sign-in. */
export interface MappingStep {
  step:
    | 'administrator'
    | 'kept administrator'
    | 'removed administrator'
    /** The mapping no longer makes the user an administrator, but no other active administrator is left. */
    | 'kept last administrator'
    | 'member'
    | 'kept'
    | 'removed'
    /** The mapping has taken ownership from the last owner of the group. */
    | 'without owner'
    | 'unknown group'
  /** Full path of the group. */
  group?: string
  accessLevel?: number
}
