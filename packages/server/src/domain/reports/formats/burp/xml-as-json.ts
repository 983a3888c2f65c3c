import { StringDecoder } from 'node:string_decoder'
import { Parser } from 'htmlparser2'
import { checkUtf8 } from '../../reader/source.ts'
import { unreadable } from '../../reader/unreadable.ts'

/** Maximum number of open elements; Burp uses four. */
const maxDepth = 16
/** Maximum length of the text of one element; longer ones are truncated. */
const maxText = 256 * 1024
/** Maximum number of characters between two elements or texts, which the parser holds in memory. */
const maxGap = 32 * 1024 * 1024
const pieceCharacters = 64 * 1024

/** Elements whose content is left out, because it may contain secrets of the scanned application. */
const leftOut: ReadonlySet<string> = new Set(['request', 'response'])

/** Returns true if a text begins like the XML of Burp. `start` is its first part. */
export function isBurp(start: string): boolean {
  const at = start.indexOf('<issues ')
  return at >= 0 && start.slice(at, at + 500).includes('burpVersion')
}

/**
 * Converts the XML of Burp to JSON: `{"burpVersion": …, "issues": [{"name": …}]}`. Each child element of an issue becomes a
 * text. Requests and responses are left out. The document type declaration is ignored; one with entities is rejected.
 */
export async function* burpAsJson(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder('utf8')
  const conversion = startConversion()
  for await (const chunk of checkUtf8(text)) {
    const piece = decoder.write(chunk)
    for (let start = 0; start < piece.length; start += pieceCharacters) {
      const made = conversion.push(piece.slice(start, start + pieceCharacters))
      if (made !== '') yield Buffer.from(made)
    }
  }
  yield Buffer.from(conversion.end())
}

interface State {
  /** JSON that was not yielded yet. */
  output: string
  /** Names of the open elements. */
  open: string[]
  /** Fields of the open issue. */
  issue: Map<string, string>
  issueCount: number
  /** True after the end of the root. */
  isOver: boolean
  /** Number of characters since the last element or text. */
  gap: number
}

function startConversion() {
  const state: State = { output: '', open: [], issue: new Map(), issueCount: 0, isOver: false, gap: 0 }
  const parser = new Parser(
    {
      onopentag: (name, attributes) => openElement(state, name, attributes),
      ontext: (text) => addText(state, text),
      onclosetag: (name) => closeElement(state, name),
      onprocessinginstruction: (_, declaration) => refuseEntities(declaration),
    },
    { xmlMode: true, decodeEntities: true },
  )
  const take = () => {
    const { output } = state
    state.output = ''
    return output
  }
  return {
    push(piece: string): string {
      state.gap += piece.length
      if (state.gap > maxGap) throw unreadable('An element of the XML is longer than 32 MiB.')
      parser.write(piece)
      return take()
    },
    end(): string {
      // The parser closes open elements at the end of the text.
      if (!state.isOver) throw unreadable(`The XML is cut off: ${openPlace(state)} is not closed.`)
      parser.end()
      return take()
    },
  }
}

function openPlace({ open, issueCount }: State): string {
  return open.length > 1 ? `the element ${shown(open.at(-1) ?? '')} of issue ${issueCount + 1}` : 'its root'
}

/** Returns the name of an element for messages. The parser accepts any characters and any length. */
const shown = (name: string): string => name.slice(0, 40).replaceAll(/[^\w:.-]/g, '?')

function openElement(state: State, name: string, attributes: Readonly<Record<string, string>>): void {
  const { open } = state
  state.gap = 0
  if (state.isOver) throw unreadable(`The XML has an element after its root: ${shown(name)}.`)
  if (open.length >= maxDepth) throw unreadable(`The XML is nested more than ${maxDepth} levels deep.`)
  if (open.length === 0) {
    if (name !== 'issues') throw unreadable(`The root of the XML is ${shown(name)} instead of issues.`)
    const { burpVersion = '', exportTime = '' } = attributes
    state.output += `{"burpVersion":${JSON.stringify(burpVersion)},"exportTime":${JSON.stringify(exportTime)},"issues":[`
  } else if (name === 'issue' && open.length > 1) {
    throw unreadable(`The XML is damaged: ${openPlace(state)} is not closed before the next issue.`)
  }
  if (name === 'host' && attributes.ip) state.issue.set('ip', attributes.ip.slice(0, 100))
  if (name === 'request' && attributes.method && !state.issue.has('method')) {
    state.issue.set('method', attributes.method.slice(0, 100))
  }
  open.push(name)
}

/** Adds a text to the field of an issue: an element directly below it. */
function addText(state: State, text: string): void {
  const { open, issue } = state
  state.gap = 0
  const [, parent, field] = open
  if (parent !== 'issue' || !field || open.length !== 3 || leftOut.has(field)) return
  const known = issue.get(field)
  if (known === undefined && issue.size >= maxFields) return
  if ((known?.length ?? 0) < maxText) issue.set(field, (known ?? '') + text.slice(0, maxText))
}

const maxFields = 100

function closeElement(state: State, name: string): void {
  const { open } = state
  state.gap = 0
  if (open.at(-1) !== name) return
  open.pop()
  if (open.length === 0) {
    state.isOver = true
    state.output += ']}'
  } else if (open.length === 1 && name === 'issue') {
    state.output += `${state.issueCount++ === 0 ? '' : ','}${JSON.stringify(Object.fromEntries(state.issue))}`
    state.issue = new Map()
  }
}

function refuseEntities(declaration: string): void {
  if (!/!ENTITY/i.test(declaration)) return
  throw unreadable(
    'The XML declares entities, which are not read. Export the issues from Burp without changing the file.',
  )
}
