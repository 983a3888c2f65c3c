import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'

/** Attributes of the button of a menu whose code is not there yet. */
interface ClosedTrigger {
  type: 'button'
  'aria-haspopup': 'true'
  'aria-expanded': false
  onPointerEnter: () => void
  onFocus: () => void
  onClick: () => void
  onKeyDown: (event: KeyboardEvent) => void
}

/**
 * Fetches the code of a menu when its button is pressed, and then presses the trigger of the menu, which has replaced the
 * button and gets the returned ref.
 */
export function useLazyTrigger(preload: () => Promise<void>): {
  ref: RefObject<HTMLButtonElement | null>
  isLoaded: boolean
  closed: ClosedTrigger
} {
  const ref = useRef<HTMLButtonElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  // The menu itself shows the error.
  const fetch = () => preload().catch(() => {})
  const open = () => void fetch().then(() => setLoaded(true))
  useEffect(() => {
    if (!isLoaded) return
    ref.current?.focus()
    ref.current?.click()
  }, [isLoaded])
  const closed: ClosedTrigger = {
    type: 'button',
    'aria-haspopup': 'true',
    'aria-expanded': false,
    onPointerEnter: () => void fetch(),
    onFocus: () => void fetch(),
    onClick: open,
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
      event.preventDefault()
      open()
    },
  }
  return { ref, isLoaded, closed }
}
