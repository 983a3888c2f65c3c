import { Parser } from 'htmlparser2'
import { type Attributes, onAnyTag, tags } from './allow-list.ts'
import { TooMuchWork } from './budgets.ts'
import { endsParagraph, fitsInto, hasNoEnd, hidesContent } from './nesting.ts'
import { expandUpload, type MarkdownContext } from './uploads.ts'

/** Nobody means tags to be nested deeper, and the time they take grows with the square of their depth. */
const maxDepth = 1000

type Written = Readonly<Record<string, string>>

/**
 * HTML written anew from nothing but what the allow-list names, whether somebody wrote a tag or got the parser to write
 * it. Whatever leads to an upload is made to lead to where it can be fetched.
 */
export function sanitise(html: string, context: MarkdownContext): string {
  const ids = new Set<string>()
  /** What is open in the input: which tag, and where in `shown` it is; `-1` where it was left out. */
  const open: { name: string; place: number }[] = []
  /** What is open in the output. */
  const shown: string[] = []
  /** How many tags are open outside the one whose content is left out. */
  let hiddenFrom: number | undefined
  let output = ''

  const parser = new Parser({
    onopentag(name, written) {
      if (open.length >= maxDepth) throw new TooMuchWork('too many tags inside each other')
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

  /** A tag that was closed before its end leaves fewer open ones than its place: then nothing is left to close. */
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
  // The way anchors were written before there were ids.
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

/** Adds what nobody writes. */
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
    case 'input': // whatever it was: nothing can be typed into it, and no form is sent
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
