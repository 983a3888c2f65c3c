/** Passkey of a user: a key of a device or a security key, which verifies its user. */
export interface Passkey {
  id: number
  userId: number
  name: string
  /** Id that the authenticator chose, in base64url. */
  credentialId: string
  /** COSE key in base64url. */
  publicKey: string
  /** Number of signatures that the authenticator reported last; 0 if it does not count. */
  signCount: number
  /** How browsers reach the authenticator, separated by commas. */
  transports: string
  createdAt: string
  lastUsedAt: string | null
}

/** One-time codes of an authenticator app. */
export interface TotpSecret {
  /** In base 32. */
  secret: string
  /** Time step of the last accepted code. */
  lastStep: number
  createdAt: string
}

/** Second factors of a user, as the user sees them. */
export interface SecondFactors {
  totpSince: string | null
  passkeys: Passkey[]
  /** Number of unused recovery codes. */
  recoveryCodes: number
}

export type SecondFactorMethod = 'totp' | 'passkey' | 'recovery_code'

/** What a user proves a second factor with: one of them. */
export interface SecondFactorProof {
  /** Code of an authenticator app or recovery code. */
  code?: string | undefined
  /** Response of a passkey to a challenge. */
  passkey?: object | undefined
}

/** Step of a sign-in or a set-up that another request completes. */
export interface Challenge {
  kind: ChallengeKind
  userId: number | null
  /** First factor that was right, for the kind `second_factor`. */
  method: 'password' | 'link' | null
  /** For the kind `new_totp`. */
  totpSecret: string | null
}

export type ChallengeKind =
  /** The password was right. */
  | 'second_factor'
  /** A passkey signs in or confirms a session. */
  | 'passkey'
  | 'new_passkey'
  | 'new_totp'
