import { useCallback, useEffect, useRef } from 'react'

interface Place {
  /** Id of the list. */
  list: string
  index: number
  top: number
  /** Number of rows of the list. */
  length: number
}

/** Returns the stored place in a list. */
export function storedPlace(list: string): Place | undefined {
  const place: Place | undefined = history.state?.place
  return place?.list === list ? place : undefined
}

/** Stores the active row and scroll position in the history entry, so that back and reload restore them. */
export function useStoredPlace(
  { id: list, length }: { id: string; length: number },
  active: number,
  onMove: (index: number, isExtending: boolean) => void,
) {
  const isReady = length > 0
  const current = useRef({ list, index: active, length })
  current.current = { list, index: active, length }
  const move = useRef(onMove)
  move.current = onMove
  const isRestored = useRef(false)
  const keep = useCallback(() => {
    // Before the rows are loaded, the page is at its top, and the stored place must not be replaced.
    if (!isRestored.current) return
    const place: Place = { ...current.current, top: scrollY }
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

  useEffect(() => {
    if (!isReady || isRestored.current) return
    isRestored.current = true
    const place = storedPlace(current.current.list)
    if (!place) return
    move.current(place.index, false)
    // Runs after `Announcer` has scrolled the new page to the top.
    const timer = setTimeout(() => scrollTo(0, place.top))
    return () => clearTimeout(timer)
  }, [isReady])
  return keep
}
