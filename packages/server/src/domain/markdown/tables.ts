import type { MarkdownIt } from 'markdown-it'

/** Uses the attribute for alignment, because a strict content security policy blocks inline styles. */
export function tableAlignment(parser: MarkdownIt): void {
  parser.core.ruler.push('table_alignment', (state) => {
    for (const token of state.tokens) {
      if (token.type !== 'td_open' && token.type !== 'th_open') continue
      const align = String(token.attrGet('style') ?? '').replace('text-align:', '')
      token.attrs = align === '' ? null : [['align', align]]
    }
  })
}
