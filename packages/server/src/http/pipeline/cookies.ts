import { knownBrowserDays } from '../../domain/sign-in/known-browsers.ts'
import { sessionDays } from '../../domain/sign-in/sessions.ts'
import type { NewSession } from '../../domain/sign-in/sign-in.ts'

/** The cookie of a signed-in browser, and the one by which a browser is recognised at its next sign-in. */
type Cookie = 'alcove_session' | 'alcove_browser'

const daySeconds = 24 * 60 * 60

/** Scripts cannot read these cookies, and other sites' forms do not send them. */
export function sessionCookies({ secret, browser }: NewSession, origin: string): string[] {
  const session = setCookie('alcove_session', secret, sessionDays * daySeconds, origin)
  return browser === undefined
    ? [session]
    : [session, setCookie('alcove_browser', browser, knownBrowserDays * daySeconds, origin)]
}

/** Removes the session's cookie; the browser stays known. */
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

/** Browsers take a `__Host-` cookie from this very host over HTTPS only, not from a sibling domain or a plain page. */
function nameOf(cookie: Cookie, origin: string): string {
  return isSecure(origin) ? `__Host-${cookie}` : cookie
}

function isSecure(origin: string): boolean {
  return origin.startsWith('https:')
}
