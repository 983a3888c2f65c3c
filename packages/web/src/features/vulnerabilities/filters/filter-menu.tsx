import { Menu } from '@base-ui/react/menu'
import { Check, ChevronDown } from 'lucide-react'
import { look } from '../../../components/button.tsx'
import { formatCount } from '../../../components/format.ts'
import type { ListControl } from '../../../nouns/vulnerability/filters.ts'
import styles from './filter-menu.module.css'

export interface FilterChoice {
  value: string
  label: string
  count?: number | undefined
}

/** Returns the values of a filter as choices. */
export function choicesOf({ values = [], inWords }: ListControl<string>): FilterChoice[] {
  return values.map((value) => ({ value, label: inWords(value) }))
}

/** Menu with several choices. Its button shows the number of selected ones. */
export function FilterMenu({
  label,
  choices,
  chosen,
  onToggle,
}: {
  label: string
  choices: readonly FilterChoice[]
  chosen: readonly string[]
  onToggle: (value: string) => void
}) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={look({})}>
        {label}
        {chosen.length > 0 && <span className={styles.chosen}>{chosen.length}</span>}
        <ChevronDown size={16} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal container={document.getElementById('main')}>
        <Menu.Positioner className={styles.positioner} sideOffset={4} align="start">
          <Menu.Popup className={styles.popup}>
            {choices.length === 0 && <p className={styles.none}>No options yet.</p>}
            {choices.map(({ value, label, count }) => (
              <Menu.CheckboxItem
                key={value}
                className={styles.item}
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
