import { Menu as Base } from '@base-ui/react/menu'
import type { ComponentProps } from 'react'
import styles from './menu.module.css'
import type { MenuItem } from './menu-item.ts'

type Trigger = Pick<ComponentProps<'button'>, 'aria-label' | 'title' | 'className' | 'children'> & {
  ref: { current: HTMLButtonElement | null }
}

/** Menu of `ActionMenu` and `ButtonMenu`, whose code is fetched when its button is pressed. */
export function OpenMenu({
  trigger,
  items,
  align = 'end',
}: {
  trigger: Trigger
  items: readonly MenuItem[]
  align?: 'start' | 'end'
}) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger {...trigger} />
      <Base.Portal>
        <Base.Positioner className="popup-positioner" sideOffset={4} align={align}>
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
