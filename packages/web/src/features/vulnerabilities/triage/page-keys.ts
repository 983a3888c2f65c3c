import { type RefObject, useEffect, useRef } from 'react'
import { areKeysEverywhere } from './keys.tsx'

/** A key that was pressed: what React's events and the browser's have in common. */
export type Press = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>

/**
 * Letters work while nothing else has the focus too, so that one can begin at once; who does not want that says so
 * (`areKeysEverywhere`).
 */
export function usePageKeys(grid: RefObject<HTMLDivElement | null>, press: (press: Press) => boolean): void {
  const latest = useRef(press)
  latest.current = press
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { target, key } = event
      if (event.defaultPrevented || !areKeysEverywhere() || !(target instanceof Element)) return
      if (grid.current?.contains(target) || target.closest(typingPlaces) || !/^[a-z?/]$/i.test(key)) return
      if (!latest.current(event)) return
      event.preventDefault()
      if (key === 'j' || key === 'k') grid.current?.focus({ preventScroll: true })
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [grid])
}

/** Where there are no rows to have the focus, such as after the last one was dealt with. */
export function KeysWithoutRows({ press }: { press: (press: Press) => boolean }): null {
  usePageKeys(useRef(null), press)
  return null
}

const typingPlaces = 'input, textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]'
