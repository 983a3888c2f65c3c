import { type MouseEvent, type RefObject, useEffect, useRef } from 'react'
import { arePageKeysEnabled } from './keys.ts'

/** Key event, with the fields that React events and native events share. */
export type Press = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>

/**
 * Handles shortcuts also while the list does not have the focus. Users can turn this off (`arePageKeysEnabled`).
 */
export function usePageKeys(grid: RefObject<HTMLDivElement | null>, press: (press: Press) => boolean): void {
  const latest = useRef(press)
  latest.current = press
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { target, key } = event
      if (event.defaultPrevented || !arePageKeysEnabled() || !(target instanceof Element)) return
      if (grid.current?.contains(target) || target.closest(typingPlaces) || !/^[a-z?/]$/i.test(key)) return
      if (!latest.current(event)) return
      event.preventDefault()
      // A dialog that the key opens returns the focus to where it was, which must not be a control elsewhere on the page.
      if (key === 'j' || key === 'k' || isUnfocused()) grid.current?.focus({ preventScroll: true })
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [grid])
}

/** Handles shortcuts when the list has no rows, such as undo after the last row was dismissed. */
export function KeysWithoutRows({ press }: { press: (press: Press) => boolean }): null {
  usePageKeys(useRef(null), press)
  return null
}

/** Returns true while no control has the focus, such as after the browser has gone back to the list. */
const isUnfocused = () => document.activeElement === document.body || document.activeElement?.id === 'main'

const typingPlaces = 'input, textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]'

/** Ignores all clicks of a double click but the first, because the cursor is on the next row then. */
export const onceOf =
  (act: () => void) =>
  ({ detail }: MouseEvent): void => {
    if (detail <= 1) act()
  }
