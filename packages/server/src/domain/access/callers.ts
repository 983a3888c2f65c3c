import type { User } from '../users/user.ts'

/** The authenticated party of a request, with what its token allows. */
export interface Caller {
  readonly user: User
  readonly token: {
    readonly id: number
    readonly kind: 'personal' | 'impersonation' | 'session'
    /** Of a session: the token that the browser was signed in with instead of a password. */
    readonly signedInWith?: number
    /** Of a session: when the password, or that token, was last entered. */
    readonly authenticatedAt?: string
    readonly scopes: readonly string[]
  }
  readonly isAdmin: boolean
}
