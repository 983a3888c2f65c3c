import { Keyboard, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { formatCount } from '../../components/format.ts'
import styles from './list-toolbar.module.css'

/** Above the rows: how many there are, what is selected, and what can be done with it. */
export function ListToolbar({
  total,
  note,
  selected,
  onSelectAll,
  onClear,
  onKeys,
  order,
  children,
}: {
  total: string
  /** What the total is of, where that is not clear. */
  note?: string | undefined
  selected: number | 'all'
  /** Absent: only row by row. */
  onSelectAll?: (() => void) | undefined
  onClear: () => void
  onKeys: () => void
  order?: ReactNode
  children: ReactNode
}) {
  return (
    <div className={styles.toolbar}>
      <p className={styles.total} role="status">
        {selected === 'all' ? (
          <strong>All that match: {total}</strong>
        ) : selected > 0 ? (
          <strong>{formatCount(selected)} selected</strong>
        ) : (
          total
        )}
      </p>
      {note && <p className={styles.note}>{note}</p>}
      {selected !== 0 && <IconButton label="Clear selection" icon={X} onClick={onClear} />}
      {onSelectAll && selected !== 'all' && (
        <Button kind="quiet" size="small" onClick={onSelectAll}>
          Select all
        </Button>
      )}
      <div className={styles.actions}>{children}</div>
      {order && <div className={styles.order}>{order}</div>}
      <IconButton label="Keyboard shortcuts" icon={Keyboard} onClick={onKeys} />
    </div>
  )
}
