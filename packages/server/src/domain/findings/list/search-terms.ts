const shortestTerm = 3
/** Maximum length of a search; further words hardly narrow the result and are slow. */
const maxSearchLength = 1024
const maxTerms = 64

/** Returns the words of a search that the index supports; empty if all are too short. */
export function searchTerms(search: string): string[] {
  const words = search.slice(0, maxSearchLength).trim().split(/\s+/)
  return words.filter((word) => [...word].length >= shortestTerm).slice(0, maxTerms)
}
