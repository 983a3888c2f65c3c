import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import { plainText } from './plain-text.ts'

const marker = /^\[([ xX~])\][ \t]+/

/** Adds disabled checkboxes to list items that begin with `[ ]`, `[x]` or `[~]`. */
export function taskLists(parser: MarkdownIt): void {
  parser.core.ruler.push('task_lists', (state) => {
    const lists: Token[] = []
    for (const [index, token] of state.tokens.entries()) {
      if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token)
      else if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop()
      else if (token.type === 'list_item_open' && state.tokens[index + 1]?.type === 'paragraph_open') {
        const content = state.tokens[index + 2]
        if (content && makeTask(state, token, content)) lists.at(-1)?.attrSet('class', 'task-list')
      }
    }
  })
}

const maxLabelLength = 200

function makeTask(state: StateCore, item: Token, content: Token): boolean {
  const [first, ...rest] = content.children ?? []
  const [written, mark] = (first?.type === 'text' && marker.exec(first.content)) || []
  if (!first || written === undefined) return false
  first.content = first.content.slice(written.length)
  const isInapplicable = mark === '~'
  const checkbox = new state.Token('task_checkbox', 'input', 0)
  checkbox.attrs = [
    ['type', 'checkbox'],
    ['class', 'task-list-item-checkbox'],
    ['disabled', ''],
    [
      'aria-label',
      plainText([first, ...rest])
        .trim()
        .slice(0, maxLabelLength) || 'Task',
    ],
  ]
  if (mark?.toLowerCase() === 'x') checkbox.attrSet('checked', '')
  item.attrSet('class', isInapplicable ? 'task-list-item inapplicable' : 'task-list-item')
  const blank = new state.Token('text', '', 0)
  blank.content = ' '
  content.children = isInapplicable
    ? [checkbox, blank, new state.Token('s_open', 's', 1), first, ...rest, new state.Token('s_close', 's', -1)]
    : [checkbox, blank, first, ...rest]
  return true
}
