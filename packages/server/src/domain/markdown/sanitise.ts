import { Parser } from 'htmlparser2'
import { type Attributes, onAnyTag, tags } from './allow-list.ts'
import { BudgetExceeded } from './budgets.ts'
import { endsParagraph, fitsInto, hasNoEnd, hidesContent } from './nesting.ts'
import { expandUpload, type MarkdownContext } from './uploads.ts'

/** Maximum nesting depth of tags. Sanitising takes quadratic time in the depth. */
const maxDepth = 1000

type Written = Readonly<Record<string, string>>

/** Rebuilds HTML, written by hand or by the parser, from the allow-list. Resolves links to uploads. */
export function sanitise(html: string, context: MarkdownContext): string {
  const ids = new Set<string>()
  /** Open tags of the input with their positions in `shown`; `-1` for dropped tags. */
  const open: { name: string; place: number }[] = []
  /** Open tags of the output. */
  const shown: string[] = []
  /** Number of tags that are open around the tag whose content is dropped. */
  let hiddenFrom: number | undefined
  let output = ''

  const parser = new Parser({
    onopentag(name, written) {
      if (open.length >= maxDepth) throw new BudgetExceeded('too many tags inside each other')
      if (hidesContent(name)) hiddenFrom ??= open.length
      const place = hiddenFrom === undefined ? show(name, written) : -1
      open.push({ name, place })
    },
    ontext(text) {
      if (hiddenFrom === undefined) output += escapeText(text)
    },
    onclosetag(name) {
      const tag = open.at(-1)
      if (tag?.name !== name) return
      open.pop()
      if (hiddenFrom === open.length) hiddenFrom = undefined
      if (tag.place >= 0) close(tag.place)
    },
  })
  parser.end(html.replaceAll('\0', '\ufffd'))
  close(0)
  return output

  function show(name: string, written: Written): number {
    const own = tags.get(name)
    const paragraph = endsParagraph(name) ? shown.lastIndexOf('p') : -1
    if (!own || !fitsInto(paragraph < 0 ? shown : shown.slice(0, paragraph), name)) return -1
    if (paragraph >= 0) close(paragraph)
    output += `<${name}${printAttributes(finish(name, check(name, own, written, ids), context))}>`
    return hasNoEnd(name) ? -1 : shown.push(name) - 1
  }

  /** Closes the output down to a position. Does nothing if that tag was already closed implicitly. */
  function close(place: number): void {
    while (shown.length > place) output += `</${shown.pop()}>`
  }
}

function check(tagName: string, own: Attributes, written: Written, ids: Set<string>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, text] of Object.entries(written)) {
    const read = Object.hasOwn(own, name) ? own[name] : Object.hasOwn(onAnyTag, name) ? onAnyTag[name] : undefined
    const value = read?.(text)
    if (value !== undefined) kept[name] = value
  }
  // Anchors in old HTML have `name` instead of `id`.
  if (tagName === 'a' && written['name'] && !kept['id']) {
    const id = onAnyTag['id']?.(written['name'])
    if (id !== undefined) kept['id'] = id
  }
  if (kept['id'] !== undefined) {
    if (ids.has(kept['id'])) delete kept['id']
    else ids.add(kept['id'])
  }
  return kept
}

/** Adds attributes that the output needs. */
function finish(tagName: string, kept: Written, context: MarkdownContext): Written {
  switch (tagName) {
    case 'a': {
      const isElsewhere = kept['href'] !== undefined && !kept['href'].startsWith('#')
      return { ...expand('href', kept, context), ...(isElsewhere && { rel: 'nofollow noreferrer noopener' }) }
    }
    case 'img':
      return { ...expand('src', kept, context), loading: 'lazy' }
    case 'audio':
    case 'video':
      return { ...expand('src', kept, context), controls: '', preload: 'metadata' }
    case 'input': // always a disabled checkbox, without input or forms
      return { ...kept, type: 'checkbox', disabled: '' }
    default:
      return kept
  }
}

function expand(name: 'href' | 'src', kept: Written, context: MarkdownContext): Written {
  const target = kept[name]
  const expanded = target && expandUpload(target, context)
  if (!expanded) return kept
  return {
    ...kept,
    [name]: expanded,
    class: kept['class'] ? `${kept['class']} gfm` : 'gfm',
    'data-canonical-src': target,
    ...(name === 'href' && { 'data-link': 'true' }),
  }
}

function printAttributes(attributes: Written): string {
  let printed = ''
  for (const [name, value] of Object.entries(attributes)) {
    printed += value === '' && name !== 'alt' ? ` ${name}` : ` ${name}="${escapeText(value).replaceAll('"', '&quot;')}"`
  }
  return printed
}

function escapeText(text: string): string {
  if (!/[&<>]/.test(text)) return text
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
