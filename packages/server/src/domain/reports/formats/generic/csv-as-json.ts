import { StringDecoder } from 'node:string_decoder'
import { checkUtf8 } from '../../reader/source.ts'
import { unreadable } from '../../reader/unreadable.ts'

const separators = [',', ';', '\t'] as const
const maxColumns = 200
/** Maximum number of characters of one value. */
const maxValue = 256 * 1024
/** Maximum number of characters of one row. */
const maxRow = 1024 * 1024

/** Returns the separator of a table, or undefined if the first line is not one of a table. */
export function separatorOf(firstLine: string): string | undefined {
  const declared = /^sep=([,;\t])\s*$/i.exec(firstLine)?.[1]
  if (declared) return declared
  // biome-ignore lint/suspicious/noControlCharactersInRegex: binary files contain them
  if (firstLine.length > 4000 || /^\s*[{[<]|[\0-\x08\x0e-\x1f]/.test(firstLine)) return undefined
  const counts = new Map<string, number>(separators.map((separator) => [separator, 0]))
  let isQuoted = false
  for (const character of firstLine) {
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  const [best] = [...counts].sort(([, a], [, b]) => b - a)
  return best && best[1] > 0 ? best[0] : undefined
}

/**
 * Converts a table to JSON: `{"columns": ["Title", …], "rows": [{"line": 2, "values": ["XSS", …]}]}`. Values may be quoted,
 * and quotes in them doubled. Blank lines are left out.
 */
export async function* csvAsJson(text: AsyncIterable<Buffer>, separator: string): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder('utf8')
  const reader = startRows(separator)
  for await (const chunk of checkUtf8(text)) {
    const made = reader.push(decoder.write(chunk))
    if (made !== '') yield Buffer.from(made)
  }
  yield Buffer.from(reader.end())
}

interface State {
  separator: string
  output: string
  values: string[]
  value: string
  /** Number of characters in the row. */
  length: number
  quotes: 'none' | 'open' | 'closed'
  /** Line in which the row begins, the current line, and that of the open quote. */
  rowLine: number
  line: number
  quoteLine: number
  columns: number | undefined
  rows: number
}

function startRows(separator: string) {
  const state: State = {
    ...{ separator, output: '', values: [], value: '', length: 0, quotes: 'none' },
    ...{ rowLine: 1, line: 1, quoteLine: 1, columns: undefined, rows: 0 },
  }
  const take = () => {
    const { output } = state
    state.output = ''
    return output
  }
  return {
    push(text: string): string {
      for (let at = 0; at < text.length; )
        at = state.quotes === 'open' ? readQuoted(state, text, at) : readPlain(state, text, at)
      return take()
    },
    end(): string {
      if (state.quotes === 'open')
        throw unreadable(`The table is cut off: the quote in line ${state.quoteLine} is not closed.`)
      endRow(state)
      return `${take()}${state.columns === undefined ? '{"columns":[],"rows":[' : ''}]}`
    },
  }
}

/** Reads up to the next quote. A doubled quote opens the value again. */
function readQuoted(state: State, text: string, start: number): number {
  const found = text.indexOf('"', start)
  const end = found < 0 ? text.length : found
  const part = text.slice(start, end)
  for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) state.line++
  addText(state, part)
  if (found < 0) return end
  state.quotes = 'closed'
  return end + 1
}

function readPlain(state: State, text: string, start: number): number {
  const character = text[start]
  if (character === '"' && (state.quotes === 'closed' || state.value === '')) {
    if (state.quotes === 'closed') addText(state, '"')
    state.quotes = 'open'
    state.quoteLine = state.line
  } else if (character === state.separator) endValue(state)
  else if (character === '\n') {
    state.line++
    endRow(state)
  } else {
    let end = start + 1
    while (end < text.length && !endsText(text, end, state.separator)) end++
    addText(state, text.slice(start, end))
    return end
  }
  return start + 1
}

const endsText = (text: string, at: number, separator: string): boolean =>
  text[at] === separator || text[at] === '\n' || text[at] === '"'

function addText(state: State, part: string): void {
  state.value += part
  state.length += part.length
  if (state.value.length > maxValue || state.length > maxRow) {
    throw unreadable(`A value or row of the table is too long; its row begins in line ${state.rowLine}.`)
  }
}

function endValue(state: State): void {
  state.values.push(state.quotes === 'none' ? state.value.trim() : state.value.replace(/\r$/, ''))
  state.value = ''
  state.quotes = 'none'
  if (state.values.length > maxColumns) throw unreadable(`The table has more than ${maxColumns} columns.`)
}

function endRow(state: State): void {
  endValue(state)
  const { values, rowLine } = state
  state.values = []
  state.length = 0
  state.rowLine = state.line
  if (values.length === 1 && (values[0] === '' || (rowLine === 1 && /^sep=.?$/i.test(values[0] ?? '')))) return
  if (rowLine === 1 && values.length === 2 && /^sep=$/i.test(values[0] ?? '')) return
  if (state.columns === undefined) {
    state.columns = values.length
    state.output += `{"columns":${JSON.stringify(values)},"rows":[`
  } else state.output += `${state.rows++ === 0 ? '' : ','}${JSON.stringify({ line: rowLine, values })}`
}
