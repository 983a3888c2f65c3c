/** Allowed schemes of links. Others may run scripts or open other programs. */
const linkSchemes: ReadonlySet<string> = new Set(['http', 'https', 'mailto'])
/** Allowed schemes of images, videos and audio. */
const mediaSchemes: ReadonlySet<string> = new Set(['http', 'https'])

/**
 * Returns true when a page may link to this URL. URLs without a scheme refer to this server, or to `//another.host`.
 */
export function isAllowedLink(address: string): boolean {
  return hasSchemeIn(linkSchemes, address)
}

export function isAllowedMedia(address: string): boolean {
  return hasSchemeIn(mediaSchemes, address)
}

// Browsers drop control characters: `java\tscript:` is a scheme. They keep other invisible ones, but the reader of a link
// does not see them, and DOMPurify drops them, too.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
const invisible = /[\u0000-\u0020\u00a0\u1680\u180e\u2000-\u2029\u205f\u3000\ufeff]+/g

function hasSchemeIn(allowed: ReadonlySet<string>, address: string): boolean {
  // Rejects comments, which do not occur in ordinary URLs and are slow to sanitise.
  if (address.includes('<!--')) return false
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address.replace(invisible, ''))?.[1]
  return scheme === undefined || allowed.has(scheme.toLowerCase())
}
