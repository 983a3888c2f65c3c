/** Reasons for which a sign-in with a provider fails, as the sign-in page receives them. */
export type SignInProblem =
  /** The user, or a rule of the provider, has not consented. */
  | 'denied'
  /** The provider does not respond. */
  | 'unavailable'
  /** The sign-in took too long, was completed before, or began in another browser. */
  | 'expired'
  /** The provider's response is not valid. */
  | 'invalid'
  /** The user has none of the required claims. */
  | 'not_allowed'
  /** The user is blocked or deactivated. */
  | 'blocked'
  /** There is no user, and users are not created. */
  | 'no_account'
  /** Another user has the e-mail address. */
  | 'email_taken'
  /** The claims are too large, or the provider has left some out. */
  | 'too_many_claims'
  /** Another user than that of the session has reauthenticated. */
  | 'other_user'

/** Thrown when a sign-in is refused. `why` is for the log. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused'
  readonly problem: SignInProblem

  constructor(problem: SignInProblem, why: string, options?: ErrorOptions) {
    super(why, options)
    this.problem = problem
  }
}
