import { Button } from '../button.tsx'
import { formatCount } from '../format.ts'
import { texts } from '../texts.ts'
import styles from './new-rows.module.css'

/** Changes of an open list that wait until the user wants to see them, because they would move the rows. */
export function NewRows({
  held,
  onShow,
  isFloating = false,
}: {
  held: { added: number; gone: number } | null
  onShow: () => void
  /** True: the bar takes no room of its own. */
  isFloating?: boolean
}) {
  return (
    <div role="status" className={isFloating ? styles.floating : styles.inline}>
      {held && (
        <Button size="small" onClick={onShow}>
          {held.added > 0 ? texts.newRows(formatCount(held.added)) : texts.goneRows(formatCount(held.gone))}
        </Button>
      )}
    </div>
  )
}
