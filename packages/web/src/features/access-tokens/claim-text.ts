import { texts } from './texts.ts'
/** Patterns by claim, as the API has them. */
export type Patterns = Record<string, string[]>

/** Returns patterns as text with one claim in each line, such as `project_path = acme/*, acme-labs/site`. */
export function textOf(patterns: Readonly<Record<string, unknown>>): string {
  return Object.entries(patterns)
    .map(([claim, values]) => `${claim} = ${[values].flat().join(', ')}`)
    .join('\n')
}

/** Reads what `textOf` writes. Returns the first line that is not of this form as the problem. */
export function patternsIn(text: string): { patterns: Patterns; problem?: string } {
  const patterns: Patterns = {}
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue
    const [, claim, values = ''] = /^([^=\s]+)\s*=\s*(.+)$/.exec(line) ?? []
    const list = values
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '')
    if (claim === undefined || list.length === 0) return { patterns, problem: texts.writeClaimPatternInLine(line) }
    patterns[claim] = list
  }
  return { patterns }
}
