import { BudgetExceeded } from './budgets.ts'
import { createParser } from './parser.ts'
import { sanitise } from './sanitise.ts'
import type { MarkdownContext } from './uploads.ts'

const parser = createParser()

/**
 * Renders any text to safe HTML. Returns plain text if rendering would take too long. For long texts use `renderAside`.
 */
export function renderMarkdown(text: string, context: MarkdownContext = {}): string {
  try {
    return sanitise(parser.render(text, {}), context)
  } catch (error) {
    if (error instanceof BudgetExceeded) return showPlain(text)
    throw error
  }
}

/** Returns the unrendered text. */
export const showPlain = (text: string): string => `<pre>${parser.utils.escapeHtml(text)}</pre>\n`
