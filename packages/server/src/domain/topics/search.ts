/** What a search for topics looks for (contract 3.2). */
export type TopicSearch =
  /** All terms occur in the name, or all occur in the title. `query` is what names are compared with for the order. */
  | { kind: 'terms'; query: string; terms: readonly string[] }
  /** Too short for terms: the whole text is the name or the title. */
  | { kind: 'exact'; text: string }

/** As much as the longest name has; what comes behind narrows nothing down, and makes a search slow. */
const maxLength = 1024
const maxTerms = 64

/** Absent for a blank text, which does not filter. */
export function readTopicSearch(text: string): TopicSearch | undefined {
  const query = text.slice(0, maxLength).trim().replace(/\s+/g, ' ')
  if (query === '') return undefined
  const terms = splitTerms(query)
    .filter((term) => [...term].length >= 3)
    .slice(0, maxTerms)
  return terms.length > 0 ? { kind: 'terms', query, terms } : { kind: 'exact', text: query }
}

/** At blanks, except between double quotes that stand at the edge of a word. */
function splitTerms(query: string): string[] {
  const terms: string[] = []
  for (const [, quoted, plain] of query.matchAll(/(?<=^|\s)"([^"]+)"(?=\s|$)|(\S+)/g)) {
    const term = (quoted ?? plain ?? '').trim()
    if (term !== '') terms.push(term)
  }
  return terms
}
