import type { AdvisoryText } from './advisory-file.ts'
import { type FeedRelease, type FeedRows, type OsvAlias, WrongFeed } from './feed.ts'
import type { Lines } from './file-lines.ts'

/** Advisories have a handful of aliases. Those of a larger group are not one vulnerability. */
const maxNames = 50
/** Rows that are collected before they are stored. */
const rowsPerPart = 1_000

/** Reads advisories of OSV, one JSON object per line. */
export const readOsv = (parts: AsyncIterable<Lines>) => readAdvisories(textsOf(parts))

async function* textsOf(parts: AsyncIterable<Lines>): AsyncGenerator<AdvisoryText> {
  for await (const { first, lines } of parts) {
    for (const [index, text] of lines.entries()) if (text.trim() !== '') yield { place: first + index, text }
  }
}

/** Reads advisories of OSV. Only `id`, `aliases`, `modified` and `withdrawn` are read. */
export async function* readAdvisories(texts: AsyncIterable<AdvisoryText>): AsyncGenerator<FeedRows, FeedRelease> {
  let newest = 0
  let rows: OsvAlias[] = []
  for await (const text of texts) {
    const advisory = readAdvisory(text)
    newest = Math.max(newest, advisory.modified)
    rows.push(...pairsOf(advisory.names))
    if (rows.length < rowsPerPart) continue
    yield { kind: 'osv', rows }
    rows = []
  }
  yield { kind: 'osv', rows }
  return { version: null, publishedAt: newest > 0 ? new Date(newest).toISOString() : null }
}

/** Yields one line for each advisory, with only what is read of it. */
export async function* advisoryLines(texts: AsyncIterable<AdvisoryText>): AsyncGenerator<string> {
  for await (const text of texts) {
    const { id, aliases, modified, withdrawn } = parse(text)
    yield `${JSON.stringify({ id, aliases, modified, withdrawn })}\n`
  }
}

function readAdvisory(text: AdvisoryText): { names: string[]; modified: number } {
  const { place } = text
  const { id, aliases, modified, withdrawn } = parse(text)
  if (!isName(id)) throw new WrongFeed('expected an advisory of OSV with an id', place)
  // Absent and null are the same: filters such as jq write null.
  if (aliases !== undefined && aliases !== null && !Array.isArray(aliases)) {
    throw new WrongFeed('aliases is not a list', place)
  }
  const others: unknown[] = aliases ?? []
  if (!others.every(isName)) throw new WrongFeed('an alias is not a name', place)
  const time = typeof modified === 'string' ? Date.parse(modified) : Number.NaN
  return {
    names: withdrawn ? [] : [...new Set([id, ...others].map((name) => name.toUpperCase()))],
    modified: Number.isNaN(time) ? 0 : time,
  }
}

function parse({ text, place }: AdvisoryText): { [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    // A list has no `id`, so it is rejected with that reason.
    if (typeof value === 'object' && value !== null) return value as { [key: string]: unknown }
  } catch (error) {
    throw new WrongFeed(`not valid JSON: ${error instanceof Error ? error.message : error}`, place)
  }
  throw new WrongFeed('expected an object', place)
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 255

function pairsOf(names: readonly string[]): OsvAlias[] {
  if (names.length > maxNames) return []
  return names.flatMap((name) => names.flatMap((alias) => (alias === name ? [] : { name, alias })))
}
