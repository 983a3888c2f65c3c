/** Parsed search for projects or groups. */
export interface PathSearch {
  /** Full text, which must equal the name or path if there are no terms. */
  text: string
  /** Terms that must all occur in one of the searched columns. */
  terms: readonly string[]
  /** Whether the full path is searched too. */
  withFullPath: boolean
}

/** Limits of a search. More text would not narrow the result, but slow the query down. */
const maxLength = 1024
const maxTerms = 64

const isTerm = (word: string) => [...word].length >= 3

/**
 * Parses a search. Only words of at least three letters become terms, as in GitLab. Returns `undefined` for blank text.
 */
export function readPathSearch(search: string, withFullPath: boolean): PathSearch | undefined {
  const text = search.slice(0, maxLength).trim().replace(/\s+/g, ' ')
  if (text === '') return undefined
  return { text, terms: text.split(' ').filter(isTerm).slice(0, maxTerms), withFullPath }
}
