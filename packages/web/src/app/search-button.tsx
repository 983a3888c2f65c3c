import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { lazyComponent, nothingYet } from '../components/lazy-component.tsx'
import styles from './search-button.module.css'
import { texts } from './texts.ts'

const SearchDialog = lazyComponent(
  async () => (await import('../features/search/search-dialog.tsx')).SearchDialog,
  nothingYet,
)

const isMac = /^Mac|^iP/.test(navigator.platform)

/** Button of the header that opens the search of the whole server; Ctrl+K or Command+K does the same. */
export function SearchButton() {
  /** Undefined until the first opening, which fetches the code of the dialog. */
  const [isOpen, setOpen] = useState<boolean>()
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      if (!isShortcut || event.shiftKey || event.altKey) return
      event.preventDefault()
      // Another dialog is open: its unsaved input would be behind this one.
      if (!document.querySelector('[role=dialog], [role=alertdialog]')) setOpen(true)
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
  return (
    <>
      <button
        type="button"
        className={styles.button}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
        onPointerEnter={() => void SearchDialog.preload().catch(() => {})}
      >
        <Search size={16} aria-hidden="true" />
        <span className={styles.text}>{texts.search}</span>
        <span className={styles.keys} aria-hidden="true">
          <kbd>{isMac ? texts.k : texts.ctrlK}</kbd>
        </span>
      </button>
      {isOpen !== undefined && <SearchDialog isOpen={isOpen} onClose={() => setOpen(false)} />}
    </>
  )
}
