import { type FocusEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'

interface DropDown {
  isOpen: boolean
  close: () => void
  /** Props of the element that contains the button and the menu. */
  place: { ref: RefObject<HTMLDivElement | null>; onBlur: (event: FocusEvent) => void }
  button: {
    ref: RefObject<HTMLButtonElement | null>
    type: 'button'
    'aria-expanded': boolean
    'aria-controls': string
    onClick: () => void
  }
  /** The id of the menu element. */
  id: string
}

/** State and props of a menu below its button. Escape, a click outside and a loss of focus close it. */
export function useDropDown(): DropDown {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    const onPress = ({ target }: PointerEvent) => {
      if (!(target instanceof Node && place.current?.contains(target))) setOpen(false)
    }
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      setOpen(false)
      button.current?.focus()
    }
    addEventListener('pointerdown', onPress)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('pointerdown', onPress)
      removeEventListener('keydown', onKey)
    }
  }, [isOpen])
  return {
    isOpen,
    close: () => setOpen(false),
    place: {
      ref: place,
      onBlur({ currentTarget, relatedTarget }) {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) setOpen(false)
      },
    },
    button: {
      ref: button,
      type: 'button',
      'aria-expanded': isOpen,
      'aria-controls': id,
      onClick: () => setOpen(!isOpen),
    },
    id,
  }
}
