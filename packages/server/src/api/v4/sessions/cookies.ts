import { knownBrowserDays } from '../../../domain/sign-in/known-browsers.ts'
import { sessionDays } from '../../../domain/sign-in/sessions.ts'
import type { NewSession } from '../../../domain/sign-in/sign-in.ts'
import { setCookie } from '../../../http/pipeline/cookies.ts'

const daySeconds = 24 * 60 * 60

/** Returns the cookies of a new session. */
export function sessionCookies({ secret, browser }: NewSession, origin: string): string[] {
  return [
    setCookie('alcove_session', secret, sessionDays * daySeconds, origin),
    setCookie('alcove_browser', browser, knownBrowserDays * daySeconds, origin),
  ]
}

/** Returns a header that removes the session cookie. The cookie of the known browser remains. */
export function endedSessionCookie(origin: string): string {
  return setCookie('alcove_session', '', 0, origin)
}
