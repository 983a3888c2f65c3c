import type { Press } from './page-keys.ts'

interface Meanings {
  /** Absent: only row by row. */
  selectAll?: (() => void) | undefined
  clear: () => void
  /** What the search field is in. */
  search: HTMLElement | null
  help: () => void
}

/** The keys that mean the same in every list; true when it was one of them. */
export function pressInList({ key, ctrlKey, metaKey, altKey }: Press, on: Meanings): boolean {
  if (key === 'a' && (ctrlKey || metaKey) && on.selectAll) on.selectAll()
  else if (key === 'Escape') on.clear()
  else if (key === '/' && !ctrlKey && !metaKey && !altKey) on.search?.querySelector('input')?.focus()
  else if (key === '?') on.help()
  else return false
  return true
}
