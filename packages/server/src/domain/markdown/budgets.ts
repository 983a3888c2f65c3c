import type { MarkdownIt, StateBlock, Token } from 'markdown-it'

/** Thrown for a text that costs more than any text written to be read. */
export class TooMuchWork extends Error {}

const maxSteps = 600_000
/**
 * Tokens that a text may make: some for every character, because a short table can stand for tens of thousands of empty
 * cells. Dense ordinary text makes fewer than two for a character.
 */
const maxTokens = (text: string): number => Math.min(300_000, 1_000 + 4 * text.length)
/** Characters that every text may spend on repeating its definitions, however short it is. */
const freeCharacters = 100_000

/** How deep blocks may be in each other; a list counts twice. */
export const maxNesting = 50

/**
 * Ends a parse that takes too many steps, leaves too many tokens, or goes so deep that the parser would leave text out.
 * The parser itself is linear, but a MiB of nothing but brackets, bullets or cells still keeps it busy for seconds and
 * fills a GiB.
 */
export function workBudget(parser: MarkdownIt): void {
  let steps = 0
  const step = () => {
    if (++steps > maxSteps) throw new TooMuchWork('too many steps')
    return false // and let the rules that can read something try
  }
  parser.core.ruler.before('normalize', 'work_begins', () => {
    steps = 0
  })
  parser.inline.ruler.before('text', 'work', step)
  // Asked at every block, and in tables and paragraphs at every line, where other rules may put an end to them.
  const everywhere = { alt: ['paragraph', 'reference', 'blockquote', 'list'] }
  const check = ({ tokens, level, src }: StateBlock) => {
    if (level + 2 >= maxNesting) throw new TooMuchWork('too deep')
    assertFew(tokens.length, src)
    return step()
  }
  parser.block.ruler.before('table', 'work', check, everywhere)
  parser.core.ruler.push('work_ends', ({ tokens, src }) => {
    const count = tokens.reduce((count, { children }) => count + 1 + (children?.length ?? 0), 0)
    assertFew(count, src)
  })
}

function assertFew(tokens: number, text: string): void {
  if (tokens > maxTokens(text)) throw new TooMuchWork('too many tokens')
}

/**
 * A long address that is defined once can be referred to a hundred thousand times, and each time it is written out. Once
 * that comes to more than the text itself, what refers to it leads nowhere.
 */
export function referenceBudget(parser: MarkdownIt): void {
  parser.core.ruler.after('inline', 'reference_budget', (state) => {
    let left = Math.max(freeCharacters, state.src.length)
    const spend = (tokens: readonly Token[]) => {
      for (const token of tokens) {
        if (token.children) spend(token.children)
        if (token.meta?.['label'] === undefined) continue
        for (const [, value] of token.attrs ?? []) left -= String(value).length
        if (left >= 0) continue
        if (token.type === 'image') token.attrs = Object.entries({ src: '', alt: '' })
        else token.attrs = null
      }
    }
    spend(state.tokens)
  })
}
