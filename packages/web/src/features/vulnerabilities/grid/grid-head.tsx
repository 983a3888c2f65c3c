import { ArrowDown, ArrowUp } from 'lucide-react'
import { texts } from '../texts.ts'
import type { GridColumn } from './grid-row.tsx'
import styles from './row-grid.module.css'

/** Order of a list, which the headers of columns change. */
export interface Sorting {
  value: string
  set: (sort: string) => void
}

interface HeadProps<Row> {
  columns: readonly GridColumn<Row>[]
  /** Absent: rows cannot be selected. */
  selection?: { isAll: boolean; toggleAll?: (() => void) | undefined } | undefined
  sorting?: Sorting | undefined
}

// biome-ignore-start lint/a11y/useSemanticElements: elements of a table cannot be laid out like this and keep their meaning
// biome-ignore-start lint/a11y/useFocusableInteractive: the grid has the focus and names the active row

/** Row of column headers. Those of sortable columns are buttons; by keyboard, the order is chosen in the toolbar. */
export function GridHead<Row>({ columns, selection, sorting }: HeadProps<Row>) {
  return (
    <div role="rowgroup">
      <div role="row" aria-rowindex={1} className={styles.head}>
        {selection && (
          <div role="columnheader" className={styles.check}>
            {selection.toggleAll ? (
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label={texts.selectAllMatching}
                checked={selection.isAll}
                onChange={selection.toggleAll}
              />
            ) : (
              <span className="visually-hidden">{texts.selected}</span>
            )}
          </div>
        )}
        {columns.map(({ key, name, sorts }) => (
          <div key={key} role="columnheader" aria-sort={sorting && sorts && directionOf(sorts, sorting.value)}>
            {sorting && sorts ? <SortButton name={name} sorts={sorts} sorting={sorting} /> : name}
          </div>
        ))}
      </div>
    </div>
  )
}

// biome-ignore-end lint/a11y/useSemanticElements: elements of a table cannot be laid out like this and keep their meaning
// biome-ignore-end lint/a11y/useFocusableInteractive: the grid has the focus and names the active row

type Sorts = NonNullable<GridColumn<unknown>['sorts']>

function directionOf({ ascending, descending }: Sorts, sort: string): 'ascending' | 'descending' | 'none' {
  return sort === ascending ? 'ascending' : sort === descending ? 'descending' : 'none'
}

function SortButton({ name, sorts, sorting }: { name: string; sorts: Sorts; sorting: Sorting }) {
  const direction = directionOf(sorts, sorting.value)
  const Arrow = direction === 'ascending' ? ArrowUp : ArrowDown
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.sort}
      onClick={() => sorting.set(direction === 'descending' ? sorts.ascending : sorts.descending)}
    >
      {name}
      {direction !== 'none' && <Arrow size={13} aria-hidden="true" />}
    </button>
  )
}
