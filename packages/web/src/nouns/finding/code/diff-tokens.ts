import type { DiffLine } from './diff.ts'
import type { TokenLine } from './tokens.ts'
import type { Highlighter } from './use-highlighter.ts'

/** Returns the tokens of the lines of a diff. Each hunk is highlighted as it was before the change and as it is after it. */
export function diffTokens(
  lines: readonly DiffLine[],
  file: string | undefined,
  highlighter: Highlighter,
): (TokenLine | undefined)[] {
  const tokens = new Map<DiffLine, TokenLine>()
  const code = lines.filter(({ kind }) => kind !== 'header' && kind !== 'hunk')
  for (const number of new Set(code.map(({ hunk }) => hunk))) {
    for (const other of ['added', 'removed'] as const) {
      const side = code.filter(({ kind, hunk }) => hunk === number && kind !== other)
      const highlighted = highlighter(side.map(({ text }) => text.slice(1)).join('\n'), side[0]?.file ?? file)
      for (const [index, line] of side.entries()) {
        const found = highlighted?.[index]
        if (found) tokens.set(line, [{ text: line.text.charAt(0), look: undefined }, ...found])
      }
    }
  }
  return lines.map((line) => tokens.get(line))
}
