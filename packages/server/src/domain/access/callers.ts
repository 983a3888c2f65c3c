import type { User } from '../users/user.ts'

/** The authenticated party of a request, with what its token allows. */
export interface Caller {
  readonly user: User
  readonly token: {
    /** Id of the token, the session or the trust relation. */
    readonly id: number
    readonly kind: 'personal' | 'impersonation' | 'session' | 'trust'
    /** What this browser session was started with. */
    readonly method?: 'password' | 'passkey' | 'token' | 'provider' | 'link'
    /** Id of the token that this browser session was started with. */
    readonly signedInWith?: number
    /** Key of the identity provider that this browser session was started with. */
    readonly provider?: string
    /** Time at which the user of this session last authenticated. */
    readonly authenticatedAt?: string
    readonly scopes: readonly string[]
    /** False for a token of a trust relation whose claims do not permit reports for the default branch. */
    readonly reportsDefaultBranch?: boolean
  }
  readonly isAdmin: boolean
  /** Administrator who acts as the user with the header `Sudo`. */
  readonly sudoBy?: User
}

/** Client of a request, as identified by its connection and cookies. */
export interface Client {
  address: string
  userAgent: string | undefined
  /** Cookie that identifies a browser from which a user has signed in before. */
  browser: string | undefined
  /** Cookie that binds a sign-in with an identity provider to this browser. */
  flow: string | undefined
}
