import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'

const narrow = matchMedia('(max-width: 48rem)')

/** Two lines, and where there is little room three. */
export function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(narrow.matches)
  useEffect(() => {
    const listen = () => setNarrow(narrow.matches)
    narrow.addEventListener('change', listen)
    return () => narrow.removeEventListener('change', listen)
  }, [])
  return isNarrow ? 92 : 56
}

/** How far below the page's top the rows begin, and what stays above them while they scroll. */
export function usePlaceOnPage(body: RefObject<HTMLDivElement | null>, bar: RefObject<HTMLDivElement | null>) {
  const [place, setPlace] = useState({ margin: 0, barHeight: 0 })
  useLayoutEffect(() => {
    const measure = () => {
      const margin = Math.round((body.current?.getBoundingClientRect().top ?? 0) + scrollY)
      const { height = 0 } = bar.current?.getBoundingClientRect() ?? {}
      const top = bar.current ? Number.parseFloat(getComputedStyle(bar.current).top) || 0 : 0
      const barHeight = Math.round(top + height)
      setPlace((before) =>
        before.margin === margin && before.barHeight === barHeight ? before : { margin, barHeight },
      )
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [body, bar])
  return place
}
