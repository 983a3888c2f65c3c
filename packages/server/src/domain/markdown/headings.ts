import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import { plainText } from './plain-text.ts'

/** Maximum number of anchors, because they make a page many times longer than its text. */
const maxAnchors = 1000
const maxSlugLength = 120

/** Gives headings an id derived from their text, and a link to it. */
export function headings(parser: MarkdownIt): void {
  parser.core.ruler.push('headings', (state) => {
    const uses = new Map<string, number>()
    let anchors = 0
    for (const [index, token] of state.tokens.entries()) {
      const content = state.tokens[index + 1]
      if (token.type !== 'heading_open' || !content?.children) continue
      const title = plainText(content.children).trim()
      const slug = slugOf(title)
      if (slug === '' || ++anchors > maxAnchors) continue
      const used = uses.get(slug) ?? 0
      uses.set(slug, used + 1)
      const id = used === 0 ? slug : `${slug}-${used}`
      token.attrSet('id', id)
      content.children = [...content.children, ...anchorTo(state, id, title)]
    }
  })
}

/** Returns GitLab's slug: lower case, without punctuation, spaces replaced by hyphens, never a plain number. */
function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replace(/[ -]+/g, '-')
    .slice(0, maxSlugLength)
  return /^\d+$/.test(slug) ? `anchor-${slug}` : slug
}

function anchorTo(state: StateCore, id: string, title: string): Token[] {
  const open = new state.Token('link_open', 'a', 1)
  open.attrs = [
    ['class', 'anchor'],
    ['href', `#${id}`],
    ['aria-label', `Link to heading '${title.slice(0, maxSlugLength)}'`],
  ]
  return [open, new state.Token('link_close', 'a', -1)]
}
