import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { PagedRows } from './paged-rows.ts'

interface Identified {
  id: number
}

export interface Cursor<Row> {
  active: number
  row: Row | undefined
  move: (index: number, isExtending: boolean) => void
  /** What was selected row by row, in the order of selection. */
  selected: readonly Row[]
  isAll: boolean
  has: (row: Row) => boolean
  toggle: (row: Row, index: number) => void
  selectAll: () => void
  clear: () => void
}

/**
 * The row that keys are about, and what is selected. It stays with its row when others come or go; when the row itself goes,
 * the one that takes its place is next.
 */
export function useCursor<Row extends Identified>(rows: PagedRows<Row>, list: string): Cursor<Row> {
  const [active, setActive] = useState(0)
  const [selected, setSelected] = useState<ReadonlyMap<number, Row>>(new Map())
  const [isAll, setAll] = useState(false)
  const id = useRef<number>(undefined)
  const anchor = useRef<number>(undefined)
  const latest = useRef(rows)
  latest.current = rows

  // Another list begins at its first row, with nothing selected.
  const [before, setBefore] = useState(list)
  if (before !== list) {
    setBefore(list)
    setActive(0)
    setSelected(new Map())
    setAll(false)
  }
  useEffect(() => {
    if (before === list) return
    id.current = undefined
    anchor.current = undefined
  }, [before, list])

  const row = rows.rowAt(active)
  useLayoutEffect(() => {
    if (row === undefined) return
    if (id.current === undefined || id.current === row.id) {
      id.current = row.id
      return
    }
    const found = latest.current.indexOf((other) => other.id === id.current, active)
    if (found >= 0) setActive(found)
    else id.current = row.id
  }, [row, active])
  const { length } = rows
  useEffect(() => {
    if (length > 0 && active >= length) setActive(length - 1)
  }, [length, active])

  const from = useRef(active)
  from.current = active
  const move = useCallback((index: number, isExtending: boolean) => {
    id.current = latest.current.rowAt(index)?.id
    setActive(index)
    if (!isExtending) {
      anchor.current = undefined
      return
    }
    anchor.current ??= from.current
    const first = Math.min(anchor.current, index)
    const between = Array.from({ length: Math.abs(anchor.current - index) + 1 }, (_, step) =>
      latest.current.rowAt(first + step),
    )
    setSelected(new Map(between.flatMap((one) => (one ? [[one.id, one] as const] : []))))
    setAll(false)
  }, [])

  const toggle = useCallback(
    (row: Row, index: number) => {
      setActive(index)
      id.current = row.id
      anchor.current = index
      setAll(false)
      setSelected((before) => {
        const after = new Map(before)
        if (!isAll && !after.delete(row.id)) after.set(row.id, row)
        return after
      })
    },
    [isAll],
  )

  return {
    active,
    row,
    move,
    selected: [...selected.values()],
    isAll,
    has: (row) => isAll || selected.has(row.id),
    toggle,
    selectAll: () => {
      setSelected(new Map())
      setAll(true)
    },
    clear: () => {
      setSelected(new Map())
      setAll(false)
    },
  }
}
