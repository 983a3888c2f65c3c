import { ChevronDown } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { look } from '../../../components/button.tsx'
import { lazyComponent, nothingYet } from '../../../components/lazy-component.tsx'
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
  const { trigger, button } = useLazyMenu(MoreFiltersPopover.preload, 'More filters', given)
  return button ?? <MoreFiltersPopover {...props} trigger={trigger} />
}

/** Returns a button until the user has pressed it and the code of its menu is there, then the trigger of the open menu. */
function useLazyMenu(preload: () => Promise<void>, label: string, count: number) {
  const ref = useRef<HTMLButtonElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  // The menu itself shows the error.
  const fetch = () => preload().catch(() => {})
  const open = () => void fetch().then(() => setLoaded(true))
  useEffect(() => {
    if (!isLoaded) return
    ref.current?.focus()
    ref.current?.click()
  }, [isLoaded])
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
  const button = isLoaded ? undefined : (
    <button
      {...trigger}
      type="button"
      aria-haspopup="true"
      aria-expanded={false}
      onPointerEnter={() => void fetch()}
      onFocus={() => void fetch()}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
        event.preventDefault()
        open()
      }}
    />
  )
  return { trigger, button }
}
