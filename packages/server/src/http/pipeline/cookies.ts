import { knownBrowserDays } from '../../domain/sign-in/known-browsers.ts'
import { sessionDays } from '../../domain/sign-in/sessions.ts'
import type { NewSession } from '../../domain/sign-in/sign-in.ts'

/** The session cookie, and the cookie that identifies a known browser at its next sign-in. */
type Cookie = 'alcove_session' | 'alcove_browser'

const daySeconds = 24 * 60 * 60

/** Returns the cookies of a new session. Scripts cannot read them, and forms of other sites do not send them. */
export function sessionCookies({ secret, browser }: NewSession, origin: string): string[] {
  const session = setCookie('alcove_session', secret, sessionDays * daySeconds, origin)
  return browser === undefined
    ? [session]
    : [session, setCookie('alcove_browser', browser, knownBrowserDays * daySeconds, origin)]
}

/** Returns a header that removes the session cookie. The cookie of the known browser remains. */
export function endedSessionCookie(origin: string): string {
  return setCookie('alcove_session', '', 0, origin)
}

export function readCookie(header: string | undefined, cookie: Cookie, origin: string): string | undefined {
  const name = nameOf(cookie, origin)
  const found = header?.split(';').find((pair) => pair.trim().startsWith(`${name}=`))
  return found?.slice(found.indexOf('=') + 1).trim() || undefined
}

function setCookie(cookie: Cookie, value: string, maxAge: number, origin: string): string {
  const secure = isSecure(origin) ? '; Secure' : ''
  return `${nameOf(cookie, origin)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`
}

/** Returns the cookie's name. Browsers accept `__Host-` cookies only from this host over HTTPS. */
function nameOf(cookie: Cookie, origin: string): string {
  return isSecure(origin) ? `__Host-${cookie}` : cookie
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https:')
}
