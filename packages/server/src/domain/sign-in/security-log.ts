import type { Deps } from '../deps.ts'
import type { User } from '../users/user.ts'
import type { SignInMethod } from './session.ts'

interface SecurityFacts {
  /** User that the event is about. */
  user?: Pick<User, 'id' | 'username'> | undefined
  /** User who caused the event, if a different one. */
  by?: Pick<User, 'id' | 'username'> | undefined
  address?: string
  reason?: string
  method?: SignInMethod
}

/** Logs a security event as a line with the field `event`. Must not receive secrets or text chosen by a client. */
export function logSecurity(deps: Pick<Deps, 'log'>, event: string, { user, by, ...facts }: SecurityFacts): void {
  deps.log.info(
    {
      event,
      ...(user && { user_id: user.id, username: user.username }),
      ...(by && { by_user_id: by.id, by_username: by.username }),
      ...facts,
    },
    'security event',
  )
}
