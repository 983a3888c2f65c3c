import { Parser } from 'htmlparser2'

/** Maximum number of links that are collected. */
const maxLinks = 50
/** Maximum number of tags that are read. The parser searches all open elements at the end of each. */
const maxTags = 4000

const blocks: ReadonlySet<string> = new Set([
  'p',
  'br',
  'div',
  'ul',
  'ol',
  'tr',
  'table',
  'pre',
  'h1',
  'h2',
  'h3',
  'h4',
])

/**
 * Returns the text of a piece of HTML, with its paragraphs and list items, and the addresses of its links. The text ends
 * after `maxTags` tags.
 */
export function htmlText(html: string): { text: string; links: { name: string; url: string }[] } {
  const links: { name: string; url: string }[] = []
  let text = ''
  let isLink = false
  const parser = new Parser({
    onopentag(name, { href }) {
      if (name === 'li') text += '\n- '
      else if (blocks.has(name)) text += name === 'br' ? '\n' : '\n\n'
      isLink = name === 'a' && href !== undefined && links.length < maxLinks
      if (isLink) links.push({ name: '', url: href ?? '' })
    },
    ontext(part) {
      text += part
      const last = links.at(-1)
      if (isLink && last) last.name += part
    },
    onclosetag() {
      isLink = false
    },
  })
  parser.end(html.slice(0, endOfTags(html)))
  return { text: tidy(text), links }
}

/** Returns the position of the first tag that is not read, or the end. */
function endOfTags(html: string): number {
  let at = html.indexOf('<')
  for (let tags = 0; at >= 0 && tags < maxTags; tags++) at = html.indexOf('<', at + 1)
  return at < 0 ? html.length : at
}

/** Removes repeated blanks and blank lines. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line, index) => line !== '' || (index > 0 && lines[index - 1] !== ''))
    .join('\n')
    .trim()
}
