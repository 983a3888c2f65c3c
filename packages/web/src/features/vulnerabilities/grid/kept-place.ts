import { useCallback, useEffect, useRef } from 'react'

interface Place {
  index: number
  top: number
}

/** Stores the active row and scroll position in the history entry, so that back and reload restore them. */
export function useStoredPlace(
  isReady: boolean,
  active: number,
  onMove: (index: number, isExtending: boolean) => void,
) {
  const index = useRef(active)
  index.current = active
  const move = useRef(onMove)
  move.current = onMove
  const keep = useCallback(() => {
    const place: Place = { index: index.current, top: scrollY }
    history.replaceState({ ...history.state, place }, '')
  }, [])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const keepLater = () => {
      clearTimeout(timer)
      timer = setTimeout(keep, 300)
    }
    addEventListener('scroll', keepLater, { passive: true })
    return () => {
      clearTimeout(timer)
      removeEventListener('scroll', keepLater)
    }
  }, [keep])

  const isRestored = useRef(false)
  useEffect(() => {
    if (!isReady || isRestored.current) return
    isRestored.current = true
    const place: Place | undefined = history.state?.place
    if (!place) return
    move.current(place.index, false)
    // Runs after `Announcer` has scrolled the new page to the top.
    const timer = setTimeout(() => scrollTo(0, place.top))
    return () => clearTimeout(timer)
  }, [isReady])
  return keep
}
