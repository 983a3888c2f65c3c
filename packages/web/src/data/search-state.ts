import { useCallback, useMemo } from 'react'
import { useLocation } from 'wouter'
// Reads the raw query string: the router decodes part of it, which loses a %2F in a value.
import { useSearch } from 'wouter/use-browser-location'

/** Query parameters by name; lists are comma-separated. */
export type SearchState<Name extends string> = { [P in Name]?: string }

interface SetOptions {
  /** True: replaces the history entry, as for a text that is being typed. */
  isReplacing?: boolean
  /** True: keeps the state of the history entry, as for a change that shows the same list. */
  keepsState?: boolean
}

/**
 * State in the query string, so that it survives a reload, can be shared as a link, and follows the back button.
 * Setting a
 * name to undefined or '' removes it. Other names are unchanged, except that `page` is removed unless it is set itself.
 */
export function useSearchState<Name extends string>(
  names: readonly Name[],
): [SearchState<Name>, (changes: { [P in Name]?: string | undefined }, options?: SetOptions) => void] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const wanted = names.join(' ')
  const state = useMemo(() => {
    const parameters = new URLSearchParams(search)
    const found: Record<string, string> = {}
    for (const name of wanted.split(' ')) {
      const value = parameters.get(name)
      if (value) found[name] = value
    }
    return found as SearchState<Name> // it has only the requested names
  }, [search, wanted])
  const set = useCallback(
    (changes: { [P in Name]?: string | undefined }, { isReplacing = false, keepsState = false }: SetOptions = {}) => {
      const parameters = new URLSearchParams(location.search)
      for (const [name, value] of Object.entries<string | undefined>(changes)) {
        if (value) parameters.set(name, value)
        else parameters.delete(name)
      }
      if (!('page' in changes)) parameters.delete('page')
      const query = parameters.toString()
      navigate(query ? `${path}?${query}` : path, { replace: isReplacing, ...(keepsState && { state: history.state }) })
    },
    [path, navigate],
  )
  return [state, set]
}
