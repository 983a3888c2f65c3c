/** An address of this server, or what stands in for it: a link to here must not lead on to another site. */
export function ownAddress(to: string, otherwise: string): string {
  const url = URL.canParse(to, location.origin) ? new URL(to, location.origin) : undefined
  // Twice, because a path that begins with two slashes is another site by itself.
  const isOwn = to.startsWith('/') && url?.origin === location.origin && !url.pathname.startsWith('//')
  return isOwn ? url.pathname + url.search + url.hash : otherwise
}

/** Where one signs in, to come back to what is shown now. */
export function signInAddress(): string {
  return `/-/sign_in?to=${encodeURIComponent(location.pathname + location.search)}`
}
