import { type FeedRelease, type FeedRows, type OsvAlias, WrongFeed } from './feed.ts'
import type { Lines } from './file-lines.ts'

/** Advisories have a handful of aliases. Those of a larger group are not one vulnerability. */
const maxNames = 50

/** Reads advisories of OSV, one JSON object per line. Only `id`, `aliases`, `modified` and `withdrawn` are read. */
export async function* readOsv(parts: AsyncIterable<Lines>): AsyncGenerator<FeedRows, FeedRelease> {
  let newest = 0
  for await (const { first, lines } of parts) {
    const rows: OsvAlias[] = []
    for (const [index, line] of lines.entries()) {
      if (line.trim() === '') continue
      const advisory = readAdvisory(line, first + index)
      newest = Math.max(newest, advisory.modified)
      rows.push(...pairsOf(advisory.names))
    }
    yield { kind: 'osv', rows }
  }
  return { version: null, publishedAt: newest > 0 ? new Date(newest).toISOString() : null }
}

function readAdvisory(line: string, number: number): { names: string[]; modified: number } {
  const { id, aliases, modified, withdrawn } = parse(line, number)
  if (!isName(id)) throw new WrongFeed('expected an advisory of OSV with an id', number)
  // Absent and null are the same: filters such as jq write null.
  if (aliases !== undefined && aliases !== null && !Array.isArray(aliases)) {
    throw new WrongFeed('aliases is not a list', number)
  }
  const others: unknown[] = aliases ?? []
  if (!others.every(isName)) throw new WrongFeed('an alias is not a name', number)
  const time = typeof modified === 'string' ? Date.parse(modified) : Number.NaN
  return {
    names: withdrawn ? [] : [...new Set([id, ...others].map((name) => name.toUpperCase()))],
    modified: Number.isNaN(time) ? 0 : time,
  }
}

function parse(line: string, number: number): { [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(line)
    // A list has no `id`, so it is rejected with that reason.
    if (typeof value === 'object' && value !== null) return value as { [key: string]: unknown }
  } catch (error) {
    throw new WrongFeed(`not valid JSON: ${error instanceof Error ? error.message : error}`, number)
  }
  throw new WrongFeed('expected an object', number)
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 255

function pairsOf(names: readonly string[]): OsvAlias[] {
  if (names.length > maxNames) return []
  return names.flatMap((name) => names.flatMap((alias) => (alias === name ? [] : { name, alias })))
}
