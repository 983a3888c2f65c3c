import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { PagedRows } from './paged-rows.ts'

interface Identified {
  id: number
  /** True: the row cannot be selected. */
  isReadOnly?: boolean
}

export interface Cursor<Row> {
  active: number
  row: Row | undefined
  move: (index: number, isExtending: boolean) => void
  /** Moves to the next row, or by `steps` rows, immediately; stays in the list. */
  advance: (steps?: number) => void
  /** Number of calls of `advance`; each one scrolls the active row into view. */
  advances: number
  /** Individually selected rows, in the order of selection. */
  selected: readonly Row[]
  isAll: boolean
  has: (row: Row) => boolean
  toggle: (row: Row, index: number, isExtending: boolean) => void
  selectAll: () => void
  clear: () => void
}

/**
 * State of the active row and the selection. The cursor follows its row when rows are added or removed; when the row
 * itself
 * is removed, the row at its index becomes active.
 */
export function useCursor<Row extends Identified>(rows: PagedRows<Row>, list: string): Cursor<Row> {
  const [active, setActive] = useState(0)
  const [advances, setAdvances] = useState(0)
  // The active row as the user last saw it.
  const current = useRef<Row>(undefined)
  const latest = useRef(rows)
  latest.current = rows
  const { anchor, extend, toggle, ...selection } = useSelection(latest)

  // A new list starts at its first row without a selection.
  const [before, setBefore] = useState(list)
  if (before !== list) {
    setBefore(list)
    setActive(0)
    selection.clear()
  }
  useEffect(() => {
    if (before === list) return
    current.current = undefined
    anchor.current = undefined
  }, [before, list, anchor])

  const row = rows.rowAt(active)
  const { length, isRefreshing } = rows
  useLayoutEffect(() => {
    if (row === undefined) return
    if (current.current === undefined || current.current.id === row.id) {
      current.current = row
      return
    }
    const found = latest.current.indexOf((other) => other.id === current.current?.id, active)
    if (found >= 0) setActive(found)
    else if (!isRefreshing) current.current = row
  }, [row, active, isRefreshing])
  useEffect(() => {
    if (length > 0 && active >= length) setActive(length - 1)
  }, [length, active])

  const from = useRef(active)
  from.current = active
  const move = useCallback(
    (index: number, isExtending: boolean) => {
      current.current = latest.current.rowAt(index)
      setActive(index)
      if (isExtending) extend(from.current, index)
      else anchor.current = undefined
    },
    [anchor, extend],
  )

  return {
    active,
    // While pages are refetched, another row may be at this index.
    row: isRefreshing && row && current.current && current.current.id !== row.id ? current.current : row,
    move,
    advance: (steps = 1) => {
      move(Math.min(Math.max(0, active + steps), Math.max(0, length - 1)), false)
      setAdvances((before) => before + 1)
    },
    advances,
    ...selection,
    toggle: useCallback(
      (row: Row, index: number, isExtending: boolean) => {
        setActive(index)
        current.current = row
        toggle(row, index, isExtending ? (anchor.current ?? from.current) : undefined)
      },
      [anchor, toggle],
    ),
  }
}

/** State of the selection: individual rows, or all rows of the list. */
function useSelection<Row extends Identified>(latest: RefObject<PagedRows<Row>>) {
  const [selected, setSelected] = useState<ReadonlyMap<number, Row>>(new Map())
  const [isAll, setAll] = useState(false)
  /** First row of the range that the next extension selects. */
  const anchor = useRef<number>(undefined)
  const extend = useCallback(
    (from: number, index: number) => {
      anchor.current ??= from
      setSelected(rowsBetween(latest.current, anchor.current, index))
      setAll(false)
    },
    [latest],
  )
  const toggle = useCallback(
    (row: Row, index: number, start: number | undefined) => {
      anchor.current = start ?? index
      if (row.isReadOnly) return
      setAll(false)
      setSelected((before) => {
        const after = new Map(isAll ? [] : before)
        if (start !== undefined) return new Map([...after, ...rowsBetween(latest.current, start, index)])
        if (!isAll && !after.delete(row.id)) after.set(row.id, row)
        return after
      })
    },
    [isAll, latest],
  )
  const select = (isEverything: boolean) => {
    setSelected(new Map())
    setAll(isEverything)
  }
  return {
    anchor,
    extend,
    toggle,
    selected: [...selected.values()],
    isAll,
    has: (row: Row) => isAll || selected.has(row.id),
    selectAll: () => select(true),
    clear: () => select(false),
  }
}

function rowsBetween<Row extends Identified>(rows: PagedRows<Row>, one: number, other: number): Map<number, Row> {
  const first = Math.min(one, other)
  const between = Array.from({ length: Math.abs(one - other) + 1 }, (_, step) => rows.rowAt(first + step))
  return new Map(between.flatMap((row) => (row && !row.isReadOnly ? [[row.id, row] as const] : [])))
}
