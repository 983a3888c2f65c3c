import { Keyboard, SlidersHorizontal, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { formatCount } from '../../components/format.ts'
import styles from './list-toolbar.module.css'
import { texts } from './texts.ts'

/** Toolbar above the rows: count, selection and actions. */
export function ListToolbar({
  total,
  news,
  note,
  selected,
  onSelectAll,
  onClear,
  onKeys,
  onOptions,
  order,
  children,
}: {
  total: string
  /** Changes of the list that are not shown yet. */
  news: ReactNode
  /** Scope of the total, if not obvious. */
  note?: string | undefined
  selected: number | 'all'
  /** Absent: rows can only be selected one by one. */
  onSelectAll?: (() => void) | undefined
  onClear: () => void
  onKeys: () => void
  /** Absent: the list has no view options. */
  onOptions?: () => void
  order?: ReactNode
  children: ReactNode
}) {
  return (
    <div className={styles.toolbar}>
      <p className={styles.total} role="status">
        {selected === 'all' ? (
          <strong>{texts.allMatchingSelected(total)}</strong>
        ) : selected > 0 ? (
          <strong>{texts.selectedSelected(formatCount(selected))}</strong>
        ) : (
          total
        )}
      </p>
      {news}
      {note && <p className={styles.note}>{note}</p>}
      {selected !== 0 && <IconButton label={texts.clearSelection} icon={X} onClick={onClear} />}
      {onSelectAll && selected !== 'all' && (
        <Button kind="quiet" size="small" onClick={onSelectAll}>
          {texts.selectAll}
        </Button>
      )}
      <div className={styles.actions}>{children}</div>
      {order && <div className={styles.order}>{order}</div>}
      {onOptions && <IconButton label={texts.viewOptions} icon={SlidersHorizontal} onClick={onOptions} />}
      <IconButton label={texts.keyboardShortcuts} icon={Keyboard} onClick={onKeys} />
    </div>
  )
}
