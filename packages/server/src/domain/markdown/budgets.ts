import type { MarkdownIt, StateBlock, Token } from 'markdown-it'

/** Thrown for a text that is more expensive to render than any text meant for reading. */
export class BudgetExceeded extends Error {}

const maxSteps = 600_000
/**
 * Returns the maximum number of tokens. It allows several per character, because a short table may expand to tens of
 * thousands of empty cells. Dense ordinary text has fewer than two tokens per character.
 */
const maxTokens = (text: string): number => Math.min(300_000, 1_000 + 4 * text.length)
/** Number of characters that any text may spend on expanding its link references. */
const freeCharacters = 100_000

/** Maximum nesting depth of blocks. A list counts twice. */
export const maxNesting = 50

/**
 * Aborts a parse that takes too many steps, produces too many tokens or nests so deeply that the parser would drop
 * text. The parser is linear, but 1 MiB of brackets, bullets or cells still takes seconds and 1 GiB of memory.
 */
export function workBudget(parser: MarkdownIt): void {
  let steps = 0
  const step = () => {
    if (++steps > maxSteps) throw new BudgetExceeded('too many steps')
    return false // continues with the next rule
  }
  parser.core.ruler.before('normalize', 'work_begins', () => {
    steps = 0
  })
  parser.inline.ruler.before('text', 'work', step)
  // Runs at every block, and at every line of tables and paragraphs, where other rules may interrupt them.
  const everywhere = { alt: ['paragraph', 'reference', 'blockquote', 'list'] }
  const check = ({ tokens, level, src }: StateBlock) => {
    if (level + 2 >= maxNesting) throw new BudgetExceeded('too deep')
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
  if (tokens > maxTokens(text)) throw new BudgetExceeded('too many tokens')
}

/**
 * Limits expanded link references: a long URL that is defined once may be referenced a hundred thousand times. Once the
 * expansion exceeds the length of the text, further references get no URL.
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
