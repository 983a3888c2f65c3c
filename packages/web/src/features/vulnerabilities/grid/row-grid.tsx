import {
  type CSSProperties,
  type FocusEvent,
  type ReactNode,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
} from 'react'
import { formatCount } from '../../../components/format.ts'
import { useLatest } from '../../../data/use-latest.ts'
import { texts } from '../texts.ts'
import { type Press, usePageKeys } from '../triage/page-keys.ts'
import { GridHead, type Sorting } from './grid-head.tsx'
import { type GridColumn, GridRow, type Opening } from './grid-row.tsx'
import type { PagedRows } from './paged-rows.ts'
import styles from './row-grid.module.css'
import { useStoredPlace } from './stored-place.ts'
import { useVirtualRows } from './use-virtual-rows.ts'
import type { Density } from './view-options.ts'

// biome-ignore-start lint/a11y/useSemanticElements: elements of a table cannot be laid out like this and keep their meaning
// biome-ignore-start lint/a11y/useFocusableInteractive: the grid has the focus and names the active row

interface GridProps<Row extends { id: number; title: string; isReadOnly?: boolean }> {
  label: string
  rows: PagedRows<Row>
  columns: readonly GridColumn<Row>[]
  /** Absent: rows cannot be selected. */
  selection?: GridSelection<Row> | undefined
  active: number
  /** Incremented to scroll the active row into view. */
  advances?: number
  onMove: (index: number, isExtending: boolean) => void
  onOpen: (row: Row, way: Opening) => void
  /** True: a click opens a row. Otherwise a double click does. */
  opensOnClick?: boolean
  /** Called when the pointer rests on a row, so that its data can be fetched before it is opened. */
  onRest?: ((row: Row) => void) | undefined
  /** Returns the name of a row for screen readers. */
  labelOf?: (row: Row) => string
  /** Absent: the headers do not change the order. */
  sorting?: Sorting | undefined
  density?: Density
  /** Handles all other keys. Returns true for a key that it handled. */
  onKey: (press: Press) => boolean
  /** Sticky toolbar above the rows. */
  toolbar: ReactNode
}

interface GridSelection<Row> {
  isAll: boolean
  has: (row: Row) => boolean
  /** With `isExtending`, selects every row from the last toggled one to this one. */
  toggle: (row: Row, index: number, isExtending: boolean) => void
  /** Absent: rows can only be selected one by one. */
  toggleAll?: (() => void) | undefined
}

/** Virtualised grid with rows of equal height, scrolled by the window. Screen readers get the total number of rows. */
export function RowGrid<Row extends { id: number; title: string; isReadOnly?: boolean }>(props: GridProps<Row>) {
  const {
    label,
    rows,
    columns,
    selection,
    active,
    onMove,
    onOpen,
    opensOnClick = false,
    onRest,
    onKey,
    toolbar,
  } = props
  const { advances = 0 } = props
  const id = useId()
  const grid = useRef<HTMLDivElement>(null)
  const { virtual, body, bar, margin, barHeight, rowHeight, length } = useVirtualRows(rows, active, props.density)
  const storePlace = useStoredPlace(rows, active, onMove)

  const move = (to: number, isExtending: boolean) => {
    const index = Math.min(Math.max(0, to), length - 1)
    if (index < 0) return
    onMove(index, isExtending)
    virtual.scrollToIndex(index, { align: 'auto' })
  }
  const onPoint = usePointer(grid, onMove)
  const latestActive = useRef(active)
  latestActive.current = active
  useLayoutEffect(() => {
    if (advances > 0) virtual.scrollToIndex(latestActive.current, { align: 'auto' })
  }, [virtual, advances])
  const open = useLatest((row: Row, way: Opening) => {
    storePlace()
    onOpen(row, way)
  })

  /** Handles a key. Returns true for a key that it handled. */
  function press(event: Press): boolean {
    const page = Math.max(1, Math.floor((innerHeight - barHeight) / rowHeight) - 1)
    const step = stepOf(event.key, page, length)
    const row = rows.rowAt(active)
    if (step !== undefined && isPlain(event)) move(active + step, event.shiftKey)
    else if ((event.key === 'Enter' || event.key === 'o') && isPlain(event) && row)
      open(row, { isPage: event.shiftKey, isByKey: true })
    else if ((event.key === ' ' || event.key === 'x') && isPlain(event) && row && selection)
      selection.toggle(row, active, false)
    else return onKey(event)
    return true
  }
  usePageKeys(grid, press)

  /** Scrolls to the active row on focus. Browsers would scroll to the middle of an element taller than the window. */
  function showActive({ target, currentTarget }: FocusEvent) {
    // The active row may change before the callback runs.
    const show = () => virtual.scrollToIndex(latestActive.current, { align: 'auto' })
    if (target === currentTarget) requestAnimationFrame(show)
  }

  const tracks = [...(selection ? ['1.75rem'] : []), ...columns.map(({ width }) => width)].join(' ')
  const columnCount = columns.length + (selection ? 1 : 0)
  return (
    <div className={styles.frame}>
      <div ref={bar} className={styles.bar}>
        {toolbar}
      </div>
      <div
        ref={grid}
        id="results" // target of the link in the shell
        role="grid"
        tabIndex={0}
        className={styles.grid}
        aria-label={label}
        aria-busy={rows.isOutdated || undefined}
        aria-rowcount={rows.isCounted ? rows.length + 1 : -1}
        aria-colcount={columnCount}
        aria-multiselectable={selection ? true : undefined}
        aria-activedescendant={rows.rowAt(active) ? `${id}-${active}` : undefined}
        data-columns={columns.map(({ key }) => key).join(' ')}
        style={{ '--tracks': tracks } as CSSProperties} // React does not declare custom properties
        // A link may leave the page before the scroll position is stored.
        onClickCapture={storePlace}
        onKeyDown={(event) => press(event) && event.preventDefault()}
        onFocus={showActive}
      >
        <GridHead columns={columns} selection={selection} sorting={props.sorting} />
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
                opensOnClick={opensOnClick}
                onRest={onRest}
                labelOf={props.labelOf}
              />
            )
          })}
        </div>
      </div>
      {rows.length > length && <p className={styles.note}>{texts.showingTheFirstRows(formatCount(length))}</p>}
    </div>
  )
}

/** Returns the function that makes a row active by pointer, and focuses the grid. */
function usePointer(grid: RefObject<HTMLElement | null>, onMove: (index: number, isExtending: boolean) => void) {
  return useLatest((index: number, isExtending: boolean) => {
    onMove(index, isExtending)
    grid.current?.focus({ preventScroll: true })
  })
}

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

// biome-ignore-end lint/a11y/useSemanticElements: elements of a table cannot be laid out like this and keep their meaning
// biome-ignore-end lint/a11y/useFocusableInteractive: the grid has the focus and names the active row
