/** Parsed search for topics. */
export type TopicSearch =
  /** All terms must occur in the name, or all in the title. Results are ordered by the names' similarity to `query`. */
  | { kind: 'terms'; query: string; terms: readonly string[] }
  /** Text too short for terms, which must equal the name or title. */
  | { kind: 'exact'; text: string }

/** Limits of a search. More text would not narrow the result, but slow the query down. */
const maxLength = 1024
const maxTerms = 64

/** Parses a search. Returns `undefined` for blank text, which does not filter. */
export function readTopicSearch(text: string): TopicSearch | undefined {
  const query = text.slice(0, maxLength).trim().replace(/\s+/g, ' ')
  if (query === '') return undefined
  const terms = splitTerms(query)
    .filter((term) => [...term].length >= 3)
    .slice(0, maxTerms)
  return terms.length > 0 ? { kind: 'terms', query, terms } : { kind: 'exact', text: query }
}

/** Splits at spaces, except within double quotes at the edges of a word. */
function splitTerms(query: string): string[] {
  const terms: string[] = []
  // Linear time: an attempt ends at the next quote, and no other begins before.
  for (const [, quoted, plain] of query.matchAll(/(?<=^|\s)"([^"]+)"(?=\s|$)|(\S+)/g)) {
    const term = (quoted ?? plain ?? '').trim()
    if (term !== '') terms.push(term)
  }
  return terms
}
