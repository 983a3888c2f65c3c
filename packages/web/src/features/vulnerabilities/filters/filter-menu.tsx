import { Menu } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import { formatCount } from '../../../components/format.ts'
import { texts } from '../texts.ts'
import styles from './filter-menu.module.css'
import type { ChoicesProps, Trigger } from './filter-props.ts'

/** Menu with several choices. */
export function ChoicesMenu({ trigger, choices, chosen, onToggle }: ChoicesProps & { trigger: Trigger }) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger {...trigger} />
      <Menu.Portal container={document.getElementById('main')}>
        <Menu.Positioner className="popup-positioner" sideOffset={4} align="start">
          <Menu.Popup className={`popup ${styles.popup}`}>
            {choices.length === 0 && <p className={styles.none}>{texts.noOptionsYet}</p>}
            {choices.map(({ value, label, count }) => (
              <Menu.CheckboxItem
                key={value}
                className={`menu-item ${styles.item}`}
                checked={chosen.includes(value)}
                onCheckedChange={() => onToggle(value)}
              >
                <span className={styles.box} aria-hidden="true">
                  <Menu.CheckboxItemIndicator className={styles.mark}>
                    <Check size={14} />
                  </Menu.CheckboxItemIndicator>
                </span>
                <span className={styles.name}>{label}</span>
                {count !== undefined && <span className="muted small numbers">{formatCount(count)}</span>}
              </Menu.CheckboxItem>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
