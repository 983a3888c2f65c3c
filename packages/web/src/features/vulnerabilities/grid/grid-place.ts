import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import type { Density } from './view-options.ts'

/** Breakpoints of the row layout; the same as in row-grid.module.css and title-cell.module.css. */
const narrow = matchMedia('(max-width: 48rem)')
const wide = matchMedia('(min-width: 76rem)')

/** Returns the height of a row: one line on wide screens, two on medium ones, three on narrow ones. */
export function useRowHeight(density: Density): number {
  const [layout, setLayout] = useState(layoutOf)
  useEffect(() => {
    const listen = () => setLayout(layoutOf())
    for (const query of [narrow, wide]) query.addEventListener('change', listen)
    return () => {
      for (const query of [narrow, wide]) query.removeEventListener('change', listen)
    }
  }, [])
  return heights[density][layout]
}

/** Heights of rows in pixels. */
const heights = {
  comfortable: { narrow: 88, medium: 54, wide: 38 },
  compact: { narrow: 80, medium: 46, wide: 30 },
}

function layoutOf(): 'narrow' | 'medium' | 'wide' {
  return narrow.matches ? 'narrow' : wide.matches ? 'wide' : 'medium'
}

/** Measures the offset of the first row from the top of the page, and the height of the sticky toolbar. */
export function usePlaceOnPage(body: RefObject<HTMLDivElement | null>, bar: RefObject<HTMLDivElement | null>) {
  const [place, setPlace] = useState({ margin: 0, barHeight: 0 })
  useLayoutEffect(() => {
    const measure = () => {
      const margin = Math.round((body.current?.getBoundingClientRect().top ?? 0) + scrollY)
      const barHeight = bar.current ? stickyHeight(bar.current) : 0
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

/** Returns the height that a sticky bar and the header above it take from the window. In low windows they scroll away. */
function stickyHeight(bar: HTMLElement): number {
  const { position, top } = getComputedStyle(bar)
  return position === 'sticky' ? Math.round((Number.parseFloat(top) || 0) + bar.getBoundingClientRect().height) : 0
}
