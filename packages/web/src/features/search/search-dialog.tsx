import { Autocomplete } from '@base-ui/react/autocomplete'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { SeverityBadge, StateBadge } from '../../components/badge.tsx'
import { useDebounced } from '../../components/form/use-debounced.ts'
import { Dialog } from '../../components/overlay/dialog.tsx'
import styles from './search-dialog.module.css'
import { type ResultGroup, type SearchResult, useSearchResults } from './search-results.ts'
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
  const { groups, isLoading, error } = useSearchResults(useDebounced(text))
  const open = (to: string) => {
    onClose()
    navigate(to)
  }
  return (
    <Autocomplete.Root
      inline
      open
      items={groups}
      filter={null}
      autoHighlight="always"
      keepHighlight
      value={text}
      onValueChange={(value, { reason }) => reason !== 'item-press' && setText(value)}
      itemToStringValue={({ title }: SearchResult) => title}
    >
      <Autocomplete.Input
        data-first-focus
        className={styles.input}
        aria-label={texts.search}
        placeholder={texts.pageProjectCveFile}
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
                  onClick={() => open(result.to)}
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

function statusOf(groups: readonly ResultGroup[], isLoading: boolean): string {
  const results = groups.reduce((sum, { items }) => sum + items.length, 0)
  if (results > 0) return texts.result(results)
  return isLoading ? texts.searching : texts.noResultsEnterAtLeast
}
