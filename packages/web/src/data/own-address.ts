/** Address of the second factors, which a session may have to set up before it can do anything else. */
export const twoFactorPath = '/-/profile/two_factor_auth'

/** Returns `to` if it is an address of this server, otherwise the fallback. Prevents open redirects. */
export function ownAddress(to: string, otherwise: string): string {
  const url = URL.canParse(to, location.origin) ? new URL(to, location.origin) : undefined
  // A path that begins with two slashes names another host, even after parsing.
  const isOwn = to.startsWith('/') && url?.origin === location.origin && !url.pathname.startsWith('//')
  return isOwn ? url.pathname + url.search + url.hash : otherwise
}

/** Percent-decodes a path segment. Returns it unchanged when it is not valid percent-encoding. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** State of the page to which the home page redirects visitors. */
export const fromHome = { isFromHome: true }

/** Returns the sign-in address, which leads back to the current page, or to the home page that the visitor asked for. */
export function signInAddress(): string {
  const state: Partial<typeof fromHome> | null = history.state
  return `/-/sign_in?to=${encodeURIComponent(state?.isFromHome ? '/' : location.pathname + location.search)}`
}
