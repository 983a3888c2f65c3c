import { type MouseEvent as ClickEvent, memo, type ReactNode, useRef } from 'react'
import { texts } from '../texts.ts'
import styles from './row-grid.module.css'

export interface GridColumn<Row> {
  /** Identifies the column, whatever its name is. */
  key: string
  name: string
  /** Width, as a CSS grid track. */
  width: string
  /** True: shown below the other columns on narrow screens. */
  isSecondary?: boolean
  /** True: hidden on narrow screens. */
  isSpare?: boolean
  cell: (row: Row) => ReactNode
  /** Orders of the list by this column. */
  sorts?: { ascending: string; descending: string }
}

// biome-ignore-start lint/a11y/useSemanticElements: elements of a table cannot be laid out like this and keep their meaning
// biome-ignore-start lint/a11y/useFocusableInteractive: the grid has the focus and names the active row

/** How the user opened a row. */
export interface Opening {
  /** True: on its own page. */
  isPage: boolean
  isByKey: boolean
}

interface RowProps<Row> {
  id: string
  index: number
  top: number
  height: number
  row: Row | undefined
  columns: readonly GridColumn<Row>[]
  isActive: boolean
  isSelected: boolean
  onToggle?: ((row: Row, index: number, isExtending: boolean) => void) | undefined
  onPoint: (index: number, isExtending: boolean) => void
  onOpen: (row: Row, way: Opening) => void
  opensOnClick: boolean
  onRest?: ((row: Row) => void) | undefined
  /** Name of the row for screen readers. */
  labelOf?: ((row: Row) => string) | undefined
}

/** Time on a row after which the pointer rests on it. */
const restMs = 80

export const GridRow = memo(PlainGridRow) as typeof PlainGridRow // memo loses the type parameter

function PlainGridRow<Row extends { id: number; title: string; isReadOnly?: boolean }>(props: RowProps<Row>) {
  const { id, index, top, height, row, columns, isActive, isSelected, onToggle, onPoint, onOpen } = props
  const { opensOnClick, onRest, labelOf } = props
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined)
  const look = [styles.row, isActive && styles.active, isSelected && styles.selected].filter(Boolean).join(' ')

  function click(event: ClickEvent) {
    const { target, shiftKey, defaultPrevented } = event
    // A link that does not open the row beside the list navigates.
    if (!(target instanceof Element) || (target.closest('a') && !defaultPrevented)) return
    onPoint(index, shiftKey)
    const isOpening = opensOnClick && isPlainClick(event) && !target.closest(`.${styles.check}`)
    if (isOpening && row && getSelection()?.type !== 'Range') onOpen(row, { isPage: false, isByKey: false })
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around it handles the keys
    <div
      id={id}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-label={row ? labelOf?.(row) : texts.loading}
      aria-selected={onToggle ? isSelected : undefined}
      data-active={isActive || undefined}
      className={look}
      style={{ height, transform: `translateY(${top}px)` }}
      // A plain click on the link opens the row as a click beside it does.
      onClickCapture={(event) => opensOnClick && isPlainClick(event) && isLink(event.target) && event.preventDefault()}
      onClick={click}
      onDoubleClick={() => row && onOpen(row, { isPage: true, isByKey: false })}
      onPointerEnter={() => {
        if (row && onRest) resting.current = setTimeout(() => onRest(row), restMs)
      }}
      onPointerLeave={() => clearTimeout(resting.current)}
    >
      {onToggle && (
        <div role="gridcell" className={styles.check}>
          {row && (
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={texts.select(row.title)}
              checked={isSelected}
              disabled={row.isReadOnly}
              onChange={({ nativeEvent }) => onToggle(row, index, isShift(nativeEvent))}
              onClick={(event) => event.stopPropagation()}
            />
          )}
        </div>
      )}
      {columns.map(({ key, isSecondary, isSpare, cell }) => (
        <div
          key={key}
          role="gridcell"
          className={isSpare ? styles.spare : isSecondary ? styles.secondary : styles.cell}
        >
          {row ? cell(row) : <span className={styles.blank} />}
        </div>
      ))}
    </div>
  )
}

const isLink = (target: EventTarget) => target instanceof Element && target.closest('a') !== null

const isPlainClick = ({ button, ctrlKey, metaKey, altKey, shiftKey }: ClickEvent) =>
  button === 0 && !ctrlKey && !metaKey && !altKey && !shiftKey

/** Returns true for a click with Shift. The native event of a checkbox change is the click. */
const isShift = (event: Event) => event instanceof MouseEvent && event.shiftKey

// biome-ignore-end lint/a11y/useSemanticElements: elements of a table cannot be laid out like this and keep their meaning
// biome-ignore-end lint/a11y/useFocusableInteractive: the grid has the focus and names the active row
