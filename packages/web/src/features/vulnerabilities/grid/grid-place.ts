import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'

/** Breakpoints of the row layout; the same as in row-grid.module.css and title-cell.module.css. */
const narrow = matchMedia('(max-width: 48rem)')
const wide = matchMedia('(min-width: 76rem)')

/** Returns the height of a row: one line on wide screens, two on medium ones, three on narrow ones. */
export function useRowHeight(): number {
  const [height, setHeight] = useState(rowHeight)
  useEffect(() => {
    const listen = () => setHeight(rowHeight())
    for (const query of [narrow, wide]) query.addEventListener('change', listen)
    return () => {
      for (const query of [narrow, wide]) query.removeEventListener('change', listen)
    }
  }, [])
  return height
}

function rowHeight(): number {
  return narrow.matches ? 88 : wide.matches ? 38 : 54
}

/** Measures the offset of the first row from the top of the page, and the height of the sticky toolbar. */
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
