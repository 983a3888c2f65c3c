import type { User } from './users.ts'

/** Whoever sends a request, with what his token lets him do. */
export interface Caller {
  readonly user: User
  readonly token: {
    readonly id: number
    readonly kind: 'personal' | 'impersonation' | 'session'
    /** Of a session: the token that the browser was signed in with, in place of a password. */
    readonly signedInWith?: number
    readonly scopes: readonly string[]
  }
  readonly isAdmin: boolean
}
