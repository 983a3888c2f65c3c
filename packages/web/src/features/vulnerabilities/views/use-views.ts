import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { useSearchState } from '../../../data/search-state.ts'
import { queryOf, type SavedView, viewedNames } from '../../../nouns/vulnerability/saved-view.ts'
import { useSavedViews } from '../../../nouns/vulnerability/saved-views.ts'

/** Value of the parameter `view` that opens the list without a view, whatever the default one is. */
export const allViews = 'all'

/** Saved views of the shown list. */
export interface ViewList {
  views: readonly SavedView[]
  /** True: the list has no saved views. False also while they are loading. */
  isEmpty: boolean
  /** View that the address names. */
  current: SavedView | undefined
  /** True: the address names a view that the user cannot open. */
  isMissing: boolean
  open: (view: SavedView) => void
  leave: () => void
}

/**
 * Reads the view of the address. Without other parameters, its filters are added to the address; an address without any
 * parameters gets those of the default view when the list is opened.
 */
export function useViews(): ViewList {
  const [path, navigate] = useLocation()
  const [{ view }, set] = useSearchState(['view'])
  const [state] = useSearchState(viewedNames)
  const query = useSavedViews()
  const views = query.data ?? none
  const current = views.find(({ id }) => `${id}` === view)
  const isPlain = Object.keys(state).length === 0
  // What was opened once is not opened again, so that its filters can be cleared.
  const opened = useRef<string>(undefined)
  const wanted = view === undefined ? views.find((one) => one.default) : current
  const key = view ?? 'default'
  const isUnopened = query.data !== undefined && opened.current !== path + key
  const target = isUnopened && isPlain && wanted ? queryOf(wanted) : undefined
  useEffect(() => {
    if (!query.data) return
    opened.current = path + key
    if (target) navigate(path + target, { replace: true })
  }, [query.data, path, key, target, navigate])
  return {
    views,
    isEmpty: query.data?.length === 0,
    current,
    isMissing: query.data !== undefined && view !== undefined && view !== allViews && !current,
    open: (view) => navigate(path + queryOf(view)),
    leave: () => set({ view: undefined }),
  }
}

const none: readonly SavedView[] = []
