/**
 * Browsers close tags on their own where others begin, and then take the end tag that was meant for the closed one for
 * that of something around the text. So text may only be nested as they would nest it.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Tags that stand directly in one of these, or not at all. */
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
/** Nothing but their own parts may stand in these. */
const frames = words('table thead tbody tfoot tr')
const headings = words('h1 h2 h3 h4 h5 h6')

/** Whether a tag may stand in these open tags, the last of which is its parent. */
export function fitsInto(open: readonly string[], name: string): boolean {
  const parent = open.at(-1) ?? ''
  const allowed = parents.get(name)
  if (allowed) return allowed.has(parent)
  if (frames.has(parent) || (headings.has(name) && headings.has(parent))) return false
  return name !== 'a' || !open.includes('a')
}

const paragraphEnds = words(`blockquote details dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section
  summary table ul`)

/** Whether a paragraph ends where this tag begins. */
export function endsParagraph(name: string): boolean {
  return paragraphEnds.has(name)
}

const voids = words('br hr img input wbr')

export function hasNoEnd(name: string): boolean {
  return voids.has(name)
}

/** Of these not even the text is left: nobody was meant to read it. */
const hidden = words(`script style textarea option select xmp iframe noembed noframes noscript plaintext title template
  object svg math`)

export function hidesContent(name: string): boolean {
  return hidden.has(name)
}
