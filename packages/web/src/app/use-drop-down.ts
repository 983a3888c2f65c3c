import { type FocusEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'

interface DropDown {
  isOpen: boolean
  close: () => void
  /** For the element that holds the button and what it opens. */
  place: { ref: RefObject<HTMLDivElement | null>; onBlur: (event: FocusEvent) => void }
  button: {
    ref: RefObject<HTMLButtonElement | null>
    type: 'button'
    'aria-expanded': boolean
    'aria-controls': string
    onClick: () => void
  }
  /** Of what it opens. */
  id: string
}

/** What opens below its button. Escape closes it, a click elsewhere, and the focus that goes elsewhere. */
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
