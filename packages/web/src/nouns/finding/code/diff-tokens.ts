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
  const hunks = new Map<number, DiffLine[]>()
  for (const line of lines) {
    if (line.kind === 'header' || line.kind === 'hunk') continue
    const known = hunks.get(line.hunk)
    if (known) known.push(line)
    else hunks.set(line.hunk, [line])
  }
  for (const code of hunks.values()) {
    for (const other of ['added', 'removed'] as const) {
      const side = code.filter(({ kind }) => kind !== other)
      const highlighted = highlighter(side.map(({ text }) => text.slice(1)).join('\n'), side[0]?.file ?? file)
      for (const [index, line] of side.entries()) {
        const found = highlighted?.[index]
        if (found) tokens.set(line, [{ text: line.text.charAt(0), look: undefined }, ...found])
      }
    }
  }
  return lines.map((line) => tokens.get(line))
}
