/** Differences to the previous report, as caused by changes of code and scanners. */
export interface Mutation {
  /** Entries that remain. */
  keep?(entry: unknown, index: number): boolean
  /** Number of lines by which the findings move down. */
  lines?: number
  /** Moves files to another folder. */
  rename?: boolean
  severity?: boolean
  words?: boolean
  /** Puts the last identifier first. */
  swapped?: boolean
  /** Removes signatures and code, which track moved findings. */
  unsigned?: boolean
  /** Reverses the entries. */
  reversed?: boolean
}

/** Paths of the entries in reports of each format. */
const lists = [
  ['vulnerabilities'],
  ['results'],
  ['matches'],
  ['runs', '*', 'results'],
  ['Results', '*', 'Vulnerabilities'],
  [],
]
const maxEntries = 16

/** Returns the text of a report with changed entries. Deterministic. */
export function mutated(text: string, mutation: Mutation): string {
  const root: unknown = JSON.parse(text)
  for (const list of lists.flatMap((path) => listsAt(root, path))) {
    const { keep = () => true, reversed = false } = mutation
    const entries = list.slice(0, maxEntries).filter(keep)
    for (const entry of entries) {
      if (isObject(entry)) reshape(entry, mutation)
      change(entry, '', mutation)
    }
    list.splice(0, list.length, ...(reversed ? entries.reverse() : entries))
  }
  return JSON.stringify(root)
}

function reshape(entry: Record<string, unknown>, { swapped, unsigned }: Mutation): void {
  if (unsigned) delete entry['tracking']
  if (swapped && Array.isArray(entry['identifiers'])) entry['identifiers'].reverse()
}

function listsAt(value: unknown, [step, ...rest]: readonly string[]): unknown[][] {
  if (step === undefined) return Array.isArray(value) ? [value] : []
  if (step === '*') return Array.isArray(value) ? value.flatMap((one) => listsAt(one, rest)) : []
  return isObject(value) ? listsAt(value[step], rest) : []
}

const lineKeys = /^(?:start_?line|end_?line|line)$/i
const fileKeys = /^(?:file|uri|path)$/i
const wordKeys = /^(?:name|title|description|message|text|shortDescription)$/i
const worse = new Map([
  ...['info', 'unknown', 'low', 'medium', 'high', 'critical'].flatMap((word, index, words) =>
    [(text: string) => text, capital, (text: string) => text.toUpperCase()].map((write): [string, string] => [
      write(word),
      write(words[(index + 3) % words.length] ?? ''),
    ]),
  ),
  ['warning', 'error'],
  ['error', 'note'],
  ['note', 'warning'],
  ['WARNING', 'ERROR'],
  ['ERROR', 'INFO'],
])

/** Changes values in place and recursively, except for the identifiers of an entry. */
function change(value: unknown, parent: string, mutation: Mutation): void {
  if (Array.isArray(value)) for (const one of value) change(one, parent, mutation)
  if (!isObject(value) || kept.test(parent)) return
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'number' && lineKeys.test(key)) value[key] = inner + (mutation.lines ?? 0)
    else if (typeof inner !== 'string') change(inner, key, mutation)
    else if (mutation.rename && fileKeys.test(key)) value[key] = `moved/${inner}`
    else if (mutation.severity && /^(?:severity|level)$/i.test(key)) value[key] = worse.get(inner) ?? inner
    else if (mutation.words && wordKeys.test(key)) value[key] = `${inner} (in other words)`.slice(-250)
  }
}

const kept = /^(?:identifiers|scanner|dependency|links|tracking|dataflow_trace|codeFlows|artifact|VulnerabilityID)$/i

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
