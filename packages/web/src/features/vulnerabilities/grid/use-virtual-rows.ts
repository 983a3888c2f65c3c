import { type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import { usePlaceOnPage, useRowHeight } from './grid-place.ts'
import type { PagedRows } from './paged-rows.ts'
import { useScrollAnchor } from './use-scroll-anchor.ts'
import type { Density } from './view-options.ts'

/** Maximum height of the rows in pixels. Browsers cannot lay out higher elements. */
const maxHeight = 15_000_000
/** Number of rows that are loaded before they come into view, once the user has moved. */
const rowsAhead = 30
/** Space below the active row for toasts: see toast.module.css. */
const messageRoom = 112

/** Virtualises rows of equal height below a sticky bar, loads those in view, and keeps their place when rows change. */
export function useVirtualRows<Row extends { id: number }>(
  rows: PagedRows<Row>,
  active: number,
  density: Density = 'comfortable',
) {
  const rowHeight = useRowHeight(density)
  const body = useRef<HTMLDivElement>(null)
  const bar = useRef<HTMLDivElement>(null)
  const { margin, barHeight } = usePlaceOnPage(body, bar)
  const length = Math.min(rows.length, Math.floor(maxHeight / rowHeight))
  const virtual = useWindowVirtualizer({
    count: length,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: margin,
    scrollPaddingStart: barHeight,
    scrollPaddingEnd: messageRoom,
    rangeExtractor: useCallback((range: Range) => indexesInView(range, active), [active]),
    useFlushSync: false,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the height changes
  useLayoutEffect(() => virtual.measure(), [virtual, rowHeight])
  const { range } = virtual
  const [first, last] = [range?.startIndex ?? 0, range?.endIndex ?? 0]
  const { show } = rows
  const ahead = first > 0 || active > 0 ? rowsAhead : 0
  useEffect(() => show(first - ahead, last + ahead), [show, first, last, ahead])
  useScrollAnchor(rows, { active, first, last, rowHeight })
  return { virtual, body, bar, margin, barHeight, rowHeight, length }
}

/** Returns the rows to render. `aria-activedescendant` refers to the active row, so it is always one of them. */
function indexesInView({ startIndex, endIndex, overscan, count }: Range, active: number): number[] {
  const first = Math.max(0, startIndex - overscan)
  const last = Math.min(count - 1, endIndex + overscan)
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, step) => first + step)
  if (active >= count || (active >= first && active <= last)) return indexes
  return active < first ? [active, ...indexes] : [...indexes, active]
}
