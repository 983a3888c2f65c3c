/**
 * Nesting rules of HTML. Browsers close some tags implicitly when others begin, and then apply a leftover end tag to an
 * element around the text. The sanitiser therefore only emits text nested as browsers would nest it.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Tags that are only allowed directly within one of these parents. */
const parents = new Map<string, ReadonlySet<string>>([
  ['li', words('ul ol')],
  ['dt', words('dl')],
  ['dd', words('dl')],
  ['rt', words('ruby')],
  ['rp', words('ruby')],
  ['caption', words('table')],
  ['thead', words('table')],
  ['tbody', words('table')],
  ['tfoot', words('table')],
  ['tr', words('table thead tbody tfoot')],
  ['td', words('tr')],
  ['th', words('tr')],
])
/** Tags that may only contain their own parts. */
const frames = words('table thead tbody tfoot tr')
const headings = words('h1 h2 h3 h4 h5 h6')

/** Returns true when a tag may be placed within these open tags, the last of which is its parent. */
export function fitsInto(open: readonly string[], name: string): boolean {
  const parent = open.at(-1) ?? ''
  const allowed = parents.get(name)
  if (allowed) return allowed.has(parent)
  if (frames.has(parent) || (headings.has(name) && headings.has(parent))) return false
  return name !== 'a' || !open.includes('a')
}

const paragraphEnds = words(`blockquote details dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section
  summary table ul`)

/** Returns true for a tag whose start ends an open paragraph. */
export function endsParagraph(name: string): boolean {
  return paragraphEnds.has(name)
}

const voids = words('br hr img input wbr')

export function hasNoEnd(name: string): boolean {
  return voids.has(name)
}

/** Tags whose text content is removed too, because it was not meant to be read. */
const hidden = words(`script style textarea option select xmp iframe noembed noframes noscript plaintext title template
  object svg math`)

export function hidesContent(name: string): boolean {
  return hidden.has(name)
}
