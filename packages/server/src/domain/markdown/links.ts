/** Where a link may lead; everything else would run something or open another program. */
const linkSchemes: ReadonlySet<string> = new Set(['http', 'https', 'mailto'])
/** Where images, videos and sounds may come from. */
const mediaSchemes: ReadonlySet<string> = new Set(['http', 'https'])

/** Whether a page may carry this address. Addresses without a scheme belong to this server, or to `//another.one`. */
export function isAllowedLink(address: string): boolean {
  return hasSchemeIn(linkSchemes, address)
}

export function isAllowedMedia(address: string): boolean {
  return hasSchemeIn(mediaSchemes, address)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop them, so `java\tscript:` is a scheme
const ignoredByBrowsers = /[\u0000-\u0020]+/g

function hasSchemeIn(allowed: ReadonlySet<string>, address: string): boolean {
  // In no honest address, and slow to take out of a dishonest one, as the sanitiser would.
  if (address.includes('<!--')) return false
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address.replace(ignoredByBrowsers, ''))?.[1]
  return scheme === undefined || allowed.has(scheme.toLowerCase())
}
