import { useLayoutEffect, useRef } from 'react'
import type { PagedRows } from './paged-rows.ts'

interface Anchor {
  id: number
  index: number
}

interface View {
  active: number
  /** Index of the first visible row. */
  first: number
  last: number
  rowHeight: number
}

/** Keeps the active or topmost visible row at its screen position when rows above it are added or removed. */
export function useScrollAnchor<Row extends { id: number }>(rows: PagedRows<Row>, view: View): void {
  const anchors = useRef<{ list: string; rows: readonly Anchor[] }>({ list: rows.id, rows: [] })
  // No dependencies: each render may be the last one before the rows change.
  useLayoutEffect(() => {
    const before = anchors.current.list === rows.id ? anchors.current.rows : []
    const anchor = before.find(({ id, index }) => indexOf(rows, id, index) >= 0)
    // The row may be on a page that is still loading.
    if (rows.isRefreshing && before.length > 0 && anchor !== before[0]) return
    if (anchor) {
      const moved = indexOf(rows, anchor.id, anchor.index) - anchor.index
      if (moved !== 0) scrollBy({ top: moved * view.rowHeight, behavior: 'instant' })
    }
    anchors.current = { list: rows.id, rows: anchorsIn(rows, view) }
  })
}

function indexOf<Row extends { id: number }>(rows: PagedRows<Row>, id: number, near: number): number {
  return rows.indexOf((row) => row.id === id, near)
}

function anchorsIn<Row extends { id: number }>(rows: PagedRows<Row>, { active, first, last }: View): Anchor[] {
  const inView = Array.from({ length: last - first + 1 }, (_, step) => first + step)
  const indexes = active >= first && active <= last ? [active, ...inView] : inView
  return indexes.flatMap((index) => {
    const row = rows.rowAt(index)
    return row ? [{ id: row.id, index }] : []
  })
}
