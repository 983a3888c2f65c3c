import Parser, { type MarkdownIt } from 'markdown-it'
import { alerts } from './alerts.ts'
import { maxNesting, referenceBudget, workBudget } from './budgets.ts'
import { emoji } from './emoji.ts'
import { footnotes } from './footnotes.ts'
import { headings } from './headings.ts'
import { isAllowedLink } from './links.ts'
import { media } from './media.ts'
import { tableAlignment } from './tables.ts'
import { taskLists } from './task-lists.ts'

/**
 * Creates a parser of CommonMark with GitLab's extensions. Most of them are implemented here, because the plugins of
 * markdown-it take quadratic time, and the one for `{width=…}` drops other words in braces.
 */
export function createParser(): MarkdownIt {
  const parser = new Parser({ html: true, linkify: true, maxNesting })
  parser.validateLink = isAllowedLink
  parser
    .use(referenceBudget)
    .use(alerts)
    .use(footnotes)
    .use(emoji)
    .use(media)
    .use(taskLists)
    .use(headings)
    .use(tableAlignment)
    .use(workBudget)
  parser.renderer.rules['s_open'] = () => '<del>'
  parser.renderer.rules['s_close'] = () => '</del>'
  return parser
}
