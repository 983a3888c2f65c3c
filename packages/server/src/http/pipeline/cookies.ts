/**
 * The session cookie, the cookie that identifies a known browser at its next sign-in, and the one that binds a sign-in
 * with an identity provider to the browser that began it.
 */
type Cookie = 'alcove_session' | 'alcove_browser' | 'alcove_flow'

export function readCookie(header: string | undefined, cookie: Cookie, origin: string): string | undefined {
  const name = nameOf(cookie, origin)
  const found = header?.split(';').find((pair) => pair.trim().startsWith(`${name}=`))
  return found?.slice(found.indexOf('=') + 1).trim() || undefined
}

/** Returns a header that sets the cookie. Scripts cannot read it, and forms of other sites do not send it. */
export function setCookie(cookie: Cookie, value: string, maxAge: number, origin: string): string {
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
