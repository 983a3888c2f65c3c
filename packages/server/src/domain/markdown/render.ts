import { TooMuchWork } from './budgets.ts'
import { createParser } from './parser.ts'
import { sanitise } from './sanitise.ts'
import type { MarkdownContext } from './uploads.ts'

const parser = createParser()

/** Safe HTML, whatever the text; as plain text where it would take too long. Long texts: see `renderAside`. */
export function renderMarkdown(text: string, context: MarkdownContext = {}): string {
  try {
    return sanitise(parser.render(text, {}), context)
  } catch (error) {
    if (error instanceof TooMuchWork) return `<pre>${parser.utils.escapeHtml(text)}</pre>\n`
    throw error
  }
}
