import type { Token } from 'markdown-it'

/** Returns the plain text of inline content, for labels and anchors. */
export function plainText(tokens: readonly Token[] | null): string {
  let text = ''
  for (const token of tokens ?? []) {
    if (token.type === 'text' || token.type === 'text_special' || token.type === 'code_inline') text += token.content
    else if (token.type === 'softbreak' || token.type === 'hardbreak') text += ' '
    else if (token.type === 'image') text += plainText(token.children)
  }
  return text
}
