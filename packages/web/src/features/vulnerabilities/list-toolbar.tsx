import { Keyboard, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { formatCount } from '../../components/format.ts'
import styles from './list-toolbar.module.css'

/** Above the rows: how many there are, what is selected, and what can be done with it. */
export function ListToolbar({
  total,
  selected,
  onSelectAll,
  onClear,
  onKeys,
  children,
}: {
  total: string
  selected: number | 'all'
  /** Absent: only row by row. */
  onSelectAll?: (() => void) | undefined
  onClear: () => void
  onKeys: () => void
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
      {selected !== 0 && <IconButton label="Select nothing" icon={X} onClick={onClear} />}
      {onSelectAll && selected !== 'all' && (
        <Button kind="quiet" size="small" onClick={onSelectAll}>
          Select all
        </Button>
      )}
      <div className={styles.actions}>{children}</div>
      <IconButton label="Keys" icon={Keyboard} onClick={onKeys} />
    </div>
  )
}
