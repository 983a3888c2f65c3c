import type { MarkdownIt, StateCore, Token } from 'markdown-it'

const titles: Readonly<Record<string, string>> = {
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  caution: 'Caution',
  warning: 'Warning',
}

const marker = /^\[!(note|tip|important|caution|warning)\](?:[ \t]+([^\n]*))?(?:\n|$)/i

/** Turns quotes that begin with `[!note]` into alerts. The rest of that line is the title. */
export function alerts(parser: MarkdownIt): void {
  parser.core.ruler.before('inline', 'alerts', (state) => {
    const tokens: Token[] = []
    /** Whether each open quote is an alert. */
    const open: boolean[] = []
    for (let index = 0; index < state.tokens.length; index++) {
      const token = state.tokens[index]
      if (!token) break
      tokens.push(token)
      if (token.type === 'blockquote_close') {
        if (open.pop()) token.tag = 'div'
      } else if (token.type === 'blockquote_open') {
        const content = firstParagraph(state.tokens, index)
        const [line, kind, title] = marker.exec(content?.content ?? '') ?? []
        open.push(kind !== undefined)
        if (!content || line === undefined || kind === undefined) continue
        const name = kind.toLowerCase()
        token.tag = 'div'
        token.attrSet('class', `markdown-alert markdown-alert-${name}`)
        tokens.push(...titleOf(state, title?.trim() || titles[name] || name))
        content.content = content.content.slice(line.length)
        if (content.content.trim() === '') index += 3 // skips the paragraph that became empty
      }
    }
    state.tokens = tokens
  })
}

/** Returns the text of the first paragraph in a quote. */
function firstParagraph(tokens: readonly Token[], quote: number): Token | undefined {
  return tokens[quote + 1]?.type === 'paragraph_open' ? tokens[quote + 2] : undefined
}

function titleOf(state: StateCore, title: string): Token[] {
  const open = new state.Token('paragraph_open', 'p', 1)
  const content = new state.Token('inline', '', 0)
  const close = new state.Token('paragraph_close', 'p', -1)
  open.block = close.block = true
  open.attrSet('class', 'markdown-alert-title')
  content.content = title
  content.children = []
  return [open, content, close]
}
