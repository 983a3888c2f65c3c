import { Ellipsis, type LucideIcon } from 'lucide-react'
import { look } from '../button.tsx'
import { lazyComponent, nothingYet } from '../lazy-component.tsx'
import { useLazyTrigger } from './lazy-trigger.ts'
import styles from './menu.module.css'
import type { MenuItem } from './menu-item.ts'

const OpenMenu = lazyComponent(async () => (await import('./open-menu.tsx')).OpenMenu, nothingYet)

/** Menu of actions for one list item. `label` names its button, such as `Actions for shop.png`. */
export function ActionMenu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const { ref, isLoaded, closed } = useLazyTrigger(OpenMenu.preload)
  const trigger = {
    ref,
    className: styles.trigger,
    'aria-label': label,
    title: label,
    children: <Ellipsis size={18} aria-hidden="true" />,
  }
  return isLoaded ? <OpenMenu trigger={trigger} items={items} /> : <button {...trigger} {...closed} />
}

/** Button with a label that opens a menu. */
export function ButtonMenu({
  label,
  icon: Picture,
  items,
}: {
  label: string
  icon: LucideIcon
  items: readonly MenuItem[]
}) {
  const { ref, isLoaded, closed } = useLazyTrigger(OpenMenu.preload)
  const trigger = {
    ref,
    className: look({ size: 'small' }),
    'data-add': '',
    children: (
      <>
        <Picture size={16} aria-hidden="true" />
        {label}
      </>
    ),
  }
  return isLoaded ? <OpenMenu trigger={trigger} items={items} align="start" /> : <button {...trigger} {...closed} />
}
