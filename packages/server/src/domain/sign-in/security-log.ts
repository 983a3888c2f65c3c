import type { Deps } from '../deps.ts'
import type { User } from '../users/user.ts'

interface SecurityFacts {
  /** The user whom the event is about. */
  user?: Pick<User, 'id' | 'username'> | undefined
  /** The user who caused it, when that is another one. */
  by?: Pick<User, 'id' | 'username'> | undefined
  address?: string
  reason?: string
  method?: 'password' | 'token' | 'link'
}

/** Logs a security event as a line with `event`. Takes no secrets and no text that a client chose. */
export function logSecurity(deps: Deps, event: string, { user, by, ...facts }: SecurityFacts): void {
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
