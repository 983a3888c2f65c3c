import { useCallback, useMemo } from 'react'
import { useLocation } from 'wouter'
// As it stands in the address; the router’s own has decoded half of it, and a %2F in a value is lost.
import { useSearch } from 'wouter/use-browser-location'

/** What the query of the address says, by name; a list has commas. */
export type SearchState<Name extends string> = { [P in Name]?: string }

interface SetOptions {
  /** True: no step in the history, as for a text that is being typed. */
  isReplacing?: boolean
}

/**
 * State that stands in the address, so that it survives a reload, can be sent to others, and goes back with the browser.
 * Whatever is set to undefined or to nothing leaves the address. Other names stay as they are; but with anything but
 * `page` itself the page begins anew.
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
    return found as SearchState<Name> // the names that were asked for
  }, [search, wanted])
  const set = useCallback(
    (changes: { [P in Name]?: string | undefined }, { isReplacing = false }: SetOptions = {}) => {
      const parameters = new URLSearchParams(location.search)
      for (const [name, value] of Object.entries<string | undefined>(changes)) {
        if (value) parameters.set(name, value)
        else parameters.delete(name)
      }
      if (!('page' in changes)) parameters.delete('page')
      const query = parameters.toString()
      navigate(query ? `${path}?${query}` : path, { replace: isReplacing })
    },
    [path, navigate],
  )
  return [state, set]
}
