import { Autocomplete } from '@base-ui/react/autocomplete'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { SeverityBadge, StateBadge } from '../../components/badge.tsx'
import { useDebounced } from '../../components/form/use-debounced.ts'
import { Dialog } from '../../components/overlay/dialog.tsx'
import styles from './search-dialog.module.css'
import type { SearchResult } from './search-result.ts'
import { type ResultGroup, useSearchResults } from './search-results.ts'
import { texts } from './texts.ts'

/** Dialog that searches the whole server and opens the chosen result. */
export function SearchDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.search} size="wide">
      <Search onClose={onClose} />
    </Dialog>
  )
}

/** Mounted with each opening, so it begins without a text. */
function Search({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [, navigate] = useLocation()
  const searched = useDebounced(text)
  const { groups, isLoading, error } = useSearchResults(searched)
  const open = ({ to, run }: SearchResult) => {
    onClose()
    run?.()
    if (to !== undefined) navigate(to)
  }
  const { holdEnter, forget } = useHeldEnter(text !== searched || isLoading, groups[0]?.items[0], open)
  return (
    <Autocomplete.Root
      inline
      open
      items={groups}
      filter={null}
      autoHighlight="always"
      keepHighlight
      value={text}
      onValueChange={(value, { reason }) => {
        if (reason === 'item-press') return
        forget()
        setText(value)
      }}
      itemToStringValue={({ title }: SearchResult) => title}
    >
      <Autocomplete.Input
        data-first-focus
        className={styles.input}
        aria-label={texts.search}
        placeholder={texts.pageProjectCveFile}
        onKeyDown={(event) => holdEnter(event) && event.preventBaseUIHandler()}
      />
      <Autocomplete.Status className={styles.status}>
        {error ? texts.theSearchFailedTry : statusOf(groups, isLoading)}
      </Autocomplete.Status>
      <Autocomplete.List className={styles.list} aria-label={texts.results}>
        {(group: ResultGroup) => (
          <Autocomplete.Group key={group.label} items={group.items} className={styles.group}>
            <Autocomplete.GroupLabel className={styles.label}>{group.label}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(result: SearchResult) => (
                <Autocomplete.Item
                  key={result.key}
                  value={result}
                  className={`menu-item ${styles.item}`}
                  onClick={() => open(result)}
                >
                  {result.severity && <SeverityBadge severity={result.severity} />}
                  {result.avatarUrl !== undefined && <Avatar name={result.title} url={result.avatarUrl} size="small" />}
                  <span className={styles.title}>{result.title}</span>
                  {result.detail && <span className={styles.detail}>{result.detail}</span>}
                  {result.state && <StateBadge state={result.state} />}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}

/**
 * Keeps an Enter that the user presses before the results of the text are there, and then opens the first of them. Without
 * it the key would open a result of the previous text. A result that the user chose with the arrow keys opens at once.
 */
function useHeldEnter(isPending: boolean, first: SearchResult | undefined, open: (result: SearchResult) => void) {
  const [isHeld, setHeld] = useState(false)
  const [isChosen, setChosen] = useState(false)
  useEffect(() => {
    if (!isHeld || isPending) return
    setHeld(false)
    if (first) open(first)
  }, [isHeld, isPending, first, open])
  return {
    /** Returns true if the key must not open the highlighted result. */
    holdEnter({ key, nativeEvent }: KeyboardEvent): boolean {
      if (key === 'ArrowDown' || key === 'ArrowUp') {
        setChosen(true)
        setHeld(false)
      }
      if (key !== 'Enter' || nativeEvent.isComposing || !isPending || isChosen) return false
      setHeld(true)
      return true
    },
    forget() {
      setHeld(false)
      setChosen(false)
    },
  }
}

function statusOf(groups: readonly ResultGroup[], isLoading: boolean): string {
  const results = groups.reduce((sum, { items }) => sum + items.length, 0)
  if (results > 0) return texts.result(results)
  return isLoading ? texts.searching : texts.noResultsEnterAtLeast
}
