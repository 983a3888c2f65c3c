import type { User } from './users.ts'

/** Whoever sends a request, with what his token lets him do. */
export interface Caller {
  readonly user: User
  readonly token: {
    readonly id: number
    readonly kind: 'personal' | 'impersonation' | 'session'
    readonly scopes: readonly string[]
  }
  readonly isAdmin: boolean
}
