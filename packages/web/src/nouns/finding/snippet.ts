import { isRecord, parsed, textAt } from './place.ts'

/** Code that a scanner reported, with the place of the flaw in it. */
export interface Snippet {
  text: string
  /** Number of its first line; undefined if the report does not say it. */
  firstLine: number | undefined
  /** First and last line of the flaw. */
  marked: readonly [first: number, last: number] | undefined
}

/** Finds the code in the raw data of a scanner, with context where the report has it. Each format has another field. */
export function snippetIn(rawMetadata: string, location: Record<string, unknown>): Snippet | undefined {
  const raw = parsed(rawMetadata)
  if (!isRecord(raw)) return undefined
  const [start, end] = [lineAt(location, 'start_line'), lineAt(location, 'end_line')]
  const marked = start === undefined ? undefined : ([start, end ?? start] as const)
  const given = textAt(raw, 'raw_source_code_extract') ?? textAt(raw, 'extra', 'lines')
  if (given) return { text: given, firstLine: start, marked }
  return sarifSnippet(raw, marked) ?? causeSnippet(raw, marked)
}

function sarifSnippet(raw: Record<string, unknown>, marked: Snippet['marked']): Snippet | undefined {
  const [place] = Array.isArray(raw['locations']) ? raw['locations'] : []
  const physical = isRecord(place) ? place['physicalLocation'] : undefined
  for (const name of ['contextRegion', 'region']) {
    const text = textAt(physical, name, 'snippet', 'text')
    const region = isRecord(physical) ? physical[name] : undefined
    if (text) return { text, firstLine: isRecord(region) ? lineAt(region, 'startLine') : undefined, marked }
  }
  return undefined
}

function causeSnippet(raw: Record<string, unknown>, marked: Snippet['marked']): Snippet | undefined {
  const cause = raw['CauseMetadata']
  const code = isRecord(cause) ? cause['Code'] : undefined
  const lines: unknown = isRecord(code) ? code['Lines'] : undefined
  if (!Array.isArray(lines) || lines.length === 0) return undefined
  const text = lines.map((line) => textAt(line, 'Content') ?? '').join('\n')
  return { text, firstLine: isRecord(lines[0]) ? lineAt(lines[0], 'Number') : undefined, marked }
}

function lineAt(record: Record<string, unknown>, name: string): number | undefined {
  const value = record[name]
  return typeof value === 'number' ? value : undefined
}
