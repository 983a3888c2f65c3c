import type { MarkdownIt, StateBlock, StateCore, Token } from 'markdown-it'

/**
 * Maximum number of references, each of which is rendered three times (link, number, backlink). Further ones stay text.
 */
const maxReferences = 2000

const definition = /\[\^([^\]\s]{1,100})\]:/y
const reference = /\[\^([^[\]\s]{1,100})\]/y

/** Footnotes of a text, kept in the parser's environment during a parse. */
interface Footnotes {
  definitions: Map<string, Token[]>
  /** Cited footnotes in the order of their first reference, which determines their numbers. */
  cited: Map<string, { number: number; references: number }>
  references: number
}
const key = Symbol('footnotes')

/** Supports `[^label]` in the text and `[^label]: …` anywhere. Cited footnotes are rendered at the end. */
export function footnotes(parser: MarkdownIt): void {
  parser.block.ruler.before('reference', 'footnote_definition', readDefinition, { alt: ['paragraph', 'reference'] })
  parser.core.ruler.before('inline', 'footnote_definitions', takeDefinitions)
  parser.inline.ruler.before('link', 'footnote_reference', (state, silent) => {
    const notes = state.env[key] as Footnotes | undefined // set by this file only
    if (!notes || state.linkLevel > 0 || notes.references >= maxReferences || !state.src.startsWith('[^', state.pos)) {
      return false
    }
    reference.lastIndex = state.pos
    const [written = '', label = ''] = reference.exec(state.src) ?? []
    const name = label.toLowerCase()
    if (!notes.definitions.has(name)) return false
    if (!silent) {
      const note = notes.cited.get(name) ?? { number: notes.cited.size + 1, references: 0 }
      notes.cited.set(name, note)
      notes.references++
      pushReference(state.push.bind(state), note.number, ++note.references)
    }
    state.pos += written.length
    return true
  })
  parser.core.ruler.after('inline', 'footnote_section', addSection)
}

/** Reads a definition. Like a list item, it continues in the following lines that are indented by four spaces. */
function readDefinition(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const [mark, shift, indent] = [state.bMarks[line] ?? 0, state.tShift[line] ?? 0, state.sCount[line] ?? 0]
  const end = state.eMarks[line] ?? 0
  if (indent - state.blkIndent >= 4 || !state.src.startsWith('[^', mark + shift)) return false
  definition.lastIndex = mark + shift
  const [, label] = definition.exec(state.src) ?? []
  if (label === undefined) return false
  if (silent) return true

  state.push('footnote_definition_open', '', 1).info = label.toLowerCase()
  state.bMarks[line] = Math.min(state.skipSpaces(definition.lastIndex), end)
  state.tShift[line] = 0
  state.blkIndent += 4
  state.sCount[line] = state.blkIndent
  state.md.block.tokenize(state, line, endLine)
  state.blkIndent -= 4
  state.bMarks[line] = mark
  state.tShift[line] = shift
  state.sCount[line] = indent
  state.push('footnote_definition_close', '', -1)
  return true
}

/** Removes the definitions from the text, before references are parsed. */
function takeDefinitions(state: StateCore): void {
  const definitions = new Map<string, Token[]>()
  const open: Token[][] = []
  state.tokens = state.tokens.filter((token) => {
    if (token.type === 'footnote_definition_open') {
      const body: Token[] = []
      open.push(body)
      if (!definitions.has(token.info)) definitions.set(token.info, body)
    } else if (token.type === 'footnote_definition_close') {
      open.pop()
    } else if (open.length > 0) {
      open.at(-1)?.push(token)
    } else {
      return true
    }
    return false
  })
  if (definitions.size > 0) state.env[key] = { definitions, cited: new Map(), references: 0 } satisfies Footnotes
}

function addSection(state: StateCore): void {
  const notes = state.env[key] as Footnotes | undefined // Only this file sets this key.
  if (!notes || notes.cited.size === 0) return
  // Parsing a note may add further notes to the map during this loop.
  for (const name of notes.cited.keys()) {
    for (const token of notes.definitions.get(name) ?? []) {
      if (token.type === 'inline') state.md.inline.parse(token.content, state.md, state.env, token.children ?? [])
    }
  }
  const push = (type: string, tag: string, nesting: -1 | 0 | 1) => {
    const token = new state.Token(type, tag, nesting)
    token.block = true
    state.tokens.push(token)
    return token
  }
  push('footnotes_open', 'section', 1).attrs = [['class', 'footnotes']]
  push('footnote_list_open', 'ol', 1)
  for (const [name, note] of notes.cited) {
    push('footnote_open', 'li', 1).attrs = [['id', `fn-${note.number}`]]
    const body = notes.definitions.get(name) ?? []
    for (const token of body) state.tokens.push(token)
    const isText = body.at(-1)?.type === 'paragraph_close'
    const last = isText ? body.at(-2) : push('inline', '', 0)
    if (last) last.children = [...(last.children ?? []), ...waysBack(state, note.number, note.references)]
    push('footnote_close', 'li', -1)
  }
  push('footnote_list_close', 'ol', -1)
  push('footnotes_close', 'section', -1)
}

type Push = (type: string, tag: string, nesting: -1 | 0 | 1) => Token

function pushReference(push: Push, number: number, count: number): void {
  push('footnote_reference_open', 'sup', 1).attrs = [['class', 'footnote-ref']]
  push('link_open', 'a', 1).attrs = [
    ['href', `#fn-${number}`],
    ['id', referenceId(number, count)],
  ]
  push('text', '', 0).content = String(number)
  push('link_close', 'a', -1)
  push('footnote_reference_close', 'sup', -1)
}

function waysBack(state: StateCore, number: number, references: number): Token[] {
  const tokens: Token[] = []
  const push: Push = (type, tag, nesting) => {
    const token = new state.Token(type, tag, nesting)
    tokens.push(token)
    return token
  }
  for (let count = 1; count <= references; count++) {
    push('text', '', 0).content = ' '
    push('link_open', 'a', 1).attrs = [
      ['href', `#${referenceId(number, count)}`],
      ['class', 'footnote-backref'],
      ['aria-label', `Back to reference ${count === 1 ? number : `${number}-${count}`}`],
    ]
    push('text', '', 0).content = '\u21a9\ufe0e' // the variation selector keeps phones from showing an emoji
    push('link_close', 'a', -1)
  }
  return tokens
}

function referenceId(number: number, count: number): string {
  return count === 1 ? `fnref-${number}` : `fnref-${number}-${count}`
}
