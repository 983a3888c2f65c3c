import { Menu as Base } from '@base-ui/react/menu'
import { Ellipsis, type LucideIcon } from 'lucide-react'
import styles from './menu.module.css'

export interface MenuItem {
  label: string
  icon?: LucideIcon
  isDangerous?: boolean
  onChoose: () => void
}

/** Menu of actions for one list item. `label` names its button, such as `Actions for shop.png`. */
export function ActionMenu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger className={styles.trigger} aria-label={label} title={label}>
        <Ellipsis size={18} aria-hidden="true" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="popup-positioner" sideOffset={4} align="end">
          <Base.Popup className={`popup ${styles.popup}`}>
            {items.map(({ label, icon: Picture, isDangerous, onChoose }) => (
              <Base.Item key={label} className={`menu-item ${isDangerous ? styles.dangerous : ''}`} onClick={onChoose}>
                {Picture && <Picture size={16} aria-hidden="true" />}
                {label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
