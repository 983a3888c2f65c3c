import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import { kindOf } from '../uploads/markdown.ts'
import { plainText } from './plain-text.ts'
import { filenameIn } from './uploads.ts'

/** Maximum number of players per page. */
const maxPlayers = 200

/** Supports image sizes (`![a](b.png){width=50%}`), and turns images of video and audio files into players. */
export function media(parser: MarkdownIt): void {
  parser.core.ruler.push('media', (state) => {
    let players = 0
    for (const block of state.tokens) {
      if (!block.children?.some(({ type }) => type === 'image')) continue
      let linkDepth = 0
      block.children = block.children.flatMap((token, index, children) => {
        if (token.type === 'link_open' || token.type === 'link_close') linkDepth += token.nesting
        if (token.type !== 'image') return token
        takeSizes(token, children[index + 1])
        const kind = kindOf(filenameIn(String(token.attrGet('src'))))
        if (kind !== 'video' && kind !== 'audio') return token
        if (++players > maxPlayers) return token
        const link = linkDepth === 0 ? linkTo(state, token) : []
        return contained(state, kind, [...playerOf(state, kind, token), ...link])
      })
    }
  })
}

// Linear time: it is anchored, and every repetition but that of spaces is bounded.
const sizes = /^\{ *((?:(?:width|height)=(?:"\d{1,4}(?:px|%)?"|\d{1,4}(?:px|%)?) *){1,2})\}/
const size = /(width|height)="?(\d+(?:px|%)?)/g

function takeSizes(image: Token, next: Token | undefined): void {
  const [written, list = ''] = (next?.type === 'text' && sizes.exec(next.content)) || []
  if (!next || written === undefined) return
  for (const [, name = '', value = ''] of list.matchAll(size)) image.attrSet(name, value)
  next.content = next.content.slice(written.length)
}

function contained(state: StateCore, kind: string, content: readonly Token[]): Token[] {
  const open = new state.Token('media_open', 'span', 1)
  open.attrs = [['class', `media-container ${kind}-container`]]
  return [open, ...content, new state.Token('media_close', 'span', -1)]
}

function playerOf(state: StateCore, kind: string, image: Token): Token[] {
  const open = new state.Token('player_open', kind, 1)
  const kept = (image.attrs ?? []).filter(([name]) => name !== 'alt')
  open.attrs = [...kept, ['controls', ''], ['aria-label', plainText(image.children)]]
  return [open, new state.Token('player_close', kind, -1)]
}

/** Returns a download link, also for browsers that cannot play the file. */
function linkTo(state: StateCore, image: Token): Token[] {
  const address = String(image.attrGet('src'))
  const open = new state.Token('link_open', 'a', 1)
  const text = new state.Token('text', '', 0)
  open.attrs = [['href', address]]
  text.content = plainText(image.children).trim() || filenameIn(address)
  return [open, text, new state.Token('link_close', 'a', -1)]
}
