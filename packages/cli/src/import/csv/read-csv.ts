import { wrongUsage } from '../../exit.ts'

/** Returns the rows of a CSV file (RFC 4180) as records by the header, one at a time. Throws for an unclosed quote. */
export function* readCsv(text: string): Generator<ReadonlyMap<string, string>> {
  let header: string[] | undefined
  for (const row of rowsOf(text.replace(/^\ufeff/, ''))) {
    if (!header) header = row.map((name) => name.trim())
    else if (row.length > 1 || row[0] !== '') yield new Map(header.map((name, index) => [name, row[index] ?? '']))
  }
}

function* rowsOf(text: string): Generator<string[]> {
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const { cell, end } = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at)
    row.push(cell)
    at = end
    if (text[at] === ',') {
      at++
      // A comma at the end of the file is followed by an empty cell.
      if (at === text.length) row.push('')
      continue
    }
    yield row
    row = []
    at += text.startsWith('\r\n', at) ? 2 : 1
  }
  if (row.length > 0) yield row
}

function plainCell(text: string, start: number): { cell: string; end: number } {
  let end = start
  while (end < text.length && !',\r\n'.includes(text.charAt(end))) end++
  return { cell: text.slice(start, end), end }
}

function quotedCell(text: string, start: number): { cell: string; end: number } {
  let cell = ''
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from)
    if (quote < 0) throw wrongUsage('The CSV file is incomplete: a quote is not closed.')
    cell += text.slice(from, quote)
    if (text[quote + 1] !== '"') {
      const rest = plainCell(text, quote + 1)
      return { cell: cell + rest.cell, end: rest.end }
    }
    cell += '"'
    from = quote + 2
  }
}
