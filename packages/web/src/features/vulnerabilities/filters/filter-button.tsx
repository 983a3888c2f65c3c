import { ChevronDown } from 'lucide-react'
import { look } from '../../../components/button.tsx'
import { lazyComponent, nothingYet } from '../../../components/lazy-component.tsx'
import { useLazyTrigger } from '../../../components/overlay/lazy-trigger.ts'
import { texts } from '../texts.ts'
import styles from './filter-menu.module.css'
import type { ChoicesProps, MoreFiltersProps, Trigger } from './filter-props.ts'

const ChoicesMenu = lazyComponent(async () => (await import('./filter-menu.tsx')).ChoicesMenu, nothingYet)
const MoreFiltersPopover = lazyComponent(
  async () => (await import('./more-filters.tsx')).MoreFiltersPopover,
  nothingYet,
)

/** Menu with several choices. Its button shows the number of selected ones. */
export function FilterMenu({ label, ...props }: ChoicesProps & { label: string }) {
  const { trigger, button } = useLazyMenu(ChoicesMenu.preload, label, props.chosen.length)
  return button ?? <ChoicesMenu {...props} trigger={trigger} />
}

/** Popover with less common filters. */
export function MoreFilters(props: MoreFiltersProps) {
  const given = props.names.filter((name) => props.state[name]).length
  const { trigger, button } = useLazyMenu(MoreFiltersPopover.preload, texts.moreFilters, given)
  return button ?? <MoreFiltersPopover {...props} trigger={trigger} />
}

/** Returns a button until the user has pressed it and the code of its menu is there, then the trigger of the open menu. */
export function useLazyMenu(preload: () => Promise<void>, label: string, count: number) {
  const { ref, isLoaded, closed } = useLazyTrigger(preload)
  const trigger: Trigger = {
    ref,
    className: look({}),
    children: (
      <>
        {label}
        {count > 0 && <span className={styles.chosen}>{count}</span>}
        <ChevronDown size={16} aria-hidden="true" />
      </>
    ),
  }
  return { trigger, button: isLoaded ? undefined : <button {...trigger} {...closed} /> }
}
