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

/** Returns the sign-in address, which leads back to the current page. */
export function signInAddress(): string {
  return `/-/sign_in?to=${encodeURIComponent(location.pathname + location.search)}`
}
