import { type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useKeptPlace } from './kept-place.ts'
import { areKeysEverywhere } from './keys.tsx'
import type { PagedRows } from './paged-rows.ts'
import styles from './row-grid.module.css'

export interface GridColumn<Row> {
  name: string
  /** How wide, as a track of a CSS grid. */
  width: string
  /** True: where there is little room its content is below the others. */
  isSecondary?: boolean
  /** True: where there is little room it is left out. */
  isSpare?: boolean
  cell: (row: Row) => ReactNode
}

// biome-ignore-start lint/a11y/useSemanticElements: elements of a table cannot be laid out like this and keep their meaning
// biome-ignore-start lint/a11y/useFocusableInteractive: the grid has the focus, and tells which row is active

/** A key that was pressed: what React's events and the browser's have in common. */
export type Press = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>

interface GridProps<Row extends { id: number; title: string }> {
  label: string
  rows: PagedRows<Row>
  columns: readonly GridColumn<Row>[]
  /** Absent: nothing can be selected. */
  selection?: GridSelection<Row> | undefined
  active: number
  onMove: (index: number, isExtending: boolean) => void
  onOpen: (row: Row) => void
  /** Whatever else is pressed; true when it meant something. */
  onKey: (press: Press) => boolean
  /** What stands fixed above the rows, and its height. */
  toolbar: ReactNode
}

interface GridSelection<Row> {
  isAll: boolean
  has: (row: Row) => boolean
  toggle: (row: Row, index: number) => void
  /** Absent: only row by row. */
  toggleAll?: (() => void) | undefined
}

/** Rows of one height, of which only those in view exist. The window scrolls; screen readers hear how many there are. */
export function RowGrid<Row extends { id: number; title: string }>(props: GridProps<Row>) {
  const { label, rows, columns, selection, active, onMove, onOpen, onKey, toolbar } = props
  const id = useId()
  const rowHeight = useRowHeight()
  const body = useRef<HTMLDivElement>(null)
  const bar = useRef<HTMLDivElement>(null)
  const grid = useRef<HTMLDivElement>(null)
  const { margin, barHeight } = usePlaceOnPage(body, bar)
  // Screen readers are told which row is active, so it has to be there wherever one scrolls.
  const inView = useCallback(
    ({ startIndex, endIndex, overscan, count }: Range) => {
      const first = Math.max(0, startIndex - overscan)
      const last = Math.min(count - 1, endIndex + overscan)
      const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, step) => first + step)
      if (active >= count || (active >= first && active <= last)) return indexes
      return active < first ? [active, ...indexes] : [...indexes, active]
    },
    [active],
  )
  const length = Math.min(rows.length, mostRows)
  const virtual = useWindowVirtualizer({
    count: length,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: margin,
    scrollPaddingStart: barHeight,
    scrollPaddingEnd: rowHeight,
    rangeExtractor: inView,
    useFlushSync: false,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew when the height changes, which it does not read
  useLayoutEffect(() => virtual.measure(), [virtual, rowHeight])
  const { range } = virtual
  const [first, last] = [range?.startIndex ?? 0, range?.endIndex ?? 0]
  const { show } = rows
  useEffect(() => show(first, last), [show, first, last])
  const keepPlace = useKeptPlace(length > 0, active, onMove)

  const move = (to: number, isExtending: boolean) => {
    const index = Math.min(Math.max(0, to), length - 1)
    if (index < 0) return
    onMove(index, isExtending)
    virtual.scrollToIndex(index, { align: 'auto' })
  }
  const point = useRef(onMove)
  point.current = onMove
  const onPoint = useCallback((index: number, isExtending: boolean) => {
    point.current(index, isExtending)
    grid.current?.focus({ preventScroll: true })
  }, [])
  const open = (row: Row) => {
    keepPlace()
    onOpen(row)
  }

  /** True when it meant something. */
  function press(event: Press): boolean {
    const page = Math.max(1, Math.floor((innerHeight - barHeight) / rowHeight) - 1)
    const step = stepOf(event.key, page, length)
    const row = rows.rowAt(active)
    if (step !== undefined && isPlain(event)) move(active + step, event.shiftKey)
    else if ((event.key === 'Enter' || event.key === 'o') && isPlain(event) && row) open(row)
    else if ((event.key === ' ' || event.key === 'x') && isPlain(event) && row && selection)
      selection.toggle(row, active)
    else return onKey(event)
    return true
  }
  usePageKeys(grid, press)

  const tracks = [...(selection ? ['1.75rem'] : []), ...columns.map(({ width }) => width)].join(' ')
  const columnCount = columns.length + (selection ? 1 : 0)
  return (
    <div className={styles.frame}>
      <div ref={bar} className={styles.bar}>
        {toolbar}
      </div>
      <div
        ref={grid}
        role="grid"
        tabIndex={0}
        className={styles.grid}
        aria-label={label}
        aria-busy={rows.isBehind || undefined}
        aria-rowcount={rows.isCounted ? rows.length + 1 : -1}
        aria-colcount={columnCount}
        aria-multiselectable={selection ? true : undefined}
        aria-activedescendant={rows.rowAt(active) ? `${id}-${active}` : undefined}
        style={{ '--tracks': tracks } as CSSProperties}
        onKeyDown={(event) => press(event) && event.preventDefault()}
      >
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={styles.head}>
            {selection && (
              <div role="columnheader" className={styles.check}>
                {selection.toggleAll ? (
                  <input
                    type="checkbox"
                    tabIndex={-1}
                    aria-label="Select everything that matches"
                    checked={selection.isAll}
                    onChange={selection.toggleAll}
                  />
                ) : (
                  <span className="visually-hidden">Selected</span>
                )}
              </div>
            )}
            {columns.map(({ name }) => (
              <div key={name} role="columnheader">
                {name}
              </div>
            ))}
          </div>
        </div>
        <div ref={body} role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows.rowAt(index)
            return (
              <GridRow
                key={index}
                id={`${id}-${index}`}
                index={index}
                top={start - margin}
                height={rowHeight}
                row={row}
                columns={columns}
                isActive={index === active}
                isSelected={row !== undefined && selection?.has(row) === true}
                onToggle={selection?.toggle}
                onPoint={onPoint}
                onOpen={open}
              />
            )
          })}
        </div>
      </div>
      {rows.length > mostRows && (
        <p className={styles.note}>The first {mostRows.toLocaleString('en')} are shown; a filter shows the others.</p>
      )}
    </div>
  )
}

/** Browsers draw no page that is higher than some 17 million pixels. */
const mostRows = 150_000

const isPlain = ({ ctrlKey, metaKey, altKey }: Press) => !ctrlKey && !metaKey && !altKey

function stepOf(key: string, page: number, length: number): number | undefined {
  switch (key) {
    case 'j':
    case 'J':
    case 'ArrowDown':
      return 1
    case 'k':
    case 'K':
    case 'ArrowUp':
      return -1
    case 'PageDown':
      return page
    case 'PageUp':
      return -page
    case 'Home':
      return -length
    case 'End':
      return length
    default:
      return undefined
  }
}

/**
 * Letters work while nothing else has the focus too, so that one can begin at once; who does not want that says so
 * (`areKeysEverywhere`).
 */
function usePageKeys(grid: RefObject<HTMLDivElement | null>, press: (press: Press) => boolean): void {
  const latest = useRef(press)
  latest.current = press
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { target, key } = event
      if (event.defaultPrevented || !areKeysEverywhere() || !(target instanceof Element)) return
      if (grid.current?.contains(target) || target.closest(typingPlaces) || !/^[a-z?/]$/i.test(key)) return
      if (!latest.current(event)) return
      event.preventDefault()
      if (key === 'j' || key === 'k') grid.current?.focus({ preventScroll: true })
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [grid])
}

const typingPlaces = 'input, textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]'

interface RowProps<Row> {
  id: string
  index: number
  top: number
  height: number
  row: Row | undefined
  columns: readonly GridColumn<Row>[]
  isActive: boolean
  isSelected: boolean
  onToggle?: ((row: Row, index: number) => void) | undefined
  onPoint: (index: number, isExtending: boolean) => void
  onOpen: (row: Row) => void
}

const GridRow = memo(PlainGridRow) as typeof PlainGridRow // memo forgets that it is generic

function PlainGridRow<Row extends { id: number; title: string }>(props: RowProps<Row>) {
  const { id, index, top, height, row, columns, isActive, isSelected, onToggle, onPoint, onOpen } = props
  const look = [styles.row, isActive && styles.active, isSelected && styles.selected].filter(Boolean).join(' ')
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it hears the keys
    <div
      id={id}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={onToggle ? isSelected : undefined}
      data-active={isActive || undefined}
      className={look}
      style={{ height, transform: `translateY(${top}px)` }}
      onClick={({ target, shiftKey }) =>
        !(target instanceof Element && target.closest('a')) && onPoint(index, shiftKey)
      }
      onDoubleClick={() => row && onOpen(row)}
    >
      {onToggle && (
        <div role="gridcell" className={styles.check}>
          {row && (
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={`Select ${row.title}`}
              checked={isSelected}
              onChange={() => onToggle(row, index)}
              onClick={(event) => event.stopPropagation()}
            />
          )}
        </div>
      )}
      {columns.map(({ name, isSecondary, isSpare, cell }) => (
        <div
          key={name}
          role="gridcell"
          className={isSpare ? styles.spare : isSecondary ? styles.secondary : styles.cell}
        >
          {row ? cell(row) : <span className={styles.blank} />}
        </div>
      ))}
    </div>
  )
}

const narrow = matchMedia('(max-width: 48rem)')

/** Two lines, and where there is little room three. */
function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(narrow.matches)
  useEffect(() => {
    const listen = () => setNarrow(narrow.matches)
    narrow.addEventListener('change', listen)
    return () => narrow.removeEventListener('change', listen)
  }, [])
  return isNarrow ? 92 : 56
}

/** How far below the page's top the rows begin, and what stays above them while they scroll. */
function usePlaceOnPage(body: RefObject<HTMLDivElement | null>, bar: RefObject<HTMLDivElement | null>) {
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

// biome-ignore-end lint/a11y/useSemanticElements: as above
// biome-ignore-end lint/a11y/useFocusableInteractive: as above
