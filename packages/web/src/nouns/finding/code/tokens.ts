/** Part of a line of code, with the class of its colour. */
export interface Token {
  text: string
  look: Look | undefined
}
export type Look = 'keyword' | 'string' | 'number' | 'comment' | 'title' | 'type' | 'name'

/** Tokens of one line. */
export type TokenLine = readonly Token[]

/** Splits tokens, which may contain line ends, into lines. */
export function tokenLines(tokens: readonly Token[]): TokenLine[] {
  const lines: Token[][] = [[]]
  for (const { text, look } of tokens) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ text: part, look })
    }
  }
  return lines
}

const maxCharacters = 10_000
const maxLineLength = 500

/** Returns true for text that could block the page for long: the time of grammars grows with the square of a line. */
export function isTooLong(text: string): boolean {
  return text.length > maxCharacters || text.split('\n').some((line) => line.length > maxLineLength)
}
