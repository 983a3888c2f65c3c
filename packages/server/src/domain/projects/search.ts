/** What a search for projects or groups looks for. */
export interface PathSearch {
  /** Without terms, the whole name or path. */
  text: string
  /** All of them, each anywhere, in the name, or all in the path, and so on. */
  terms: readonly string[]
  /** The full path is looked at too. */
  withFullPath: boolean
}

/** What comes behind narrows nothing down, and makes a search slow. */
const maxLength = 1024
const maxTerms = 64

const isTerm = (word: string) => [...word].length >= 3

/** Words of three letters or more count, as everywhere in GitLab's search. Absent for a blank text. */
export function readPathSearch(search: string, withFullPath: boolean): PathSearch | undefined {
  const text = search.slice(0, maxLength).trim().replace(/\s+/g, ' ')
  if (text === '') return undefined
  return { text, terms: text.split(' ').filter(isTerm).slice(0, maxTerms), withFullPath }
}
